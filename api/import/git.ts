/**
 * Loads a clone: its commits, and the dependencies that its manifests have declared over time.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { applyImport, type ImportResult } from './apply.ts'
import { type Clone, countCommits, openClone, readDates } from './git/clone.ts'
import { readCommits } from './git/commits.ts'
import type { GitDependency } from './git/declarations.ts'
import { type ManifestWarning, readDependencyHistory } from './git/history.ts'
import { describeRecord } from './git/repository-record.ts'
import { normalizeUrl } from './git/repository-url.ts'
import { ImportError } from './import-error.ts'
import { RecordError, type RepositoryRecord, readRecord, type StagedRow, stageCommit } from './records.ts'
import { type Staging, withStaging } from './staging.ts'

/** What to load, and callbacks. */
export interface GitImportOptions {
  /** A clone, bare or not. */
  path: string
  /** The repository's URL on the forge, `https://…/owner/name`. */
  url: string
  /** Its id in the forge's REST API. Default: the one in the dataset, or one made from the URL. */
  restId?: number | undefined
  /** The branch to load. Default: the default branch. */
  branch?: string | undefined
  /** Whether to read manifests in folders of tests and fixtures too. */
  allManifests?: boolean | undefined
  /** Called with the load's id before the first row is staged. */
  onBegin?: (importId: number) => void
  onProgress?: (progress: { step: string; done: number; total: number | undefined }) => void
  /** Called once for each kind of problem with manifests, however many versions have it. */
  onWarning?: (message: string) => void
}

/** What the clone contains, and what the load changed. */
export interface GitImportResult extends ImportResult {
  commitsRead: number
  /** The branch that was loaded; null for a detached HEAD. */
  branch: string | null
  dependencies: { active: number; removed: number }
  manifests: {
    /** Versions that could not be parsed, and were skipped. */
    unreadable: number
    /** Manifests with dependencies that only running them would show. */
    computed: number
    /** Manifests in folders of tests and fixtures. */
    leftOut: number
  }
}

/**
 * Loads a clone: adds commits, and replaces the repository's dependencies. Readers see the complete load or nothing of it.
 * Throws `ImportError` or `GitError`; then nothing was changed.
 */
export async function importGit(sql: Sql, options: GitImportOptions): Promise<GitImportResult> {
  const url = normalizeUrl(options.url)
  const clone = await openClone(options.path, options.branch)
  const { branch } = clone
  const repository = await describeRecord(sql, url, options.restId, { branch, dates: await readDates(clone) })
  const { dependencies, manifests } = await readDependencies(clone, options)

  return withStaging(sql, options.onBegin, async (staging) => {
    const uses = dependencies.map((dependency) => toRecord(repository.url, dependency))
    await staging.add('repos', 0, validateRepository({ ...repository, dependencies: uses }))
    const commitsRead = await stageCommits(staging, repository.url, clone, options)
    await staging.flush()
    const result = await applyImport(sql, staging.id, {
      onStep: (step) => options.onProgress?.({ step, done: 0, total: undefined }),
    })
    const active = dependencies.filter(({ status }) => status === 'active').length
    return {
      ...result,
      commitsRead,
      branch,
      dependencies: { active, removed: dependencies.length - active },
      manifests,
    }
  })
}

async function readDependencies(
  clone: Clone,
  { allManifests = false, onProgress, onWarning }: GitImportOptions,
) {
  const step = 'reading manifests'
  onProgress?.({ step, done: 0, total: undefined })
  const warnings: ManifestWarning[] = []
  const { dependencies, leftOut, computed } = await readDependencyHistory(clone, {
    allManifests,
    onProgress: ({ parsed, total }) => onProgress?.({ step, done: parsed, total }),
    onWarning: (warning) => warnings.push(warning),
  })
  for (const message of summarizeWarnings(warnings)) onWarning?.(message)
  return { dependencies, manifests: { unreadable: warnings.length, computed, leftOut } }
}

/** Makes one message for each kind of problem with a kind of manifest: its first version, and the number of others. */
function summarizeWarnings(warnings: readonly ManifestWarning[]): string[] {
  const kinds = new Map<string, { first: ManifestWarning; count: number }>()
  for (const warning of warnings) {
    const fileName = warning.path.slice(warning.path.lastIndexOf('/') + 1)
    const problem = warning.reason.split(':', 1)[0]?.replace(/\d+/g, 'n')
    const known = kinds.get(`${fileName} ${problem}`)
    if (known === undefined) kinds.set(`${fileName} ${problem}`, { first: warning, count: 1 })
    else known.count++
  }
  return [...kinds.values()].map(({ first: { commit, path, reason }, count }) => {
    const others = count - 1
    const more =
      others === 0 ? '' : `, and ${others} more ${others === 1 ? 'version' : 'versions'} with this problem`
    return `Skipped ${path} at commit ${commit.slice(0, 12)}${more}: ${reason}`
  })
}

/** A URL can contain names that the API could not look up. */
function validateRepository(repository: RepositoryRecord): StagedRow {
  try {
    return readRecord('repos', JSON.stringify(repository))
  } catch (error) {
    if (error instanceof RecordError) throw new ImportError(`--url ${repository.url}: ${error.message}`)
    throw error
  }
}

function toRecord(url: string, { dependency_name, dependency_file, ...use }: GitDependency) {
  return { url, ...use, dependency: { dependency_name, dependency_file } }
}

/** Stages the commits of a clone. Returns their number. */
async function stageCommits(
  staging: Staging,
  url: string,
  clone: Clone,
  { onProgress }: GitImportOptions,
): Promise<number> {
  const total = await countCommits(clone)
  let done = 0
  for await (const commit of readCommits(clone)) {
    done++
    await staging.add('commits', done, stageCommit({ ...commit, repo_url: url }))
    onProgress?.({ step: 'reading commits', done, total })
  }
  return done
}
