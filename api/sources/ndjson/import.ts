/**
 * Loads files of newline-delimited JSON. Each line is an object as the API returns it, has a user's
 * further addresses, or names something to remove.
 */

import { createReadStream } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Sql } from '../../database/connect.ts'
import type { DatasetChangeResult, DatasetSettings } from '../../dataset/dataset-change.ts'
import { approveRemovals, type ItemCounts } from '../../dataset/mirror.ts'
import type { Orphan } from '../../dataset/staged-load.ts'
import { describeFileError, readCode, refuseWriting } from '../../errors.ts'
import { type FilteredStaging, withoutForgottenPeople } from '../../people/filtered-load.ts'
import { readForgottenPeople } from '../../people/forgotten-people.ts'
import { ImportError } from '../../staging/import-error.ts'
import { parseItem, RecordError, type RecordKind, recordKinds } from '../../staging/records.ts'
import { withStaging } from '../../staging/staging.ts'
import { dataFileName, describeVariants, listUnread } from './data-files.ts'
import { assertSize, type ExportedFile, readManifest, verifyContent } from './export-manifest.ts'
import { gzipProblem, readLines } from './line-reader.ts'

/** A file whose lines are of one kind. */
export interface Source {
  kind: RecordKind
  /** The name in messages. */
  name: string
  /** In bytes; undefined for a stream of unknown length. */
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

/** What to load, and callbacks. */
export interface NdjsonOptions {
  sources: readonly Source[]
  /** Takes invalid lines, and the others are loaded. Without it, the first invalid line stops the load. */
  onInvalid?: (line: InvalidLine) => Promise<void>
  /**
   * Makes the dataset hold exactly what the files hold, for the kinds that have a file. Called with what will be
   * removed, and with what is stored. If it throws, nothing is changed. With `onInvalid`, invalid lines would remove
   * their items.
   */
  onMirror?: (missing: ItemCounts, stored: ItemCounts) => Promise<void>
  /** Days for which removals are kept. Default: 90. */
  settings?: DatasetSettings | undefined
  /** Called with the load's id before the first row is staged. */
  onBegin?: (importId: number) => void
  /** Called after lines were read, and when a step begins. */
  onProgress?: (progress: ImportProgress) => void
}

/** The progress of a load. */
export interface ImportProgress {
  /** What the load is doing. */
  step: string
  /** Lines read. */
  lines: number
  bytesRead: number
  /** Of all sources; undefined if the size of one is unknown. */
  bytesTotal: number | undefined
}

/** What a load changed. */
export interface NdjsonImportResult extends DatasetChangeResult {
  /** Lines that were left out, because they are of forgotten people. */
  forgotten: number
  /** Lines with other content than a later one for the same thing, which counts. `first` is the first of one kind. */
  contradicted: { lines: number; first: Pick<InvalidLine, 'file' | 'line'> | undefined }
}

/**
 * Loads lines: removes what removals name, adds what is new, updates what exists, and removes what is missing if it
 * mirrors. Readers see the complete load, or none of it.
 * Throws `ImportError` with file, line, field and rule; then nothing was changed.
 */
export function importNdjson(sql: Sql, options: NdjsonOptions): Promise<NdjsonImportResult> {
  const startedAt = new Date()
  return withStaging(sql, options, async (staging) => {
    const filtered = withoutForgottenPeople(await readForgottenPeople(sql), staging)
    const progress = await stageSources(filtered, options)
    const { contradicted } = await filtered.flush()
    const { onMirror, settings } = options
    const kinds = new Set(options.sources.map(({ kind }) => kind))
    const mirrored = new Set(onMirror && kinds)
    const assertValid = onMirror && (await approveRemovals(sql, staging.id, mirrored, onMirror))
    const result = await filtered.apply(sql, {
      origin: {
        command: 'import ndjson',
        source: recordKinds.filter((kind) => kinds.has(kind)).join(', '),
        startedAt,
        isPartial: false,
        coversAll: mirroredForAll.every((kind) => mirrored.has(kind)),
      },
      mirrored,
      assertValid,
      settings,
      onStep: (step) => options.onProgress?.({ ...progress, step }),
      onOrphan: (orphan) => rejectOrphan(orphan, options),
    })
    const { count, firstPosition } = contradicted
    return {
      ...result,
      forgotten: filtered.leftOut,
      contradicted: {
        lines: count,
        first: firstPosition === null ? undefined : findLine(options.sources, firstPosition),
      },
    }
  })
}

/** A load that mirrors these looks at everything that the dataset has. */
const mirroredForAll: readonly RecordKind[] = ['users', 'repos', 'commits']

/** Reads, validates and stages every line. Returns the progress at its end. */
async function stageSources(
  staging: FilteredStaging,
  { sources, onInvalid, onProgress }: NdjsonOptions,
): Promise<ImportProgress> {
  const sizes = sources.map(({ size }) => size)
  const bytesTotal = sizes.every((size) => size !== undefined)
    ? sizes.reduce((sum, size) => sum + size, 0)
    : undefined
  const progress: ImportProgress = { step: 'reading', lines: 0, bytesRead: 0, bytesTotal }
  for (const [index, source] of sources.entries()) {
    const bytesBefore = progress.bytesRead
    const positionBefore = index * maxLines(sources)
    for await (const { lines, bytesRead } of readLines(source.open())) {
      for (const { text, problem, number } of lines) {
        if (problem === gzipProblem) {
          throw new ImportError(
            `${source.name}: ${problem}. Decompress it first, for example with gzip -dc; nothing was changed`,
          )
        }
        try {
          if (problem !== undefined) throw new RecordError(problem)
          await staging.add(positionBefore + number, parseItem(source.kind, text))
        } catch (error) {
          if (!(error instanceof RecordError)) throw error
          await reject({ file: source.name, line: number, reason: error.message, content: text }, onInvalid)
        }
        progress.lines++
      }
      progress.bytesRead = bytesBefore + bytesRead
      onProgress?.({ ...progress, step: `reading ${source.kind}` })
    }
  }
  return progress
}

/**
 * A line's position in the load is its number plus this for each file before it, so that the last of several lines for
 * one thing counts. No file has more lines; positions stay safe integers.
 */
function maxLines(sources: readonly Source[]): number {
  return Math.floor(Number.MAX_SAFE_INTEGER / sources.length)
}

/** The line at a position of the load. */
function findLine(sources: readonly Source[], position: number): Pick<InvalidLine, 'file' | 'line'> {
  const source = sources[Math.floor(position / maxLines(sources))]
  if (source === undefined) throw new Error(`no file has the position ${position}`)
  return { file: source.name, line: position % maxLines(sources) }
}

const orphanReasons: Record<Orphan['kind'], string> = {
  identities: 'forge_rest_id: no user has this id; load the user first, or together with the addresses',
  commits: 'repo_url: no repository has this URL; load the repository first, or together with its commits',
}

/** Rejects a line whose user or repository is neither in the dataset nor in the load. */
function rejectOrphan(
  { kind, position, document }: Orphan,
  { sources, onInvalid }: NdjsonOptions,
): Promise<void> {
  return reject({ ...findLine(sources, position), reason: orphanReasons[kind], content: document }, onInvalid)
}

async function reject(line: InvalidLine, onInvalid: NdjsonOptions['onInvalid']): Promise<void> {
  if (onInvalid === undefined) {
    throw new ImportError(`${line.file}:${line.line}: ${line.reason}; nothing was changed`)
  }
  await onInvalid(line)
}

/**
 * Finds the files to load: in folders `users.ndjson`, `identities.ndjson`, `repos.ndjson`, `commits.ndjson` and
 * `removals.ndjson` (any of them, or the one of `kind`), and files of these names, or of any name with `kind`. Without
 * `kind`, calls `onUnread` with other files of a folder that look like data.
 *
 * Throws `ImportError` when a path is none of these, or when a folder has a name that seems to mean a file that it lacks.
 * It also throws if a file of an export isn't as long as its manifest says. If only the content differs, the source
 * throws at its end.
 */
export async function findSources(
  paths: readonly string[],
  kind?: RecordKind,
  onUnread: (paths: readonly string[]) => void = () => {},
): Promise<Source[]> {
  const found: Source[] = []
  for (const path of paths) {
    const status = await stat(path).catch((error: Error) => {
      throw new ImportError(`Can't read ${path}: ${describeFileError(error)}`)
    })
    if (!status.isDirectory()) {
      found.push(openFile(path, kind ?? kindOf(path), status.size))
      continue
    }
    const names = await listNames(path)
    const sources = await findInFolder(path, names, kind === undefined ? recordKinds : [kind])
    found.push(...sources)
    if (kind !== undefined) continue
    const loaded = sources.map(({ name }) => basename(name))
    const unread = listUnread(names, loaded).map((name) => join(path, name))
    if (unread.length > 0) onUnread(unread)
  }
  return found
}

/** Lists the names in a folder that files have, or should have. Some folders can be entered, but not listed. */
async function listNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const dataFiles = recordKinds.map(dataFileName)
  return entries
    .filter((entry) => !entry.isDirectory() || dataFiles.includes(entry.name))
    .map(({ name }) => name)
}

