/**
 * Scalar's API reference as a browser loads it: one module, and parts of it that are fetched when they are needed.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The library's files, and the folder below the docs that they are to lie in. */
export interface ViewerLibrary {
  /** `_viewer/` and a hash of all of it, so that it may be cached for good. */
  folder: string
  /** Path of the module to import, below the docs. */
  entry: string
  /** Contents by path below the folder; source maps stay behind. */
  files: ReadonlyMap<string, string>
}

const entryFile = 'standalone.esm.js'

/** Reads the library out of its package. */
export async function readViewerLibrary(): Promise<ViewerLibrary> {
  const source = join(dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference'))), 'browser')
  const chunks = (await readdir(join(source, 'chunks'))).filter((name) => name.endsWith('.js')).sort()
  const files = new Map<string, string>()
  const hash = createHash('sha256')
  for (const name of [entryFile, ...chunks.map((chunk) => `chunks/${chunk}`)]) {
    const text = (await readFile(join(source, name), 'utf8')).replace(
      /\n\/\/# sourceMappingURL=\S+\s*$/,
      '\n',
    )
    files.set(name, text)
    hash.update(`${name}\0${text}\0`)
  }
  const folder = `_viewer/${hash.digest('base64url').slice(0, 22)}`
  return { folder, entry: `${folder}/${entryFile}`, files }
}

/** Writes the library below the docs. */
export async function writeViewerLibrary(directory: string, library: ViewerLibrary): Promise<void> {
  await mkdir(join(directory, library.folder, 'chunks'), { recursive: true })
  for (const [name, text] of library.files) await writeFile(join(directory, library.folder, name), text)
}
