/** Exports the dataset as newline-delimited JSON, in the form that `import ndjson` reads. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ListName } from '../../catalog/filters.ts'
import {
  hasAddresses,
  renderDependencies,
  renderMembers,
  selectJsonUrl,
} from '../../catalog/stored-documents.ts'
import { readOneVersion } from '../../database/cluster.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../../database/connect.ts'
import { copyRows, readInteger } from '../../database/copy.ts'
import { createFolder } from '../../database/create-folder.ts'
import { unfinishedSuffix } from '../../database/private-file.ts'
import { describeFileError, OperatorError, readCode, refuseWriting } from '../../errors.ts'
import { uniteSets } from '../../sets/set-unions.ts'
import { type SetKey, selectVersionTerms } from '../../sets/stored-sets.ts'
import { type RecordKind, recordKinds } from '../../staging/records.ts'
import { dataFileName } from './data-files.ts'
import { type ExportedFile, type ExportManifest, manifestName } from './export-manifest.ts'

/** In the order in which they get their final names. */
const fileNames = [...recordKinds.map(dataFileName), manifestName]
/** An export writes to a folder of this name and six more characters, beside the files that it will replace. */
const unfinishedPrefix = 'unfinished-export-'
const unfinishedFolder = /^unfinished-export-\w{6}$/
/** Whether an export began it. Those of 0.1.0 wrote beside the files. */
const isUnfinished = (name: string): boolean =>
  unfinishedFolder.test(name) || fileNames.some((file) => name === file + unfinishedSuffix)

/** The progress of an export. */
export interface ExportProgress {
  kind: RecordKind
  /** Lines written to all files. */
  lines: number
}

/** What to export, and callbacks. */
export interface ExportOptions {
  /** A version of the dataset: what was added, changed or removed after it is exported. Default: everything. */
  since?: number | undefined
  onProgress?: ((progress: ExportProgress) => void) | undefined
}

/** The folder can't take an export, or changes since a version aren't known. */
export class ExportError extends OperatorError {
  override name = 'ExportError'
}

/** Lines that one statement reads. A repository with its dependencies may have a few hundred KB. */
const batchSize = 250

/**
 * Exports users, their further addresses, repositories and commits to a folder, which is created if it doesn't exist,
 * all at one version of the dataset. With `since`, exports only changes, among them removals. Memory use is constant.
 * An earlier export in the folder is replaced when the new one is complete. Only the owner can read the files.
 *
 * Throws `ExportError` when the folder holds anything other than an export, when another export to it begins, and when
 * changes since the version aren't known.
 */
export async function exportNdjson(
  sql: Sql,
  folder: string,
  { since, onProgress = () => {} }: ExportOptions = {},
): Promise<ExportManifest> {
  return await readOneVersion(sql, async (tx) => {
    const version = await readVersion(tx, since)
    await prepareFolder(folder)
    const unfinished = await mkdtemp(join(folder, unfinishedPrefix)).catch(refuseWriting(folder))
    try {
      await endOtherExports(folder, unfinished)
      const files: ExportManifest['files'] = {}
      let linesBefore = 0
      for (const kind of recordKinds) {
        const batches = since === undefined ? allLines[kind]?.(tx) : changedLines[kind](tx, since)
        if (batches === undefined) continue
        const file = await writeLines(join(unfinished, dataFileName(kind)), batches, (lines) =>
          onProgress({ kind, lines: linesBefore + lines }),
        )
        linesBefore += file.lines
        files[dataFileName(kind)] = file
      }
      const manifest = { version, ...(since !== undefined && { since }), files }
      await replaceExport(folder, unfinished, manifest)
      return manifest
    } catch (error) {
      if (existsSync(unfinished)) throw error
      throw new ExportError(
        `${folder}: another export to this folder has begun, so this one has ended; run one of them at a time`,
      )
    } finally {
      await removeUnfinished(folder, unfinished).catch(() => {}) // the next export removes what is left
    }
  })
}

/** Reads the dataset's version. Throws `ExportError` if the changes since `since` aren't known. */
async function readVersion(tx: SqlOrTransaction, since: number | undefined): Promise<number> {
  const [dataset] = await tx<{ version: number; changesSince: number }[]>`
    select version, changes_since as "changesSince" from dataset`
  if (dataset === undefined) throw new Error('the dataset row is missing')
  const { version, changesSince } = dataset
  if (since !== undefined && since > version) {
    throw new ExportError(
      `--since ${since}: the dataset's version is ${version}; use that version or an earlier one, or export everything, without --since`,
    )
  }
  if (since !== undefined && since < changesSince) {
    throw new ExportError(
      `--since ${since}: only changes since version ${changesSince} are still available; export everything, without --since, and import it with --mirror`,
    )
  }
  return version
}