/** Finds the files of kinds in a folder with files of these names. */
async function findInFolder(
  folder: string,
  names: readonly string[],
  kinds: readonly RecordKind[],
): Promise<Source[]> {
  const found: Source[] = []
  const missing: RecordKind[] = []
  const manifest = await readManifest(folder)
  for (const kind of kinds) {
    const path = join(folder, dataFileName(kind))
    const status = await stat(path).catch(() => undefined)
    const exported = manifest?.files[dataFileName(kind)]
    if (status?.isFile()) found.push(openFile(path, kind, status.size, exported))
    else missing.push(kind)
  }
  const variants = describeVariants(folder, names, missing)
  if (variants.length > 0) throw new ImportError(variants.join('. '))
  for (const kind of kinds) {
    const exported = manifest?.files[dataFileName(kind)]
    const size = found.find((source) => source.kind === kind)?.size
    if (exported !== undefined) assertSize(join(folder, dataFileName(kind)), size, exported)
  }
  if (found.length > 0) return found
  const wanted = kinds
    .map(dataFileName)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')
  throw new ImportError(`The folder ${folder} contains no ${wanted}`)
}

/**
 * Throws `ImportError` if files of changes come from several exports. Removals are applied first, so an item that one
 * export has, and the next one removes, would come back.
 */
