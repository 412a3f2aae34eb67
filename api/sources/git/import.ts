/**
 * Loads clones: their commits, the dependencies that their manifests have declared over time, and users from the
 * no-reply addresses of their authors.
 */
import { resolve } from 'node:path'
import type { Sql } from '../../database/connect.ts'
import type { DatasetChangeResult, DatasetSettings } from '../../dataset/dataset-change.ts'
import {
  findKnownHistory,
  type HistoryEnd,
  type HistoryReading,
  type KnownHistory,
  type LoadedHistory,
  noteLoadedHistories,
  readKnownDependencies,
} from '../../dataset/loaded-histories.ts'
import { tooMuch } from '../../manifests/bounded-parser.ts'
import { keyRepositoryUrl } from '../../names/repository-url.ts'
import { type FilteredStaging, withoutForgottenPeople } from '../../people/filtered-load.ts'
import { type ForgottenPeople, readForgottenPeople, redactUrl } from '../../people/forgotten-people.ts'
import { ImportError } from '../../staging/import-error.ts'
import type { RepositoryRecord } from '../../staging/records.ts'
import { withStaging } from '../../staging/staging.ts'
import { type Clone, openClone } from './clone.ts'
import { type Authors, addAuthors, countUnknown, createUsers } from './commit-authors.ts'
import { countCommits } from './commit-log.ts'
import { GitError } from './git-process.ts'
import {
  addHistoryCounts,
  type DependencyHistory,
  type HistoryCounts,
  type ManifestWarning,
  readDependencyHistory,
} from './history.ts'
import { isOnMainline } from './mainline.ts'
import { readOriginUrl } from './origin.ts'
import { type DescribedRepository, describeRepository } from './repository-record.ts'
import { stageHistory } from './staged-history.ts'

/** A clone to load. */
export interface GitSource {
  /** A clone, bare or not. */
  path: string
  /** The repository's URL on the forge, `https://…/owner/name`. Default: that of the clone's origin. */
  url?: string | undefined
  /** Its id in the forge's REST API. Default: the one in the dataset, or one made from the URL. */
  restId?: number | undefined
  /** The branch to load. Default: the default branch. */
  branch?: string | undefined
}

/** What to load, and callbacks. */
export interface GitImportOptions {
  clones: readonly GitSource[]
  /** Whether to make users of the authors whom no-reply addresses name. */
  authors?: boolean | undefined
  /** Whether to read manifests in folders of tests and fixtures too. */
  allManifests?: boolean | undefined
  /** Days for which removals are kept. Default: 90. */
  settings?: DatasetSettings | undefined
  /** Whether a clone that can't be read stops the import. Otherwise it is left out, and the others are loaded. */
  allOrNothing?: boolean | undefined
  /** Whether the repositories keep commits that the branch can't reach. */
  keepUnreachable?: boolean | undefined
  /** Whether to read all of the histories. Otherwise what the dataset has of them isn't read again. */
  readAll?: boolean | undefined
  /** Called with the load's id before the first row is staged. */
  onBegin?: (importId: number) => void
  onProgress?: (progress: { step: string; done: number; total: number | undefined }) => void
  /** Called once for each kind of problem with a clone's manifests, however many versions have it. */
  onWarning?: (message: string) => void
}

/** A clone of which the dataset has everything. */
export interface UnchangedClone {
  /** Absolute. */
  path: string
  url: string
  /** The branch that was loaded; null for a detached HEAD. */
  branch: string | null
}

/** A clone that was loaded. */
export interface LoadedClone extends UnchangedClone {
  commitsRead: number
  /** Whether the repository was left out, because its owner is forgotten. Its commits aren't read then. */
  isLeftOut: boolean
}

/** A clone that was left out. */
export interface SkippedClone {
  /** Absolute. */
  path: string
  /** Names the clone, and says what to do. */
  reason: string
}

/** What the clones contain, and what the load changed. */
export interface GitImportResult extends DatasetChangeResult {
  clones: LoadedClone[]
  /** Clones that were not read, because the dataset has what they have. */
  unchanged: UnchangedClone[]
  /** Clones that can't be read. If there are any, the import has failed, although the rest is loaded. */
  failed: SkippedClone[]
  /** Clones that have no commits yet. */
  skipped: SkippedClone[]
  dependencies: { active: number; removed: number }
  /** Addresses of authors, and those of nobody in the dataset, if users were to be made. */
  authors?: { found: number; unknown: number }
  manifests: HistoryCounts
  /** The number of versions of manifests that were skipped, or read in part. */
  manifestWarnings: number
}

/**
 * Loads clones: afterwards their repositories have the commits that the branch can reach, and the dependencies of its
 * history. Readers see the complete load, or none of it. A clone that can't be read is left out. Throws `ImportError`
 * or `GitError` if there is nothing to load, and with `allOrNothing` if there is a problem with a clone; then nothing
 * was changed.
 */