/**
 * Gives the files of a complete export their final names, and takes those of an earlier one away. Each step moves
 * something out of or into the export's own folder, so it fails once another export has begun.
 */
async function replaceExport(folder: string, unfinished: string, manifest: ExportManifest): Promise<void> {
  const files = [...Object.keys(manifest.files), manifestName]
  const path = join(unfinished, manifestName)
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch(refuseWriting(path))
  const removed = [manifestName, ...fileNames.filter((name) => !files.includes(name))]
  for (const name of removed) await moveIfPresent(join(folder, name), join(unfinished, `earlier-${name}`))
  for (const name of files) await rename(join(unfinished, name), join(folder, name))
}

/** Creates the folder. Throws `ExportError` when that fails, and when it holds anything other than an export. */
async function prepareFolder(folder: string): Promise<void> {
  try {
    createFolder(folder, { mode: 0o700 })
  } catch (error) {
    throw new ExportError(`Can't create the folder ${folder}: ${describeFileError(error)}`)
  }
  const present = await readdir(folder)
  const isExport = present.some((name) => name.startsWith(manifestName) || unfinishedFolder.test(name))
  const other = present.find((name) => !isUnfinished(name) && !(isExport && fileNames.includes(name)))
  if (other === undefined) return
  throw new ExportError(
    `${folder} contains ${other}, so it is not the folder of an export, and nothing was written; choose a new folder`,
  )
}

/**
 * Removes what other exports have begun. It is moved to the export's own folder first, in one step: they were killed,
 * or end once they miss it. So of two exports, one is completed, and all files are its own.
 */
async function endOtherExports(folder: string, unfinished: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!isUnfinished(name) || name === basename(unfinished)) continue
    const moved = join(unfinished, name)
    await moveIfPresent(join(folder, name), moved)
    await rm(moved, { recursive: true, force: true }).catch(() => {}) // some network disks refuse to remove open files
  }
}

/** Removes an export's own folder. If files are there without a manifest, an empty one stays: they are an export's. */
async function removeUnfinished(folder: string, unfinished: string): Promise<void> {
  for (const name of await readdir(unfinished)) await rm(join(unfinished, name), { recursive: true })
  const present = await readdir(folder)
  const isBroken = !present.includes(manifestName) && present.some((name) => fileNames.includes(name))
  if (!isBroken) await rmdir(unfinished)
}

/** Renames a file or folder. Does nothing if it doesn't exist, or the folder of the new name doesn't. */
async function moveIfPresent(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error) => {
    if (readCode(error) !== 'ENOENT') throw error
  })
}

/** Writes batches of lines to a file. */
async function writeLines(
  path: string,
  batches: AsyncIterable<string[]>,
  onWritten: (lines: number) => void,
): Promise<ExportedFile> {
  const refuse = refuseWriting(path)
  const output = await open(path, 'wx', 0o600).catch(refuse)
  const hash = createHash('sha256')
  let lines = 0
  let bytes = 0
  try {
    for await (const batch of batches) {
      const text = Buffer.from(batch.map((line) => `${line}\n`).join(''))
      hash.update(text)
      lines += batch.length
      bytes += text.length
      await output.writeFile(text).catch(refuse)
      onWritten(lines)
    }
  } finally {
    await output.close().catch(refuse)
  }
  return { lines, bytes, sha256: hash.digest('hex') }
}

/** SQL: URLs of repositories as JSON text, each of which is computed once. `where` selects the repositories. */
function selectUrls(tx: SqlOrTransaction, where: Fragment): Fragment {
  return tx`
    (select id as repository_id, ${selectJsonUrl(tx, tx`members`)} as url from repositories ${where} offset 0) urls`
}

/** SQL: a repository's line. */
function renderRepository(tx: SqlOrTransaction): Fragment {
  return renderMembers(tx, tx`members`, { dependencies: renderDependencies(tx) })
}

/**
 * Read the documents of each kind, in batches: users with their addresses and repositories by id, commits by repository
 * and position.
 */
