/**
 * Loads files of newline-delimited JSON, in the form in which the API returns its objects.
 *
 * @module
 */
import { createReadStream } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Sql } from '../database/connect.ts'
import { applyImport, type ImportResult, listOrphans, setOrphansAside } from './apply/apply.ts'
import { ImportError } from './import-error.ts'
import { readLines } from './lines.ts'
import { RecordError, type RecordKind, readRecord, recordKinds } from './records.ts'
import { beginStaging, type Staging } from './staging.ts'

/** A file of lines of one kind. */
export interface Source {
  kind: RecordKind
  /** What messages call it. */
  name: string
  /** In bytes; undefined when it can't be known. */
  size: number | undefined
  open(): AsyncIterable<Uint8Array>
}

/** A line that was not loaded, and why. */
export interface InvalidLine {
  file: string
  line: number
  /** The field and the rule. */
  reason: string
  content: string
}

/** How to load. */
export interface NdjsonOptions {
  sources: readonly Source[]
  /** Takes lines that break a rule, and the rest is loaded; without it the first such line stops the load. */
  onInvalid?: (line: InvalidLine) => Promise<void>
  /** Called with the id of the load before its first row is staged. */
  onBegin?: (importId: number) => void
  /** Called after every line. */
  onProgress?: (progress: ImportProgress) => void
}

/** How far a load has come. */
export interface ImportProgress {
  /** What is being done. */
  step: string
  /** Lines read. */
  lines: number
  bytesRead: number
  /** Of all sources; undefined when it can't be known. */
  bytesTotal: number | undefined
}

/**
 * Finds what to load under `paths`: folders with `users.ndjson`, `repos.ndjson`, `commits.ndjson` (any of them, or the
 * one of `kind`), such files, or with `kind` files of any name. Throws `ImportError` for what is none of these.
 */
export async function findSources(paths: readonly string[], kind?: RecordKind): Promise<Source[]> {
  const found: Source[] = []
  for (const path of paths) {
    const status = await stat(path).catch((error: Error) => {
      throw new ImportError(`${path}: can't be read: ${error.message}`)
    })
    if (!status.isDirectory()) {
      found.push(openFile(path, kind ?? kindOf(path), status.size))
      continue
    }
    const before = found.length
    const wanted = recordKinds.filter((name) => kind === undefined || name === kind)
    for (const candidate of wanted) {
      const file = join(path, `${candidate}.ndjson`)
      const fileStatus = await stat(file).catch(() => undefined)
      if (fileStatus?.isFile()) found.push(openFile(file, candidate, fileStatus.size))
    }
    if (found.length === before) {
      const names = wanted.map((name) => `${name}.ndjson`)
      throw new ImportError(`${path}: has ${names.length === 1 ? 'no' : 'none of'} ${names.join(', ')}`)
    }
  }
  return found
}

function openFile(path: string, kind: RecordKind, size: number): Source {
  return { kind, name: path, size, open: () => createReadStream(path, { highWaterMark: 2 ** 18 }) }
}

function kindOf(path: string): RecordKind {
  const kind = recordKinds.find((name) => basename(path) === `${name}.ndjson`)
  if (kind === undefined) {
    throw new ImportError(`${path}: say what its lines are with --kind ${recordKinds.join('|')}`)
  }
  return kind
}

/**
 * Loads lines: what is new is added, what is there is updated in place. All or nothing: readers see the load when
 * it is complete. Throws `ImportError` with file, line, field and rule; then nothing was changed.
 */
export async function importNdjson(sql: Sql, options: NdjsonOptions): Promise<ImportResult> {
  const staging = await beginStaging(sql)
  options.onBegin?.(staging.id)
  try {
    const progress = await stageSources(staging, options)
    await staging.flush()
    await settleOrphans(sql, staging, options)
    return await applyImport(sql, staging.id, (step) => options.onProgress?.({ ...progress, step }))
  } catch (error) {
    await staging.discard().catch(() => {}) // the first error is the one that matters; the next load drops what stays
    throw error
  } finally {
    await staging.end()
  }
}

async function stageSources(
  staging: Staging,
  { sources, onInvalid, onProgress }: NdjsonOptions,
): Promise<ImportProgress> {
  const sizes = sources.map(({ size }) => size)
  const bytesTotal = sizes.every((size) => size !== undefined)
    ? sizes.reduce((sum, size) => sum + size, 0)
    : undefined
  const progress: ImportProgress = { step: 'reading', lines: 0, bytesRead: 0, bytesTotal }
  for (const [index, source] of sources.entries()) {
    const bytesBefore = progress.bytesRead
    const before = index * maxLines(sources)
    for await (const { text, problem, number, bytesRead } of readLines(source.open())) {
      try {
        if (problem !== undefined) throw new RecordError(problem)
        await staging.add(source.kind, before + number, readRecord(source.kind, text))
      } catch (error) {
        if (!(error instanceof RecordError)) throw error
        await refuse({ file: source.name, line: number, reason: error.message, content: text }, onInvalid)
      }
      progress.lines++
      progress.bytesRead = bytesBefore + bytesRead
      onProgress?.({ ...progress, step: `reading ${source.kind}` })
    }
  }
  return progress
}

/**
 * A line's position in the load is its number behind the most that all files before could have, so that the last of
 * several for one thing wins. More lines than this are in no file; JavaScript counts to 2⁵³.
 */
function maxLines(sources: readonly Source[]): number {
  return Math.floor(Number.MAX_SAFE_INTEGER / sources.length)
}

/** A commit needs its repository: loaded before, or in the same load. */
async function settleOrphans(
  sql: Sql,
  staging: Staging,
  { sources, onInvalid }: NdjsonOptions,
): Promise<void> {
  if ((await setOrphansAside(sql, staging.id)) === 0) return
  for await (const { position, document } of listOrphans(sql, staging.id)) {
    const file = sources[Math.floor(position / maxLines(sources))]?.name ?? 'commits'
    const reason = 'repo_url: no repository has this url; load the repository first, or with its commits'
    await refuse({ file, line: position % maxLines(sources), reason, content: document }, onInvalid)
  }
}

async function refuse(line: InvalidLine, onInvalid: NdjsonOptions['onInvalid']): Promise<void> {
  if (onInvalid === undefined)
    throw new ImportError(`${line.file}:${line.line}: ${line.reason}; nothing was changed`)
  await onInvalid(line)
}

/**
 * Creates a file that takes invalid lines, as JSON objects of their own. A file that is there is never written to; a
 * device, such as `/dev/null`, is. Throws `ImportError` when the file can't be made.
 */
export async function createInvalidLinesFile(path: string) {
  const isDevice = (await stat(path).catch(() => undefined))?.isFile() === false
  const file = await open(path, isDevice ? 'a' : 'wx').catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EEXIST' ? 'already exists; name a new file' : `can't be written: ${error.message}`
    throw new ImportError(`--skip-invalid ${path}: ${reason}`)
  })
  let count = 0
  return {
    get count() {
      return count
    },
    async add(line: InvalidLine): Promise<void> {
      await file.write(`${JSON.stringify(line)}\n`)
      count++
    },
    /** Leaves no empty file behind. */
    async close(): Promise<void> {
      await file.close()
      if (count === 0 && !isDevice) await rm(path, { force: true })
    },
  }
}
