/**
 * Loads clones: their commits, the dependencies that their manifests have declared over time, and users from the
 * no-reply addresses of their authors.
 *
 * @module
 */
import { resolve } from 'node:path'
import type { Sql } from '../../database/connect.ts'
import type { ImportResult } from '../../dataset/apply-load.ts'
import type { DatasetSettings } from '../../dataset/dataset-change.ts'
import { keyRepositoryUrl } from '../../names/repository-url.ts'
import { withoutForgottenPeople } from '../../people/filtered-load.ts'
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
import { readOriginUrl } from './origin.ts'
import { describeRepository } from './repository-record.ts'
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
  /** Called with the load's id before the first row is staged. */
  onBegin?: (importId: number) => void
  onProgress?: (progress: { step: string; done: number; total: number | undefined }) => void
  /** Called once for each kind of problem with a clone's manifests, however many versions have it. */
  onWarning?: (message: string) => void
}

/** A clone that was loaded. */
export interface LoadedClone {
  /** Absolute. */
  path: string
  url: string
  /** The branch that was loaded; null for a detached HEAD. */
  branch: string | null
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
export interface GitImportResult extends ImportResult {
  clones: LoadedClone[]
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
    const loaded: LoadedClone[] = []
    const dependencies = { active: 0, removed: 0 }
    let manifests = addHistoryCounts()
    let manifestWarnings = 0
    let position = 0
    for (const [index, { clone, repository }] of opened.entries()) {
      const which = opened.length > 1 ? ` of ${repository.full_name} (${index + 1} of ${opened.length})` : ''
      const report: Report = (step, done, total) =>
        options.onProgress?.({ step: `${step}${which}`, done, total })
      const read = await readClone(clone, repository, options, report).catch((error: unknown) =>
        problems.add(clone.directory, error),
      )
      if (read === undefined) continue
      const { history, commits } = read
      const { commitsRead, isLeftOut } = await stageHistory(filtered, clone, repository, history, {
        nextPosition: () => position++,
        onProgress: (done) => report('reading commits', done, commits),
      })
      const { warnings } = history
      for (const message of summarizeWarnings(warnings)) {
        options.onWarning?.(which === '' ? message : `${repository.full_name}: ${message}`)
      }
      if (options.authors && !isLeftOut) {
        report('reading authors', 0, undefined)
        await addAuthors(authors, clone, { hostname: new URL(repository.url).hostname, forgotten })
      }
      const { directory: path, branch } = clone
      loaded.push({ path, url: repository.url, branch, commitsRead, isLeftOut })
      for (const { status } of isLeftOut ? [] : history.dependencies) dependencies[status ?? 'removed']++
      manifestWarnings += warnings.length
      manifests = addHistoryCounts(manifests, history.manifests)
    }
    for (const user of await createUsers(sql, authors)) {
      await filtered.add(position++, { kind: 'users', record: user })
    }
    await filtered.flush()
    const result = await filtered.apply(sql, {
      origin: {
        command: 'import git',
        source: `${loaded.length} ${loaded.length === 1 ? 'clone' : 'clones'}`,
        startedAt,
        isPartial: problems.failed.length > 0,
        coversAll: false,
      },
      settings: options.settings,
      keepsKnownRecords: true,
      completeUrls: options.keepUnreachable ? [] : loaded.map(({ url }) => url),
      onStep: (step) => options.onProgress?.({ step, done: 0, total: undefined }),
    })
    const unknown = options.authors ? await countUnknown(sql, authors) : 0
    return {
      ...result,
      clones: loaded,
      failed: problems.failed,
      skipped: problems.skipped,
      dependencies,
      manifests,
      manifestWarnings,
      ...(options.authors && { authors: { found: authors.identities.size, unknown } }),
    }
  })
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

interface OpenedClone {
  clone: Clone
  repository: RepositoryRecord
}

/** Opens all clones, so that a problem with one of them is found before the others are read. */
async function openAll(
  sql: Sql,
  { clones, onProgress }: GitImportOptions,
  forgotten: ForgottenPeople,
  problems: Problems,
): Promise<OpenedClone[]> {
  const opened: OpenedClone[] = []
  for (const [index, source] of clones.entries()) {
    onProgress?.({ step: 'opening clones', done: index, total: clones.length })
    const one = await open(sql, source, forgotten).catch((error: unknown) => problems.add(source.path, error))
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
  forgotten: ForgottenPeople,
): Promise<OpenedClone> {
  const clone = await openClone(path, branch)
  const { directory } = clone
  const urlSource = url === undefined ? `${directory} has the origin` : '--url'
  const repository = await describeRepository(
    sql,
    { url: url ?? (await readOriginUrl(directory)), urlSource, restId },
    clone,
    (url) => redactUrl(forgotten, url) ?? url,
  )
  return { clone, repository }
}

function createTwinError(twin: OpenedClone, clones: readonly OpenedClone[]): ImportError {
  const others = clones.filter((each) => each !== twin).map(({ clone }) => clone.directory)
  return new ImportError(
    `${twin.clone.directory} is a clone of ${twin.repository.url}, like ${others.join(', ')}; load only one of them`,
  )
}

type Report = (step: string, done: number, total: number | undefined) => void

/** Reads what doesn't have to be staged yet. So nothing of a damaged clone is staged. */
async function readClone(
  clone: Clone,
  { url }: RepositoryRecord,
  { allManifests }: GitImportOptions,
  report: Report,
): Promise<{ history: DependencyHistory; commits: number }> {
  report('reading manifests', 0, undefined)
  const history = await readDependencyHistory(clone, {
    url,
    allManifests,
    onProgress: (done, total) => report('reading manifests', done, total),
  })
  return { history, commits: await countCommits(clone) }
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
