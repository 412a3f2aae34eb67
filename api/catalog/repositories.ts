/**
 * Repositories: how one is found by owner and name, and how they are listed.
 *
 * @module
 */
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import type { ListKind } from './list.ts'
import type { LookUp } from './lookup.ts'
import { foldText } from './text-key.ts'

/**
 * SQL: the row of the repository with an owner and a name, without regard to case.
 * A name that has changed hands is whose came last.
 */
export function selectRepository(sql: Sql, owner: string, name: string) {
  return selectByKey(sql, sql`${lookUpRepository(owner, name).key}`)
}

function selectByKey(sql: Sql, key: Fragment) {
  return sql`
    select * from repositories
    where full_name_key = ${key}
    order by id desc limit 1`
}

/** SQL: the URL that a repository's members, as they are stored, have. */
export function selectUrl(sql: SqlOrTransaction, members: Fragment): Fragment {
  return sql`('{' || ${members} || '}')::json ->> 'url'`
}

/** What finds a repository: owner and name, without regard to case. */
export function lookUpRepository(owner: string, name: string): LookUp {
  return { kind: 'repository', key: foldText(`${owner}/${name}`) }
}

/**
 * SQL: the JSON text of a Repository object without `dependencies` (`service.md` §2.3), for the row `asked` of a
 * look-up. A name that has changed hands is whose came last.
 */
export function selectRepositoryDocument(sql: Sql) {
  return sql`
    select '{"internal_id":' || id || ',' || members || '}' as document
    from (${selectByKey(sql, sql`asked.key`)}) r where asked.kind = 'repository'`
}

/** Repositories as they are listed: each with `internal_id` before and `dependencies` behind. */
export const repositoryList: ListKind = {
  list: 'repositories',
  renderItem: (sql) => sql`
    '{"internal_id":' || id || ',' || members || ',"dependencies":' || dependencies || '}'`,
  pagesAtOnce: 8,
  maxConcurrent: 2,
}
