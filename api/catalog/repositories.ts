/**
 * Repositories: one by owner and name, and pages of all or of those that a filter matches.
 *
 * @module
 */
import type { Fragment, Sql } from '../database/connect.ts'
import { createList } from './list.ts'
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
    where full_name_key = ${key} and id <= (select repositories_count from dataset)
    order by id desc limit 1`
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
    select '{"internal_id":' || id || ',' || substr(document, 2) as document
    from (${selectByKey(sql, sql`asked.key`)}) r where asked.kind = 'repository'`
}

/** Lists the repositories that a filter matches, each with `internal_id` before and `dependencies` behind. */
export const listRepositories = createList(
  'repositories',
  (sql) => sql`
    '{"internal_id":' || id || ',' || substr(left(document, -1), 2) || ',"dependencies":' || dependencies || '}'`,
)