export async function importGit(sql: Sql, options: GitImportOptions): Promise<GitImportResult> {
  const startedAt = new Date()
  const forgotten = await readForgottenPeople(sql)
  const problems = createProblems(options)
  const opened = await openAll(sql, options, forgotten, problems)
  return withStaging(sql, options, async (staging) => {
    const filtered = withoutForgottenPeople(forgotten, staging)
    const authors: Authors = { identities: new Set(), accounts: new Map() }
    const loaded: StagedClone[] = []
    const unchanged: UnchangedClone[] = []
    let position = 0
    const nextPosition = () => position++
    for (const [index, one] of opened.entries()) {
      const { clone, repository, isUnchanged } = one
      const which = opened.length > 1 ? ` of ${repository.full_name} (${index + 1} of ${opened.length})` : ''
      const report: Report = (step, done, total) =>
        options.onProgress?.({ step: `${step}${which}`, done, total })
      async function readAuthors(): Promise<void> {
        if (!options.authors) return
        report('reading authors', 0, undefined)
        await addAuthors(authors, clone, { hostname: new URL(repository.url).hostname, forgotten })
      }
      const source = { path: clone.directory, url: repository.url, branch: clone.branch }
      if (isUnchanged) {
        const isRead = await readAuthors().then(
          () => true,
          (error: unknown) => problems.add(source.path, error),
        )
        if (isRead) unchanged.push(source)
        continue
      }
      const read = await readClone(sql, one, options, report).catch((error: unknown) =>
        problems.add(source.path, error),
      )
      if (read === undefined) continue
      const staged = await stageClone(filtered, clone, repository, read, { report, nextPosition })
      for (const message of summarizeWarnings(read.history.warnings))
        options.onWarning?.(which === '' ? message : `${repository.full_name}: ${message}`)
      if (!staged.isLeftOut) await readAuthors()
      loaded.push({ ...source, ...staged, head: clone.head, continued: read.continued })
    }
    for (const user of await createUsers(sql, authors))
      await filtered.add(nextPosition(), { kind: 'users', record: user })
    await filtered.flush()
    const found = loaded.length + unchanged.length
    const result = await filtered.apply(sql, {
      origin: {
        command: 'import git',
        source: `${found} ${found === 1 ? 'clone' : 'clones'}`,
        startedAt,
        isPartial: problems.failed.length > 0,
        coversAll: false,
      },
      settings: options.settings,
      keepsKnownRecords: true,
      // A continued history has all commits that it had before.
      completeUrls: options.keepUnreachable
        ? []
        : loaded.filter(({ continued }) => continued === undefined).map(({ url }) => url),
      onApplied: (tx) =>
        noteLoadedHistories(
          tx,
          loaded.filter(({ isLeftOut }) => !isLeftOut),
          describeReading(options),
        ),
      onStep: (step) => options.onProgress?.({ step, done: 0, total: undefined }),
    })
    const unknown = options.authors ? await countUnknown(sql, authors) : 0
    return {
      ...result,
      ...summarizeClones(loaded),
      unchanged,
      failed: problems.failed,
      skipped: problems.skipped,
      ...(options.authors && { authors: { found: authors.identities.size, unknown } }),
    }
  })
}

/** What of the options decides what is read of a history. */
function describeReading({
  allManifests = false,
  keepUnreachable = false,
}: GitImportOptions): HistoryReading {
  return { allManifests, isComplete: !keepUnreachable }
}

/** A clone that was staged, and what its history has. */
interface StagedClone extends LoadedClone, LoadedHistory {
  dependencies: GitImportResult['dependencies']
  manifests: HistoryCounts
  warnings: number
}

/** Stages what was read of a clone, and its commits. */
async function stageClone(
  filtered: FilteredStaging,
  clone: Clone,
  repository: RepositoryRecord,
  { history, commits }: Pick<ReadClone, 'history' | 'commits'>,
  { report, nextPosition }: { report: Report; nextPosition: () => number },
): Promise<Omit<StagedClone, 'path' | 'url' | keyof HistoryEnd | 'continued'>> {
  const staged = await stageHistory(filtered, clone, repository, history, {
    nextPosition,
    onProgress: (done) => report('reading commits', done, commits),
  })
  const dependencies = { active: 0, removed: 0 }
  for (const { status } of staged.isLeftOut ? [] : history.dependencies) dependencies[status ?? 'removed']++
  const { manifests, warnings } = history
  return {
    ...{ ...staged, dependencies, manifests, warnings: warnings.length },
    isRepeatable: !warnings.some(({ reason }) => reason === tooMuch.reason),
  }
}

function summarizeClones(
  loaded: readonly StagedClone[],
): Pick<GitImportResult, 'clones' | 'dependencies' | 'manifests' | 'manifestWarnings'> {
  const sum = (count: (clone: StagedClone) => number) => loaded.reduce((all, clone) => all + count(clone), 0)
  return {
    clones: loaded.map(({ path, url, branch, commitsRead, isLeftOut }) => ({
      ...{ path, url, branch, commitsRead, isLeftOut },
    })),
    dependencies: {
      active: sum(({ dependencies }) => dependencies.active),
      removed: sum(({ dependencies }) => dependencies.removed),
    },
    manifests: addHistoryCounts(...loaded.map(({ manifests }) => manifests)),
    manifestWarnings: sum(({ warnings }) => warnings),
  }
}

