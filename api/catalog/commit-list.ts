/**
 * The commits of a repository.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { renderPage } from '../paging/page.ts'
import { renderCommit, selectJsonUrl } from './document-lookup.ts'
import { createRepositoryList, type ReadRepositoryList } from './repository-lists.ts'

/** Matches a commit's hash, SHA-1 or SHA-256. */
export const commitHashPattern = /^[\da-f]{40,64}$/

/**
 * Creates a function that lists a repository's commits: newest committer date first, then by hash; those without a date
 * come last. `after` is a commit's hash; it is ignored if the repository doesn't have that commit.
 */
export function createCommitList(sql: Sql): ReadRepositoryList {
  const commit = renderCommit(sql, sql`members`, sql`repository.url`)
  // Positions count from the oldest commit, so that a new one doesn't move the others.
  return createRepositoryList(
    sql,
    sql`
      select counted.total, place.skipped as offset, rendered.*
      from (
        select ${selectJsonUrl(sql, sql`r.members`)} as url offset 0 -- which computes it once, not for each commit
      ) repository, lateral (
        select coalesce(max(position), 0) as total from commits where repository_id = r.id
      ) counted, lateral (
        select coalesce((
          select counted.total - position + 1 from commits
          where asked.after <> '' and repository_id = r.id and commit_hash = asked.after
        ), asked.skipped) as skipped
      ) place, lateral (
        select ${renderPage(sql, {
          item: commit,
          order: sql`position desc`,
          digest: sql`hashtextextended(${commit}, position)`,
        })}, (array_agg(commit_hash order by position))[1] as next
        from commits
        where repository_id = r.id
          and position > counted.total - place.skipped - asked.size
          and position <= counted.total - place.skipped
      ) rendered`,
  )
}
