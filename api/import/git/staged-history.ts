/**
 * Stages what a clone tells of its repository: the dependencies of its history, and its commits.
 *
 * @module
 */
import type { FilteredStaging } from '../forgotten.ts'
import { type StagedRow, stageCommit } from '../records.ts'
import type { Clone } from './clone.ts'
import { countCommits, readCommits } from './commits.ts'
import { type DependencyHistory, readDependencyHistory } from './history.ts'

export interface HistoryOptions {
  /** Gives a position that no other row of the load has. */
  nextPosition: () => number
  /** Validates the repository's complete record. */
  readRepository: (record: object) => StagedRow
  /** Whether to read manifests in folders of tests and fixtures too. */
  allManifests?: boolean | undefined
  onProgress?: (step: string, done: number, total: number | undefined) => void
}

/** What was staged. */
export interface StagedHistory extends DependencyHistory {
  commitsRead: number
  /** Whether the repository was left out, because its owner is forgotten. Then nothing was staged. */
  isLeftOut: boolean
}

/**
 * Stages a repository with its dependencies, and its commits. Throws `GitError` when git fails, and what `readRepository`
 * throws.
 */
export async function stageHistory(
  staging: FilteredStaging,
  clone: Clone,
  repository: { url: string },
  { nextPosition, readRepository, allManifests = false, onProgress }: HistoryOptions,
): Promise<StagedHistory> {
  const step = 'reading manifests'
  onProgress?.(step, 0, undefined)
  const history = await readDependencyHistory(clone, {
    allManifests,
    onProgress: (done, total) => onProgress?.(step, done, total),
  })
  const { url } = repository
  const dependencies = history.dependencies.map((use) => ({ url, ...use }))
  const leftOut = staging.leftOut
  await staging.add('repos', nextPosition(), readRepository({ ...repository, dependencies }))
  if (staging.leftOut > leftOut) return { ...history, dependencies: [], commitsRead: 0, isLeftOut: true }

  const total = onProgress && (await countCommits(clone))
  let commitsRead = 0
  for await (const commit of readCommits(clone)) {
    await staging.add('commits', nextPosition(), stageCommit({ ...commit, repo_url: url }))
    onProgress?.('reading commits', ++commitsRead, total)
  }
  return { ...history, commitsRead, isLeftOut: false }
}
