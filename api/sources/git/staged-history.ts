/**
 * Stages what a clone tells of its repository: the dependencies of its history, and its commits.
 *
 * @module
 */

import { type StagedRow, stageCommit } from '../../dataset/records.ts'
import type { FilteredStaging } from '../../people/forgotten-people.ts'
import type { Clone } from './clone.ts'
import { countCommits, readCommits } from './commit-log.ts'
import type { DependencyHistory } from './history.ts'

export interface StageHistoryOptions {
  /** Gives a position that no other row of the load has. */
  nextPosition: () => number
  /** Validates the repository's complete record. */
  readRepository: (record: object) => StagedRow
  /** Called for each commit. */
  onProgress?: (done: number, total: number) => void
}

/** What was staged. */
export interface StagedHistory {
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
  { dependencies }: Pick<DependencyHistory, 'dependencies'>,
  { nextPosition, readRepository, onProgress }: StageHistoryOptions,
): Promise<StagedHistory> {
  const { url } = repository
  const uses = dependencies.map((use) => ({ url, ...use }))
  const leftOut = staging.leftOut
  await staging.add('repos', nextPosition(), readRepository({ ...repository, dependencies: uses }))
  if (staging.leftOut > leftOut) return { commitsRead: 0, isLeftOut: true }

  const total = onProgress && (await countCommits(clone))
  let commitsRead = 0
  for await (const commit of readCommits(clone)) {
    await staging.add('commits', nextPosition(), stageCommit({ ...commit, repo_url: url }))
    commitsRead++
    if (total !== undefined) onProgress?.(commitsRead, total)
  }
  return { commitsRead, isLeftOut: false }
}
