/** The commits of a repository. */
import type { Fragment, Sql } from '../database/connect.ts'
import { offsetOf, renderPage } from '../paging/page.ts'
import { createCommitPages, writeLiteral } from './commit-pages.ts'
import type { ReadRepositoryList } from './repository-lists.ts'
import { renderMembers, selectJsonUrl } from './stored-documents.ts'

/** Matches a commit's hash, SHA-1 or SHA-256. */
export const commitHashPattern = /^[\da-f]{40,64}$/

/**
 * Creates a function that lists a repository's commits: newest committer date first, then by hash; those without a date
 * come last. `after` is a commit's hash; it is ignored if the repository doesn't have that commit.
 */
export function createCommitList(sql: Sql): ReadRepositoryList {
  const url = selectJsonUrl(sql, sql`r.members`)
  return createCommitPages<{ id: number; url: string }>(sql, {
    onServer: selectCommits(sql, url),
    onCoordinator: sql`
      select 0 as total, 0 as offset, 0 as count, json_build_object('id', r.id, 'url', ${url})::text as items`,
    onWorker(found, { page }) {
      const after = commitHashPattern.test(page.after ?? '') ? page.after : ''
      const asked = sql.unsafe(`
        (select '${after}'::text as after, ${offsetOf(page)}::bigint as skipped, ${page.size}::bigint as size) asked`)
      return sql`${asked}, lateral (${selectCommits(sql, writeLiteral(sql, found.url))}) page`
    },
  })
}

/** SQL: a page of the commits of the repository `r`, as `createRepositoryList` describes it. `url` is JSON text. */
function selectCommits(sql: Sql, url: Fragment): Fragment {
  const commit = renderMembers(sql, sql`members`, { repoUrl: sql`repository.url` })
  // Positions count from the oldest commit, so that a new one doesn't move the others.
  return sql`
      select counted.total, place.skipped as offset, rendered.*
      from (
        select ${url} as url offset 0 -- which computes it once, not for each commit
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
      ) rendered`
}
