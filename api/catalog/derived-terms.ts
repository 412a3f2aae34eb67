/**
 * Which filters are ready. A load derives the terms of the attributes that its version of devdata knows, so after an
 * upgrade, or a load by an older version, items lack those of others. The column `derived_terms` of `dataset` has for
 * each attribute the version of the dataset in which all items have its terms. An attribute without one has version 0,
 * which has no items.
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { mayLackMigration } from '../database/migrate.ts'
import { devdataCommand } from '../devdata-command.ts'
import { type FilterRow, filterNames, filters } from './filters.ts'
import { type SortRow, sortOrders } from './sort-orders.ts'

/**
 * A filter that 0.1.0 doesn't have, or an order such as `sort=stars`, and the attribute or the searchable text that it
 * needs.
 */
interface LaterFilter {
  name: string
  attribute: string
}

/** The filters and orders that need terms which an older version may have left out. */
const laterFilters: readonly LaterFilter[] = [
  ...filterNames.flatMap((name) => {
    const { attribute = name, isLater }: FilterRow = filters[name]
    return isLater ? [{ name, attribute }] : []
  }),
  ...Object.entries<SortRow>(sortOrders).map(([name, { rest }]) => ({
    name: `sort=${name}`,
    attribute: rest,
  })),
]

/** SQL: a JSON array with those of the filters and orders that aren't ready. */
export function selectUnready(sql: SqlOrTransaction, names: readonly string[]): Fragment {
  const asked = laterFilters.filter(({ name }) => names.includes(name))
  if (asked.length === 0) return sql`'[]'::json`
  return sql`(select coalesce(json_agg(name), '[]') from ${selectUnderived(sql, asked)})`
}

/** SQL: whether all filters are ready: this version has changed the dataset last. */
export function areAllReady(sql: SqlOrTransaction): Fragment {
  return sql`not exists (select from ${selectUnderived(sql, laterFilters)})`
}

/** Lists the filters that aren't ready in a database. */
export function listUnready(sql: SqlOrTransaction): Promise<LaterFilter[]> {
  return sql<LaterFilter[]>`select name, attribute from ${selectUnderived(sql, laterFilters)}`
}

/** Names the filters that aren't ready in a database: all, if a migration has yet to give it `derived_terms`. */
export async function nameUnready(sql: SqlOrTransaction): Promise<string[]> {
  const unready = await listUnready(sql).catch((error: unknown) => {
    if (mayLackMigration(error)) return laterFilters
    throw error
  })
  return unready.map(({ name }) => name)
}

/** Says which filters aren't ready in a database, and what an operator can do. Undefined: all are ready. */
export async function describeUnready(sql: SqlOrTransaction): Promise<string | undefined> {
  const names = await nameUnready(sql)
  if (names.length === 0) return undefined
  return (
    `Filters not ready: ${names.join(', ')}. Requests with them get 503, because an older version loaded the data. ` +
    `Load data, or run: ${devdataCommand('sets rebuild')}`
  )
}

/** SQL: those of the filters whose terms are missing. */
function selectUnderived(sql: SqlOrTransaction, asked: readonly LaterFilter[]): Fragment {
  return sql`(
    select name, attribute from dataset, unnest(
      ${sql.typed.texts(asked.map(({ name }) => name))}, ${sql.typed.texts(asked.map(({ attribute }) => attribute))}
    ) as later(name, attribute)
    where only_row and ${selectVersion(sql)} <> version
  ) underived`
}

/** SQL: the version in which all items have the terms of the column `attribute`. */
function selectVersion(sql: SqlOrTransaction): Fragment {
  return sql`coalesce((derived_terms ->> attribute)::bigint, 0)`
}

/**
 * SQL: `derived_terms` in the next version of the dataset, whose changed items have the terms of all attributes that
 * this version of devdata knows. So an attribute is derived if it was.
 */
export function carryDerivedTerms(sql: SqlOrTransaction, nextVersion: Fragment): Fragment {
  return sql`derived_terms || (
    select coalesce(jsonb_object_agg(attribute, ${nextVersion}), '{}')
    from unnest(${sql.typed.texts(laterFilters.map(({ attribute }) => attribute))}) as later(attribute)
    where ${selectVersion(sql)} = dataset.version
  )`
}