const allLines: Partial<Record<RecordKind, (tx: SqlOrTransaction) => AsyncIterable<string[]>>> = {
  users: (tx) =>
    readPages<{ id: number }>(
      (last) => tx`select id, document from users where id > ${last?.id ?? 0} order by id limit ${batchSize}`,
    ),
  identities: (tx) =>
    readPages<{ user_id: number }>(
      (last) => tx`
        select user_id, document from user_addresses
        where user_id > ${last?.user_id ?? 0} and ${hasAddresses(tx)} order by user_id limit ${batchSize}`,
    ),
  repos: (tx) =>
    readPages<{ id: number }>(
      (last) => tx`
        select id, ${renderRepository(tx)} as document
        from repositories where id > ${last?.id ?? 0} order by id limit ${batchSize}`,
    ),
  commits: (tx) =>
    readPages<{ repository_id: number; position: number }>(
      (last) => tx`
        with batch as materialized (
          select repository_id, position, members from commits
          where (repository_id, position) > (${last?.repository_id ?? 0}, ${last?.position ?? 0})
          order by repository_id, position limit ${batchSize}
        )
        select repository_id, position, ${renderMembers(tx, tx`members`, { repoUrl: tx`url` })} as document
        from batch join ${selectUrls(tx, tx`where id = any (array(select repository_id from batch))`)} using (repository_id)
        order by repository_id, position`,
    ),
}

/**
 * Read what was added or changed after a version, in the same order, and what was removed. Users and repositories are
 * found by the sets of the versions. The others are read in one statement: with a limit, the planner could choose to
 * read the whole table for each batch.
 */
const changedLines: Record<RecordKind, (tx: SqlOrTransaction, since: number) => AsyncIterable<string[]>> = {
  users: (tx, since) =>
    readChanged(tx, 'users', since, {
      select: (ids) => tx`select document from users where id = any (${ids}) order by id`,
    }),
  identities: (tx, since) =>
    streamLines(tx, tx`select document from user_addresses where version > ${since} order by user_id`),
  repos: (tx, since) =>
    readChanged(tx, 'repositories', since, {
      others: `select repository_id from dependency_commit_changes where version > ${since}`,
      select: (ids) => tx`
        select ${renderRepository(tx)} as document from repositories where id = any (${ids}) order by id`,
    }),
  commits: (tx, since) =>
    streamLines(
      tx,
      tx`
        select ${renderMembers(tx, tx`members`, { repoUrl: tx`url` })} as document
        from commits join ${selectUrls(tx, tx``)} using (repository_id)
        where version > ${since} order by repository_id, position`,
    ),
  // What has returned is among them: a copy may still have what it had before.
  removals: (tx, since) =>
    streamLines(
      tx,
      tx`
        select format('{"forge_rest_id":%s,"kind":"%s","version":%s}', forge_rest_id, kind, version) as document
        from removals where version > ${since} order by id`,
    ),
}

/**
 * Reads the documents of what was added or changed after a version, in batches. `others` selects further ids, and
 * `select` is SQL for the documents of ids.
 */
async function* readChanged(
  tx: SqlOrTransaction,
  list: ListName,
  since: number,
  { others, select }: { others?: string; select: (ids: Fragment) => Fragment },
): AsyncGenerator<string[]> {
  const [found] = await tx<{ edition: string; sets: SetKey[] }[]>`
    select edition, to_json(array(${tx.unsafe(selectVersionTerms(['term_id']))} where version > ${since})) as sets
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  for await (const changed of uniteSets(tx, list, [found], found.edition)) {
    if (changed === 'outdated') throw new Error('a snapshot has one edition')
    if (others !== undefined) for await (const [id] of copyRows(tx, others)) changed.add(readInteger(id))
    const all = changed.toIdSet()
    for (let offset = 0; offset < all.total; offset += batchSize) {
      const batch = tx`${tx.typed.bigints(all.select(offset, batchSize))}::integer[]`
      const rows = await tx<{ document: string }[]>`${select(batch)}`
      yield rows.map(({ document }) => document)
    }
  }
}

async function* streamLines(tx: SqlOrTransaction, lines: Fragment): AsyncGenerator<string[]> {
  for await (const rows of tx<{ document: string }[]>`${lines}`.cursor(batchSize)) {
    yield rows.map(({ document }) => document)
  }
}

async function* readPages<Key>(
  readAfter: (last: Key | undefined) => PromiseLike<(Key & { document: string })[]>,
): AsyncGenerator<string[]> {
  for (let last: Key | undefined; ; ) {
    const rows = await readAfter(last)
    if (rows.length > 0) yield rows.map(({ document }) => document)
    if (rows.length < batchSize) return
    last = rows.at(-1)
  }
}
