/**
 * Exports the dataset as newline-delimited JSON, in the form that `import ndjson` reads.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { OperatorError } from '../errors.ts'
import { type RecordKind, recordKinds } from '../import/records.ts'

/** The file that describes an export. An export is complete once it exists. */
const manifestName = 'manifest.json'
/** In the order in which they get their final names. */
const fileNames = [...recordKinds.map(fileName), manifestName]

/** What `manifest.json` holds. */
export interface ExportManifest {
  /** The dataset's version. */
  version: number
  files: Record<string, ExportedFile>
}

export interface ExportedFile {
  lines: number
  bytes: number
  /** In hexadecimal digits. */
  sha256: string
}

/** The progress of an export. */
export interface ExportProgress {
  kind: RecordKind
  /** Lines written to all files. */
  lines: number
}

/** The folder can't take an export. */
export class ExportError extends OperatorError {
  override name = 'ExportError'
}

/** Lines that one statement reads. A repository with its dependencies may have a few hundred KB. */
const batchSize = 250

/** Files that are being written. They replace those of an earlier export once all are complete. */
const unfinishedSuffix = '.part'

/**
 * Exports users, repositories and commits to a folder, which is created if it doesn't exist, all at one version of the
 * dataset. Memory use is constant. An earlier export in the folder is replaced when the new one is complete.
 *
 * Throws `ExportError` when the folder holds anything other than an export.
 */
export async function exportNdjson(
  sql: Sql,
  folder: string,
  onProgress: (progress: ExportProgress) => void = () => {},
): Promise<ExportManifest> {
  await prepareFolder(folder)
  const unfinished = fileNames.map((name) => join(folder, name + unfinishedSuffix))
  try {
    const manifest = await sql.begin('isolation level repeatable read read only', async (tx) => {
      const [dataset] = await tx<{ version: number }[]>`select version from dataset`
      const files: ExportManifest['files'] = {}
      let linesBefore = 0
      for (const kind of recordKinds) {
        const path = join(folder, fileName(kind) + unfinishedSuffix)
        const file = await writeLines(path, readers[kind](tx), (lines) =>
          onProgress({ kind, lines: linesBefore + lines }),
        )
        linesBefore += file.lines
        files[fileName(kind)] = file
      }
      return { version: dataset?.version ?? 0, files }
    })
    const manifestText = `${JSON.stringify(manifest, null, 2)}\n`
    await writeFile(join(folder, manifestName + unfinishedSuffix), manifestText)
    await rm(join(folder, manifestName), { force: true })
    for (const path of unfinished) await rename(path, path.slice(0, -unfinishedSuffix.length))
    return manifest
  } finally {
    for (const path of unfinished) await rm(path, { force: true })
  }
}

function fileName(kind: RecordKind): string {
  return `${kind}.ndjson`
}

/** Creates the folder. Throws `ExportError` when it holds anything other than an export. */
async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const present = await readdir(folder)
  const own = [...fileNames, ...fileNames.map((name) => name + unfinishedSuffix)]
  const hasManifest = [manifestName, manifestName + unfinishedSuffix].some((name) => present.includes(name))
  const other = present.find((name) => !own.includes(name) || (!hasManifest && fileNames.includes(name)))
  if (other === undefined) return
  throw new ExportError(
    `${folder} contains ${other}, so it is not the folder of an export, and nothing was written; name a new folder`,
  )
}

/** Writes batches of lines to a file. */
async function writeLines(
  path: string,
  batches: AsyncIterable<string[]>,
  onWritten: (lines: number) => void,
): Promise<ExportedFile> {
  const output = await open(path, 'w')
  const hash = createHash('sha256')
  let lines = 0
  let bytes = 0
  try {
    for await (const batch of batches) {
      const text = Buffer.from(batch.map((line) => `${line}\n`).join(''))
      hash.update(text)
      lines += batch.length
      bytes += text.length
      await output.writeFile(text)
      onWritten(lines)
    }
  } finally {
    await output.close()
  }
  return { lines, bytes, sha256: hash.digest('hex') }
}

/** Read the documents of each kind, in batches: users and repositories by id, commits by repository and position. */
const readers: Record<RecordKind, (tx: SqlOrTransaction) => AsyncGenerator<string[]>> = {
  users: (tx) =>
    readBatches<{ id: number }>(
      (last) => tx`select id, document from users where id > ${last?.id ?? 0} order by id limit ${batchSize}`,
    ),
  repos: (tx) =>
    readBatches<{ id: number }>(
      (last) => tx`
        select id, '{' || members || ',"dependencies":' || dependencies || '}' as document
        from repositories where id > ${last?.id ?? 0} order by id limit ${batchSize}`,
    ),
  commits: (tx) =>
    readBatches<{ repository_id: number; position: number }>(
      (last) => tx`
        select repository_id, position, document from commits
        where (repository_id, position) > (${last?.repository_id ?? 0}, ${last?.position ?? 0})
        order by repository_id, position limit ${batchSize}`,
    ),
}

async function* readBatches<Key>(
  readAfter: (last: Key | undefined) => PromiseLike<(Key & { document: string })[]>,
): AsyncGenerator<string[]> {
  for (let last: Key | undefined; ; ) {
    const rows = await readAfter(last)
    if (rows.length > 0) yield rows.map(({ document }) => document)
    if (rows.length < batchSize) return
    last = rows.at(-1)
  }
}
