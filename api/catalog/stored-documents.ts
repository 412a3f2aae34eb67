/**
 * The JSON that is stored. A repository and a commit are the members of an object without its braces, so that
 * PostgreSQL adds further members without parsing any. This file alone opens and closes such objects, and knows the
 * text of what it looks for. The commits of a repository's dependencies are stored beside these, because responses
 * don't have them.
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

/** A dependency, and the commits that added and removed it. */
interface BlamedDependency {
  dependency: { dependency_name: string; dependency_file: string }
  added_commit_hash?: string | null | undefined
  removed_commit_hash?: string | null | undefined
}

/**
 * Writes the commits of dependencies: an object of files, then of names, each with the hashes of the commits that added
 * and removed it. Null: none is known.
 */
export function writeDependencyCommits(dependencies: readonly BlamedDependency[]): string | null {
  const byFile = new Map<string, [name: string, hashes: (string | null)[]][]>()
  for (const {
    dependency,
    added_commit_hash: added = null,
    removed_commit_hash: removed = null,
  } of dependencies) {
    if (added === null && removed === null) continue
    const { dependency_name: name, dependency_file: file } = dependency
    const ofFile = byFile.get(file)
    if (ofFile === undefined) byFile.set(file, [[name, [added, removed]]])
    else ofFile.push([name, [added, removed]])
  }
  if (byFile.size === 0) return null
  return JSON.stringify(
    Object.fromEntries(Array.from(byFile, ([file, each]) => [file, Object.fromEntries(each)])),
  )
}

/**
 * SQL: one of the hashes that `writeDependencyCommits` has written of a dependency, null if it isn't known. `commits`
 * is `jsonb`: made of the text once, not for each dependency.
 */
export function selectCommitHash(
  sql: SqlOrTransaction,
  commits: Fragment,
  dependency: { name: Fragment; file: Fragment },
  which: 'added' | 'removed',
): Fragment {
  return sql`${commits} #>> array[${dependency.file}, ${dependency.name}, ${sql.unsafe(which === 'added' ? `'0'` : `'1'`)}]`
}

/** SQL: the dependencies of a row of `repositories`, as loads have them: with the hashes of their commits. */
export function renderDependencies(sql: SqlOrTransaction): Fragment {
  const dependency = {
    name: sql`use #>> '{dependency,dependency_name}'`,
    file: sql`use #>> '{dependency,dependency_file}'`,
  }
  const member = (which: 'added' | 'removed') => {
    const hash = selectCommitHash(sql, sql`known.commits`, dependency, which)
    return sql`coalesce(${sql.unsafe(`',"${which}_commit_hash":"'`)} || (${hash}) || '"', '')`
  }
  return sql`
    case when dependency_commits is null then dependencies else (
      select '[' || coalesce(string_agg(left(use::text, -1) || ${member('added')} || ${member('removed')} || '}', ',' order by place), '') || ']'
      from (select dependency_commits::jsonb as commits offset 0) known,
        json_array_elements(dependencies::json) with ordinality as declared(use, place)
    ) end`
}

/** SQL: whether a document of `user_addresses` has any. An address is a string, so it ends with a quotation mark. */
export function hasAddresses(sql: SqlOrTransaction): Fragment {
  return sql`user_addresses.document not like '%[]}'`
}
