/**
 * Archives as package managers install them, written without their programs: a machine that builds the docs may have
 * none. The same files always give the same bytes.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { gzipSync, zipSync } from 'fflate'
import { packTar } from 'modern-tar'
import { listFiles } from './list-files.ts'

/** A file that a package manager installs. */
export interface Archive {
  name: string
  content: Uint8Array
}

/** Files of an archive, by their paths in it, with `/`. */
export type ArchiveFiles = ReadonlyMap<string, Uint8Array>

/** The bytes of a text file. */
export const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Writes archives into a folder, with a file of their hashes for `sha256sum --check`. Returns their paths. */
export async function storeArchives(
  archives: readonly Archive[],
  directory: string,
  hashesName: string,
): Promise<string[]> {
  const hashes = archives.map(
    ({ name, content }) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`,
  )
  await mkdir(directory, { recursive: true })
  await Promise.all(archives.map(({ name, content }) => writeFile(join(directory, name), content)))
  await writeFile(join(directory, hashesName), hashes.join(''))
  return archives.map(({ name }) => join(directory, name))
}

/** The timestamp of all files, the same as npm's. A zip can't have dates before 1980. */
const fileTime = new Date('1985-10-26T08:15:00Z')

/** Reads a folder with all folders in it. */
export async function readFolder(directory: string): Promise<Map<string, Uint8Array>> {
  const files = (await listFiles(directory)).map(
    async (path) => [relative(directory, path).split(sep).join('/'), await readFile(path)] as const,
  )
  return new Map(await Promise.all(files))
}

/** Writes the `.tgz` of a package for npm. */
export async function writeNpmArchive(files: ArchiveFiles): Promise<Uint8Array> {
  const entries = [...files].map(([path, body]) => ({
    header: { name: `package/${path}`, size: body.byteLength, mode: 0o644, mtime: fileTime },
    body,
  }))
  return gzipSync(await packTar(entries), { level: 6, mtime: fileTime })
}

/** The parts of pyproject.toml that a wheel repeats. */
export interface PythonProject {
  name: string
  version: string
  description: string
  license: string
  'requires-python': string
  keywords: readonly string[]
  classifiers: readonly string[]
}

/**
 * Writes the wheel of a package for pip, in pure Python
 * (https://packaging.python.org/specifications/binary-distribution-format). `modules` has the files of its module,
 * below the module's name.
 */
export function writeWheel(
  project: PythonProject,
  { modules, readme, license }: { modules: ArchiveFiles; readme: string; license: Uint8Array },
): Archive {
  const stem = `${project.name.replaceAll('-', '_')}-${project.version}`
  const information = `${stem}.dist-info`
  const files = new Map<string, Uint8Array>([
    ...modules,
    [`${information}/licenses/LICENSE`, license],
    [`${information}/METADATA`, encodeText(writeMetadata(project, readme))],
    [
      `${information}/WHEEL`,
      encodeText('Wheel-Version: 1.0\nGenerator: devdata\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    ],
  ])
  const record = [...files].map(([path, content]) => {
    const hash = createHash('sha256').update(content).digest('base64url')
    return `${path},sha256=${hash},${content.byteLength}\n`
  })
  files.set(`${information}/RECORD`, encodeText(`${record.join('')}${information}/RECORD,,\n`))
  return {
    name: `${stem}-py3-none-any.whl`,
    // A zip has local times: the same numbers everywhere.
    content: zipSync(Object.fromEntries(files), {
      ...{ level: 9, os: 3, attrs: 0o644 << 16 },
      mtime: new Date(1985, 9, 26, 8, 15),
    }),
  }
}

function writeMetadata(project: PythonProject, readme: string): string {
  const headers = [
    ['Metadata-Version', '2.4'],
    ['Name', project.name],
    ['Version', project.version],
    ['Summary', project.description],
    ['License-Expression', project.license],
    ['License-File', 'LICENSE'],
    ['Keywords', project.keywords.join(',')],
    ...project.classifiers.map((classifier) => ['Classifier', classifier]),
    ['Requires-Python', project['requires-python']],
    ['Description-Content-Type', 'text/markdown'],
  ]
  return `${headers.map(([name, value]) => `${name}: ${value}\n`).join('')}\n${readme}`
}
