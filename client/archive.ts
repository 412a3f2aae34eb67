/**
 * Archives as package managers install them, written without their programs: a machine that builds the docs may have none. The same
 * files always give the same bytes.
 *
 * @module
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { gzipSync } from 'fflate'
import { packTar } from 'modern-tar'

/** Files of an archive, by their paths in it, with `/`. */
export type ArchiveFiles = ReadonlyMap<string, Uint8Array>

/** The time of all files, the one that npm writes: older ones aren't accepted everywhere. */
const fileTime = new Date('1985-10-26T08:15:00Z')

/** Reads a folder with all folders in it. */
export async function readFolder(directory: string): Promise<Map<string, Uint8Array>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths
      .sort()
      .map(async (path) => [relative(directory, path).split(sep).join('/'), await readFile(path)] as const),
  )
  return new Map(files)
}

/** Writes the `.tgz` of a package for npm. */
export async function writeNpmArchive(files: ArchiveFiles): Promise<Uint8Array> {
  const entries = [...files].map(([path, body]) => ({
    header: { name: `package/${path}`, size: body.byteLength, mode: 0o644, mtime: fileTime },
    body,
  }))
  return gzipSync(await packTar(entries), { level: 9, mtime: fileTime })
}
