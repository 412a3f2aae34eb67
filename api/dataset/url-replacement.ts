/**
 * SQL that writes another URL of a repository into stored documents. URLs are given as JSON text. Quotes are escaped inside
 * JSON strings, so the patterns match members alone.
 *
 * @module
 */
import { selectUrl } from '../catalog/document-lookup.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'

/** SQL: the URL in the stored members of a repository, as JSON text. */
export function selectJsonUrl(tx: SqlOrTransaction, members: Fragment): Fragment {
  return tx`to_json(${selectUrl(tx, members)})::text`
}

/** SQL: dependencies with `newUrl` in place of `oldUrl`. */
export function replaceUrls(
  tx: SqlOrTransaction,
  dependencies: Fragment,
  { oldUrl, newUrl }: { oldUrl: Fragment; newUrl: Fragment },
): Fragment {
  return tx`replace(${dependencies}, '{"url":' || ${oldUrl} || ',', '{"url":' || ${newUrl} || ',')`
}

/** SQL: a commit with another `repo_url`. It is the last member, in any spelling. */
export function replaceRepoUrl(tx: SqlOrTransaction, commit: Fragment, newUrl: Fragment): Fragment {
  return tx`
    regexp_replace(
      ${commit}, ',"repo_url":"([^"\\\\]|\\\\.)*"}$', replace(',"repo_url":' || ${newUrl} || '}', '\\', '\\\\')
    )`
}
