/**
 * Repositories: their rows, and how they are listed.
 *
 * @module
 */
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { foldText } from './case-folding.ts'
import type { ListKind } from './list.ts'

/** The key that finds a repository by owner and name, case-insensitively. */
export function repositoryKey(owner: string, name: string): string {
  return foldText(`${owner}/${name}`)
}

/** SQL: the row of the repository with an owner and a name, case-insensitively. */
export function selectRepository(sql: Sql, owner: string, name: string): Fragment {
  return selectRepositoryByKey(sql, sql`${repositoryKey(owner, name)}`)
}

/** SQL: the row of the repository with a key. A name that has changed hands belongs to the one that came last. */
export function selectRepositoryByKey(sql: Sql, key: Fragment): Fragment {
  return sql`
    select * from repositories
    where full_name_key = ${key}
    order by id desc limit 1`
}

/** SQL: the URL in the stored members of a repository. */
export function selectUrl(sql: SqlOrTransaction, members: Fragment): Fragment {
  return sql`('{' || ${members} || '}')::json ->> 'url'`
}

/** The list of repositories: each with `internal_id` before its members, and `dependencies` behind them. */
export const repositoryList: ListKind = {
  list: 'repositories',
  renderItem: (sql) => sql`
    '{"internal_id":' || id || ',' || members || ',"dependencies":' || dependencies || '}'`,
  maxPages: 8,
  maxConcurrent: 2,
}
