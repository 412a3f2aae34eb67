/**
 * Users: how one is found by login, and how they are listed.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import type { ListKind } from './list.ts'
import type { LookUp } from './lookup.ts'
import { foldText } from './text-key.ts'

/** What finds a user: the login, without regard to case. */
export function lookUpUser(login: string): LookUp {
  return { kind: 'user', key: foldText(login) }
}

/**
 * SQL: the JSON text of a User object (`service.md` §2.2), for the row `asked` of a look-up. A login that has changed
 * hands is whose came last.
 */
export function selectUserDocument(sql: Sql) {
  return sql`
    select document from users
    where asked.kind = 'user' and login_key = asked.key
    order by id desc limit 1`
}

/**
 * Users as they are listed. Their pages are small: where instance and database share two cores, filtered ones come a
 * third more often with one statement for all that wait than with two beside each other.
 */
export const userList: ListKind = {
  list: 'users',
  renderItem: (sql) => sql`document`,
  pagesAtOnce: 32,
  maxConcurrent: 1,
}
