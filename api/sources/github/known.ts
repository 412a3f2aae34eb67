/** What the dataset has of the forge already: it is not asked for again, or asked for by id. */
import { isLocalDocument } from '../../catalog/document-lookup.ts'
import { renderMembers } from '../../catalog/stored-documents.ts'
import type { Sql, SqlOrTransaction } from '../../database/connect.ts'
import { beginLong } from '../../database/long-transaction.ts'
import type { AddressesRecord } from '../../staging/records.ts'

/** An item of the dataset that the forge has an id for. */
export interface KnownItem {
  /** Its GraphQL id. */
  id: string
  /** `owner/name`, or the login. */
  name: string
  forgeRestId: number
}

const selectDocument = (sql: SqlOrTransaction) => renderMembers(sql, sql`members`)

/** A user of the dataset that the forge has an id for. */
export interface KnownUser extends KnownItem {
  avatarUrl: string | null
}

/** Reads an id of the database: the time of its creation. */
export async function readDatabaseId(sql: Sql): Promise<string> {
  const [row] = await sql<
    { at: string }[]
  >`select extract(epoch from min(applied_at))::text as at from migrations`
  return row?.at ?? ''
}

/** Reads the repositories that have the forge's record. `origin`: those of this host. */
export function readKnownRepositories(sql: Sql, origin: string): Promise<KnownItem[]> {
  return beginLong(
    sql,
    (tx) => tx<KnownItem[]>`
    select d ->> 'forge_graphql_id' as id, d ->> 'full_name' as name, forge_rest_id as "forgeRestId"
    from (select id, forge_rest_id, ${selectDocument(tx)}::json as d from repositories
      where forge_rest_id > 0 and not ${isLocalDocument(tx, selectDocument(tx))}) r
    where starts_with(d ->> 'url', ${`${origin}/`}) order by r.id`,
  )
}

/** Reads the users that have the forge's record. */
export function readKnownUsers(sql: Sql): Promise<KnownUser[]> {
  return beginLong(
    sql,
    (tx) => tx<KnownUser[]>`
    select d ->> 'forge_graphql_id' as id, d ->> 'login' as name, forge_rest_id as "forgeRestId",
      d ->> 'avatar_url' as "avatarUrl"
    from (select id, forge_rest_id, document::json as d from users
      where forge_rest_id > 0 and not ${isLocalDocument(tx, tx`document`)}) u order by u.id`,
  )
}

/**
 * Whether these are all repositories and users of the dataset. Others may be of another forge, or known from clones
 * alone.
 */
export async function isWholeDataset(
  sql: Sql,
  { repositories, users }: { repositories: readonly KnownItem[]; users: readonly KnownItem[] },
): Promise<boolean> {
  const [row] = await sql<{ isWhole: boolean }[]>`
    select repositories_count = ${repositories.length}::integer and users_count = ${users.length}::integer as "isWhole"
    from dataset`
  return row?.isWhole ?? false
}

/** A user whose profile is known. */
export interface KnownProfile {
  login: string
  email: string | null
}

/**
 * Reads which of the users the dataset has, by `forge_rest_id`. Those made from commits lack a profile: they don't
 * count.
 */
export async function readPresentUsers(sql: Sql, ids: readonly number[]): Promise<Map<number, KnownProfile>> {
  const rows = await sql<(KnownProfile & { id: number })[]>`
    select forge_rest_id as id, d ->> 'login' as login, d ->> 'email' as email
    from (select forge_rest_id, document::json as d from users
      where forge_rest_id = any (${sql.typed.bigints(ids)}) and not ${isLocalDocument(sql, sql`document`)}) u`
  return new Map(rows.map(({ id, ...profile }) => [id, profile]))
}

/**
 * Reads which of the identities are those of a user whose profile is known. Those of accounts that were `deleted` don't
 * count, by `forge_rest_id`: addresses and logins change hands.
 */
export async function readKnownIdentities(
  sql: Sql,
  identities: readonly string[],
  deleted: readonly number[],
): Promise<Set<string>> {
  const rows = await sql<{ identity: string }[]>`
    select distinct identity from identities join users u on u.id = user_id
    where identity = any (${sql.typed.texts(identities)}) and not ${isLocalDocument(sql, sql`u.document`)}
      and forge_rest_id <> all (${sql.typed.bigints(deleted)})`
  return new Set(rows.map(({ identity }) => identity))
}

/** Reads the identities of users, by `forge_rest_id`. */
export function readIdentities(
  sql: Sql,
  ids: readonly number[],
): Promise<{ identity: string; forgeRestId: number }[]> {
  return sql<{ identity: string; forgeRestId: number }[]>`
    select identity, forge_rest_id as "forgeRestId" from identities join users u on u.id = user_id
    where forge_rest_id = any (${sql.typed.bigints(ids)})`
}

/** Reads the further addresses of users, by `forge_rest_id`. */
export async function readFurtherAddresses(
  sql: Sql,
  ids: readonly number[],
): Promise<Map<number, AddressesRecord['addresses']>> {
  const rows = await sql<{ document: string }[]>`
    select a.document from user_addresses a join users u on u.id = user_id
    where forge_rest_id = any (${sql.typed.bigints(ids)})`
  const records = rows.map(({ document }): AddressesRecord => JSON.parse(document))
  return new Map(records.map(({ forge_rest_id, addresses }) => [forge_rest_id, addresses]))
}

/**
 * Reads which of the commits a repository has, by their hashes. If only clones have described it, none count: the forge
 * hasn't been asked for their authors.
 */
export async function readPresentCommits(
  sql: Sql,
  forgeRestId: number,
  hashes: readonly string[],
): Promise<Set<string>> {
  const [repository] = await sql<{ id: number }[]>`
    select id from repositories
    where forge_rest_id = ${forgeRestId} and not ${isLocalDocument(sql, selectDocument(sql))}`
  if (repository === undefined) return new Set()
  // A statement of its own, because the commits may be on another server.
  const rows = await sql<{ hash: string }[]>`
    select commit_hash as hash from commits
    where repository_id = ${repository.id} and commit_hash = any (${sql.typed.texts(hashes)})`
  return new Set(rows.map(({ hash }) => hash))
}
