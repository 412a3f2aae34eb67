/** The commits that added and removed the dependencies of a repository. */
import type { Fragment, Sql } from '../database/connect.ts'
import { renderPage } from '../paging/page.ts'
import { createCommitPages, writeLiteral } from './commit-pages.ts'
import { maxConcurrent, selectDependencies, selectDependencyKey } from './dependency-list.ts'
import type { ReadRepositoryList } from './repository-lists.ts'
import { selectCommitHash, selectMember } from './stored-documents.ts'

/**
 * Creates a function that lists a repository's dependencies, in the order of `createDependencyList`, each with the
 * commit that added it and the one that removed it. A commit is null if nothing names it, or the repository doesn't
 * have it. What is active has no commit that removed it.
 */
export function createBlameList(sql: Sql): ReadRepositoryList {
  const hash = (which: 'added' | 'removed') =>
    selectCommitHash(sql, sql`known.commits`, selectDependencyKey(sql), which)
  const page = selectDependencies(
    sql,
    sql`
      coalesce(json_agg(json_build_array(
        value -> 'dependency', ${hash('added')}, case when value ->> 'status' is distinct from 'active' then ${hash('removed')} end
      ) order by rank), '[]') as blamed`,
    sql`, (select r.dependency_commits::jsonb as commits offset 0) known`,
  )
  return createCommitPages<{ id: number; blamed: unknown }>(sql, {
    onServer: sql`
      select page.total, page.offset, page.next, rendered.* from (${page}) page, lateral (${renderBlame(sql, sql`page.blamed`)}) rendered`,
    onCoordinator: sql`
      select total, page.offset, next, 0 as count, json_build_object('id', r.id, 'blamed', blamed)::text as items from (${page}) page`,
    onWorker: ({ blamed }) => {
      const literal = sql`(${writeLiteral(sql, JSON.stringify(blamed))}::json)`
      return sql`lateral (${renderBlame(sql, literal)}) page`
    },
    maxConcurrent,
  })
}

/**
 * SQL: the columns of a page that `renderPage` makes. `blamed` is JSON: dependencies of the repository `r`, each with
 * the hashes of the commits that added and removed it, or null.
 */
function renderBlame(sql: Sql, blamed: Fragment): Fragment {
  const commit = sql`
    '{"commit_hash":"' || commit_hash || '","date":' || coalesce(committer_date::text, 'null')
      || ',"author_email":' || to_json(${selectMember(sql, sql`members`, 'author_email')})::text || '}'`
  const found = (place: number) =>
    sql`coalesce(named.commits ->> (use ->> ${sql.unsafe(String(place))}), 'null')`
  return sql`
    select ${renderPage(sql, { item: sql`item`, order: sql`rank`, digest: sql`hashtextextended(item, rank)` })}
    from (
      select rank, '{"dependency":' || (use -> 0)::text || ',"added":' || ${found(1)} || ',"removed":' || ${found(2)} || '}' as item
      from (
        select coalesce(jsonb_object_agg(commit_hash, ${commit}), '{}') as commits from commits
        where repository_id = r.id and commit_hash = any (array(
          select hash from json_array_elements(${blamed}) as each(use), unnest(array[use ->> 1, use ->> 2]) as hash
        ))
      ) named, json_array_elements(${blamed}) with ordinality as each(use, rank)
      offset 0 -- so that an item is made once, not for each column
    ) items`
}
