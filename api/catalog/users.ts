/**
 * Users: how they are listed.
 *
 * @module
 */
import type { ListKind } from './list.ts'

/**
 * The list of users. Its pages are small: where instance and database share two cores, one statement for all waiting
 * requests serves a third more filtered pages than two statements beside each other.
 */
export const userList: ListKind = {
  list: 'users',
  renderItem: (sql) => sql`document`,
  maxPages: 32,
  maxConcurrent: 1,
}
