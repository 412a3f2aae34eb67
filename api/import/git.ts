/**
 * Loads a clone: its commits, and the dependencies that its manifests have declared over time.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { applyImport, type ImportResult } from './apply.ts'
import { type FilteredStaging, filterForgotten, readForgottenPeople, redactUrl } from './forgotten.ts'
import { type Clone, openClone } from './git/clone.ts'
import { countCommits, readCommits } from './git/commits.ts'
import { type ManifestWarning, readDependencyHistory } from './git/history.ts'
import { describeRepository, type NewRepositoryRecord } from './git/repository.ts'
import { ImportError } from './import-error.ts'
import { RecordError, readRecord, type StagedRow, stageCommit } from './records.ts'
import { withStaging } from './staging.ts'

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
  /** Days for which removals are kept. Default: 90. */
  changesKeptDays?: number | undefined
  /** Whether the repository keeps commits that the branch can't reach. */
  keepUnreachable?: boolean | undefined
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
  /** Rows that were left out, because they are of forgotten people: the repository of one. Its commits aren't read then. */
  forgotten: number
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
 * Loads a clone: afterwards the repository has the commits that the branch can reach, and the dependencies of its history.
 * Readers see the complete load or nothing of it.
 * Throws `ImportError` or `GitError`; then nothing was changed.
 */
export async function importGit(sql: Sql, options: GitImportOptions): Promise<GitImportResult> {
  const { path, allManifests = false, onProgress, onWarning } = options
  const clone = await openClone(path, options.branch)
  const forgotten = await readForgottenPeople(sql)
  const replaceOwner = (url: string) => redactUrl(forgotten, url) ?? url
  const repository = await describeRepository(sql, options, clone, replaceOwner)
  const step = 'reading manifests'
  onProgress?.({ step, done: 0, total: undefined })
  const { dependencies, warnings, leftOut, computed } = await readDependencyHistory(clone, {
    allManifests,
    onProgress: (done, total) => onProgress?.({ step, done, total }),
  })
  for (const message of summarizeWarnings(warnings)) onWarning?.(message)

  return withStaging(sql, options.onBegin, async (staging) => {
    const uses = dependencies.map((use) => ({ url: repository.url, ...use }))
    const filtered = filterForgotten(forgotten, staging)
    await filtered.add('repos', 0, stageRepository({ ...repository, dependencies: uses }))
    const isLeftOut = filtered.leftOut > 0
    const loaded = isLeftOut ? [] : dependencies
    const commitsRead = isLeftOut ? 0 : await stageCommits(filtered, repository.url, clone, options)
    await filtered.flush()
    const result = await applyImport(sql, staging.id, {
      changesKeptDays: options.changesKeptDays,
      forgotten,
      completeUrls: options.keepUnreachable ? [] : [repository.url],
      onStep: (step) => onProgress?.({ step, done: 0, total: undefined }),
    })
    const active = loaded.filter(({ status }) => status === 'active').length
    return {
      ...result,
      commitsRead,
      forgotten: filtered.leftOut,
      branch: clone.branch,
      dependencies: { active, removed: loaded.length - active },
      manifests: { unreadable: warnings.length, computed, leftOut },
    }
  })
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
    return `Skipped ${first.path} at commit ${first.commit.slice(0, 12)}${more}: ${first.reason}`
  })
}

/** A URL can contain names that the API could not look up. */
function stageRepository(repository: NewRepositoryRecord): StagedRow {
  try {
    return readRecord('repos', JSON.stringify(repository))
  } catch (error) {
    if (error instanceof RecordError) throw new ImportError(`--url ${repository.url}: ${error.message}`)
    throw error
  }
}

/** Stages the commits of a clone. Returns their number. */
async function stageCommits(
  staging: FilteredStaging,
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
