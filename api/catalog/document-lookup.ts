/**
 * Looks single resources up by name: many at a time with one statement.
 *
 * @module
 */
import { createBatcher } from '../concurrency/batcher.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { foldText } from './case-folding.ts'

/** Names that one statement looks up. */
const maxBatchSize = 256

/** The name of a single resource. */
export interface LookUp {
  kind: 'user' | 'repository'
  /** The login, or owner and name, as `foldText` writes it. */
  key: string
}

/** A document, and the version of the dataset that it was read at. */
export interface Found {
  /** JSON text. */
  document: string
  version: number
}

/** Looks up a user by login, case-insensitively. */
export function lookUpUser(login: string): LookUp {
  return { kind: 'user', key: foldText(login) }
}

/** Looks up a repository by owner and name, case-insensitively. */
export function lookUpRepository(owner: string, name: string): LookUp {
  return { kind: 'repository', key: foldText(`${owner}/${name}`) }
}

/** SQL: the row of a repository. A name that has changed hands belongs to the one that came last. */
export function selectRepository(sql: Sql, owner: string, name: string): Fragment {
  return selectRepositoryByKey(sql, sql`${lookUpRepository(owner, name).key}`)
}

/** SQL: the same, by its key in a `LookUp`. */
export function selectRepositoryByKey(sql: Sql, key: Fragment): Fragment {
  return sql`select * from repositories where full_name_key = ${key} order by id desc limit 1`
}

/** SQL: the URL in the stored members of a repository. */
export function selectUrl(sql: SqlOrTransaction, members: Fragment): Fragment {
  return sql`('{' || ${members} || '}')::json ->> 'url'`
}

/**
 * SQL: the JSON text of the User or Repository object that the row `asked` names by `kind` and `key`; no row if there is
 * none. A login that has changed hands belongs to the user who came last.
 */
export function selectDocument(sql: Sql): Fragment {
  return sql`
    (
      select document from users
      where asked.kind = 'user' and login_key = asked.key
      order by id desc limit 1
    ) union all (
      select '{"internal_id":' || id || ',' || members || '}' as document
      from (${selectRepositoryByKey(sql, sql`asked.key`)}) r where asked.kind = 'repository'
    )`
}

/** Creates a function that finds documents. */
export function createLookup(sql: Sql): (lookUp: LookUp) => Promise<Found | undefined> {
  return createBatcher({
    size: maxBatchSize,
    maxConcurrent: 2,
    async run(lookUps: LookUp[]) {
      const rows = await sql<{ document: string | null; version: number }[]>`
        select found.document, dataset.version
        from dataset, unnest(
            ${sql.typed.texts(lookUps.map(({ kind }) => kind))}, ${sql.typed.texts(lookUps.map(({ key }) => key))}
          ) with ordinality as asked(kind, key, place)
          left join lateral (${selectDocument(sql)}) found on true
        order by place`
      return rows.map(({ document, version }) => (document === null ? undefined : { document, version }))
    },
  })
}