export function assertOneExport(sources: readonly Source[]): void {
  const removals = sources.find(({ kind }) => kind === 'removals')
  if (removals === undefined || sources.every(({ kind }) => kind === 'removals')) return
  const folderOf = ({ name }: Source) => dirname(resolve(name))
  const other = sources.find((source) => folderOf(source) !== folderOf(removals))
  if (other === undefined) return
  throw new ImportError(
    `${removals.name} and ${other.name} are in different folders. ` +
      'Removals are applied before all other lines, so import one export after another',
  )
}

/** A file to load. With `exported`, it must have the content that it was exported with. */
function openFile(path: string, kind: RecordKind, size: number, exported?: ExportedFile): Source {
  return {
    kind,
    name: path,
    size,
    open() {
      const stream = createReadStream(path, { highWaterMark: 2 ** 16 })
      return exported === undefined ? stream : verifyContent(path, stream, exported)
    },
  }
}

function kindOf(path: string): RecordKind {
  const kind = recordKinds.find((name) => basename(path) === dataFileName(name))
  if (kind === undefined) {
    throw new ImportError(
      `${path}: the file name doesn't show which kind of lines the file contains; add --kind ${recordKinds.join('|')}`,
    )
  }
  return kind
}

/**
 * Creates a file for invalid lines, which it takes as JSON objects, and which only its owner can read. Never writes to
 * an existing file, because its lines may not have been repaired yet, but to a device such as `/dev/null`. Throws
 * `OperatorError` when the file can't be created or written.
 */
export async function createInvalidLinesFile(path: string) {
  const isDevice = (await stat(path).catch(() => undefined))?.isFile() === false
  const name = `--skip-invalid ${path}: the file`
  const refuse = refuseWriting(name)
  const file = await open(path, isDevice ? 'a' : 'wx', 0o600).catch((error) => {
    if (readCode(error) === 'EEXIST') throw new ImportError(`${name} already exists; choose a new file`)
    return refuse(error)
  })
  let count = 0
  return {
    get count() {
      return count
    },
    async add(line: InvalidLine): Promise<void> {
      await file.writeFile(`${JSON.stringify(line)}\n`).catch(refuse)
      count++
    },
    /** Removes the file if it is empty. */
    async close(): Promise<void> {
      await file.close()
      if (count === 0 && !isDevice) await rm(path, { force: true })
    },
  }
}
