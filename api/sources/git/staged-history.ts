/** Stages what a clone tells of its repository: the dependencies of its history, and its commits. */

import type { FilteredStaging } from '../../people/filtered-load.ts'
import type { RepositoryRecord } from '../../staging/records.ts'
import type { Clone } from './clone.ts'
import { readCommits } from './commit-log.ts'
import type { DependencyHistory } from './history.ts'

export interface StageHistoryOptions {
  /** Gives a position that no other record of the load has. */
  nextPosition: () => number
  /** Called for each commit. */
  onProgress?: (done: number) => void
}

/** What was staged. */
export interface StagedHistory {
  commitsRead: number
  /** Whether the repository was left out, because its owner is forgotten. Then nothing was staged. */
  isLeftOut: boolean
  /** Whether the manifests of the newest commit alone say what it declares. */
  canContinue: boolean
}

/** Stages a repository with its dependencies, and its commits that were read. Throws `GitError` when git fails. */
export async function stageHistory(
  staging: FilteredStaging,
  clone: Clone,
  repository: RepositoryRecord,
  { dependencies, since, warnings }: Pick<DependencyHistory, 'dependencies' | 'since' | 'warnings'>,
  { nextPosition, onProgress }: StageHistoryOptions,
): Promise<StagedHistory> {
  const { url } = repository
  const record = { ...repository, dependencies: dependencies.map((use) => ({ url, ...use })) }
  const outcome = await staging.add(nextPosition(), { kind: 'repos', record })
  const canContinue = !warnings.some(({ isRead }) => isRead)
  if (outcome === 'left out') return { commitsRead: 0, isLeftOut: true, canContinue }

  let commitsRead = 0
  for await (const commit of readCommits(clone, since)) {
    await staging.add(nextPosition(), { kind: 'commits', record: { ...commit, repo_url: url } })
    onProgress?.(++commitsRead)
  }
  return { commitsRead, isLeftOut: false, canContinue }
}
