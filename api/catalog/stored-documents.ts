/**
 * The JSON that is stored. A repository and a commit are the members of an object without its braces, so that
 * PostgreSQL adds further members without parsing any. This file alone opens and closes such objects, and knows the
 * text of what it looks for.
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'

/** Writes an object as its members. */
export function writeMembers(object: object): string {
  return JSON.stringify(object).slice(1, -1)
}

/** Reads the object of members that `writeMembers` made of a `Stored`, with its dependencies if these are given. */
export function readMembers<Stored>(members: string, dependencies?: string): Stored {
  return JSON.parse(
    dependencies === undefined ? `{${members}}` : `{${members},"dependencies":${dependencies}}`,
  )
}

/**
 * Members that aren't stored with the others, as SQL. Dependencies and URLs are JSON text. A commit is stored
 * without the URL of its repository, because that may change.
 */
interface FurtherMembers {
  internalId?: Fragment
  dependencies?: Fragment
  repoUrl?: Fragment
}

/** SQL: the object of stored members, as JSON text. */
export function renderMembers(
  sql: SqlOrTransaction,
  members: Fragment,
  { internalId, dependencies, repoUrl }: FurtherMembers = {},
): Fragment {
  const before = internalId && sql`'"internal_id":' || ${internalId} || ',' ||`
  const after = dependencies && sql`|| ',"dependencies":' || ${dependencies}`
  const last = repoUrl && sql`|| ',"repo_url":' || ${repoUrl}`
  return sql`('{' || ${before ?? sql``} ${members} ${after ?? sql``} ${last ?? sql``} || '}')`
}

/** SQL: the text of a stored member. */
export function selectMember(
  sql: SqlOrTransaction,
  members: Fragment,
  name: 'url' | 'name' | 'full_name' | 'stargazers_count' | 'author_email',
): Fragment {
  return sql`${renderMembers(sql, members)}::json ->> ${sql.unsafe(`'${name}'`)}`
}

/** SQL: the URL in the stored members of a repository, as JSON text. */
export function selectJsonUrl(sql: SqlOrTransaction, members: Fragment): Fragment {
  return sql`to_json(${selectMember(sql, members, 'url')})::text`
}

/**
 * SQL: stored dependencies with `newUrl` in place of `oldUrl`, both as JSON text. Quotes are escaped inside JSON
 * strings, so the pattern matches members alone.
 */
export function replaceUrls(
  sql: SqlOrTransaction,
  dependencies: Fragment,
  { oldUrl, newUrl }: { oldUrl: Fragment; newUrl: Fragment },
): Fragment {
  return sql`replace(${dependencies}, '{"url":' || ${oldUrl} || ',', '{"url":' || ${newUrl} || ',')`
}

/** SQL: whether a document of `user_addresses` has any. An address is a string, so it ends with a quotation mark. */
export function hasAddresses(sql: SqlOrTransaction): Fragment {
  return sql`user_addresses.document not like '%[]}'`
}
