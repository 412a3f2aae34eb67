/** Looks single resources up by name: many at a time with one statement. */
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { foldText } from '../names/case-folding.ts'
import { localPrefix } from '../names/forge-names.ts'
import { createPageReader, type ReadPage } from './page-reader.ts'
import { renderMembers } from './stored-documents.ts'

/** The name of a single resource. */
export interface LookUp {
  kind: 'user' | 'repository'
  /** The login, or owner and name, as `foldText` writes it. */
  key: string
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

/**
 * SQL: whether a document describes a user or a repository that is known from clones alone, as `isLocal` says of a
 * record.
 */
export function isLocalDocument(sql: SqlOrTransaction, document: Fragment): Fragment {
  return sql`starts_with(${document}::json ->> 'forge_graphql_id', ${localPrefix})`
}

/**
 * Creates a function that finds resources: a page of one item, the JSON text of the User or Repository object. A login
 * that has changed hands belongs to the user who came last.
 */
export function createLookup(sql: Sql): ReadPage<LookUp, 'not_found'> {
  return createPageReader(sql, {
    maxPages: 256,
    noPage: 'not_found',
    select: (lookUps) => sql`
      select asked.place, 1 as total, 0 as offset, found.*
      from unnest(
          ${sql.typed.texts(lookUps.map(({ kind }) => kind))}, ${sql.typed.texts(lookUps.map(({ key }) => key))}
        ) with ordinality as asked(kind, key, place)
        left join lateral (
          (
            select 1 as count, document as items, digest::text as digest from users
            where asked.kind = 'user' and login_key = asked.key
            order by id desc limit 1
          ) union all (
            select 1, ${renderMembers(sql, sql`members`, { internalId: sql`id` })}, hashtextextended(members, id)::text
            from (${selectRepositoryByKey(sql, sql`asked.key`)}) r where asked.kind = 'repository'
          )
        ) found on true`,
  })
}
