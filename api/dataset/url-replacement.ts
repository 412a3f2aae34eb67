/**
 * SQL that writes another URL of a repository into its stored dependencies.
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'

/**
 * SQL: dependencies with `newUrl` in place of `oldUrl`, both as JSON text. Quotes are escaped inside JSON strings, so the
 * pattern matches members alone.
 */
export function replaceUrls(
  tx: SqlOrTransaction,
  dependencies: Fragment,
  { oldUrl, newUrl }: { oldUrl: Fragment; newUrl: Fragment },
): Fragment {
  return tx`replace(${dependencies}, '{"url":' || ${oldUrl} || ',', '{"url":' || ${newUrl} || ',')`
}