/** What is wrong with clones. */
interface Problems extends Pick<GitImportResult, 'failed' | 'skipped'> {
  /** Leaves a clone out. Throws the error if it has another cause, and if the clone mustn't or can't be left out. */
  add(path: string, error: unknown): undefined
}

function createProblems({ clones, allOrNothing }: GitImportOptions): Problems {
  const failed: SkippedClone[] = []
  const skipped: SkippedClone[] = []
  return {
    failed,
    skipped,
    add(path, error) {
      const isOfClone = error instanceof GitError || error instanceof ImportError
      if (!isOfClone || allOrNothing || clones.length === 1) throw error
      const list = error instanceof GitError && error.isEmpty ? skipped : failed
      list.push({ path: resolve(path), reason: error.message })
      const [first, ...others] = [...failed, ...skipped]
      if (others.length + 1 === clones.length) {
        throw new ImportError(`None of the ${clones.length} clones can be loaded: ${first?.reason}`)
      }
    },
  }
}

interface OpenedClone extends DescribedRepository {
  clone: Clone
}

/** Opens all clones, so that a problem with one of them is found before the others are read. */
async function openAll(
  sql: Sql,
  options: GitImportOptions,
  forgotten: ForgottenPeople,
  problems: Problems,
): Promise<OpenedClone[]> {
  const { clones, onProgress } = options
  const opened: OpenedClone[] = []
  for (const [index, source] of clones.entries()) {
    onProgress?.({ step: 'opening clones', done: index, total: clones.length })
    const one = await open(sql, source, options, forgotten).catch((error: unknown) =>
      problems.add(source.path, error),
    )
    if (one !== undefined) opened.push(one)
  }
  // Which clone of a repository is the right one, only the operator knows.
  const unique: OpenedClone[] = []
  for (const clones of Map.groupBy(opened, ({ repository }) => keyRepositoryUrl(repository.url)).values()) {
    if (clones.length === 1) unique.push(...clones)
    else for (const each of clones) problems.add(each.clone.directory, createTwinError(each, clones))
  }
  return unique
}

async function open(
  sql: Sql,
  { path, url, restId, branch }: GitSource,
  options: GitImportOptions,
  forgotten: ForgottenPeople,
): Promise<OpenedClone> {
  const clone = await openClone(path, branch)
  const { directory } = clone
  const urlSource = url === undefined ? `${directory} has the origin` : '--url'
  const described = await describeRepository(
    sql,
    {
      ...{ url: url ?? (await readOriginUrl(directory)), urlSource, restId },
      findKnownHistory: async (url) =>
        options.readAll ? undefined : await findKnownHistory(sql, { url }, describeReading(options)),
    },
    clone,
    (url) => redactUrl(forgotten, url) ?? url,
  )
  return { clone, ...described }
}

function createTwinError(twin: OpenedClone, clones: readonly OpenedClone[]): ImportError {
  const others = clones.filter((each) => each !== twin).map(({ clone }) => clone.directory)
  return new ImportError(
    `${twin.clone.directory} is a clone of ${twin.repository.url}, like ${others.join(', ')}; load only one of them`,
  )
}

type Report = (step: string, done: number, total: number | undefined) => void

/** What was read of a clone before the first of it is staged. */
interface ReadClone {
  history: DependencyHistory
  /** The number of commits that are left to read. */
  commits: number
  /** The history that it continues; undefined: it was read from the beginning. */
  continued: KnownHistory | undefined
}

/** Reads what doesn't have to be staged yet. So nothing of a damaged clone is staged. */
async function readClone(
  sql: Sql,
  { clone, repository: { url }, known }: OpenedClone,
  { allManifests }: GitImportOptions,
  report: Report,
): Promise<ReadClone> {
  report('reading manifests', 0, undefined)
  const dependencies =
    known?.canContinue && (await isOnMainline(clone, known.head))
      ? await readKnownDependencies(sql, known)
      : undefined
  const history = await readDependencyHistory(clone, {
    url,
    allManifests,
    onProgress: (done, total) => report('reading manifests', done, total),
    known: known && dependencies && { head: known.head, dependencies },
  })
  const continued = history.since === undefined ? undefined : known
  return { history, commits: await countCommits(clone, history.since), continued }
}

/** Makes one message for each kind of problem with a kind of manifest: its first version, and the number of others. */
function summarizeWarnings(warnings: readonly ManifestWarning[]): string[] {
  const kinds = Map.groupBy(warnings, ({ path, reason }) => {
    const fileName = path.slice(path.lastIndexOf('/') + 1)
    const [problem = ''] = reason.split(':', 1)
    return `${fileName} ${problem.replace(/\d+/g, 'n')}`
  })
  return [...kinds.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const versions = others.length === 1 ? 'version' : 'versions'
    const more = others.length === 0 ? '' : `, and ${others.length} more ${versions} with this problem`
    return `${first.isRead ? 'Incomplete:' : 'Skipped'} ${first.path} at commit ${first.commit.slice(0, 12)}${more}: ${first.reason}`
  })
}
