/**
 * A change of the dataset in progress: what its parts share. They leave in temporary tables what the end of the change has to
 * bring up to date:
 *
 * - `affected_users`: users who may use other dependencies now, or have other commits
 * - `affected_uses`: what other users may use otherwise now. With `repository_id`: they can only have gained uses
 *   through the repository, or longer ones. With `dependency_id`, which isn't one of a file: they may have lost it, or
 *   use it at other times. A user may have several rows.
 * - `active_users`: other users whose last commit may be another one, some of them twice
 * - `new_terms`: dependencies, attributes and searchable texts that were added. Those that no item has at the end are
 *   removed
 * - `set_changes`: terms whose sets have lost and gained a user, a repository or a text. An item may have several rows.
 *   A term lost as often as gained is unchanged. Among the terms are those of the change's version.
 * - `use_changes`: the dependencies that users and repositories have stopped using, `lost`, and those that they use since
 *   the change, or with other dates: `terms`. Null `terms`: all that they use. An item may have several rows. Of several
 *   about one dependency, the last one counts.
 */
import type { ListName } from '../catalog/filters.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { listColumns } from '../database/row-buffer.ts'

/** A change in progress. */
export interface DatasetChange {
  tx: SqlOrTransaction
  /** The dataset's version after the change. Changed rows get it. */
  version: number
  versionTerms: VersionTerms
  /**
   * Whether this change, or all changes since the planner's statistics were refreshed, concern more than a tenth of the
   * catalog. Then `analyzeTables` refreshes each table that was changed: the embedded database has no autovacuum.
   */
  isLarge: boolean
  /** What was done so far. */
  rows: RowChanges
}

/** The terms of a version, whose sets `changed_since` finds. */
export interface VersionTerms {
  /** Of users and repositories with a new record. */
  changed: number
  /** Of others that gained something that a filter can ask. */
  gained: number
  /** Of other users who lost a dependency. */
  lost: number
}

/** What a change did to one kind of rows. */
export interface Change {
  added: number
  /** Rows that had other content. */
  updated: number
  removed: number
}

/** What a change did. */
export interface RowChanges {
  users: Change
  /** Users whose further addresses were changed. */
  addresses: Change
  repositories: Change
  commits: Change
}

/** The columns of `set_changes` and `use_changes`, for rows that are copied. */
export const setChangeColumns = listColumns({
  list: 'text',
  id: 'integer',
  lost: 'integer[]',
  gained: 'integer[]',
})
export const useChangeColumns = listColumns({
  list: 'text',
  id: 'integer',
  lost: 'integer[]',
  terms: 'integer[]',
  begins: 'bigint[]',
  ends: 'bigint[]',
})

/** Begins a change, and creates its temporary tables. */
export async function beginChange(tx: SqlOrTransaction): Promise<DatasetChange> {
  await tx`create temporary table affected_users (user_id integer primary key) on commit drop`
  await tx`
    create temporary table affected_uses (user_id integer not null, repository_id integer, dependency_id integer)
    on commit drop`
  await tx`create temporary table active_users (user_id integer not null) on commit drop`
  await tx`create temporary table new_terms (id integer not null) on commit drop`
  await tx`
    create temporary table set_changes (
      list list_name not null, id integer not null, lost integer[] not null, gained integer[] not null
    ) on commit drop`
  await tx`
    create temporary table use_changes (
      list list_name not null, id integer not null, lost integer[] not null, terms integer[], begins bigint[], ends bigint[]
    ) on commit drop`
  const [dataset] = await tx<({ version: number } & VersionTerms)[]>`
    select version, nextval('term_ids') as changed, nextval('term_ids') as gained, nextval('term_ids') as lost from dataset`
  if (dataset === undefined) throw new Error('the dataset row is missing')
  const { version, ...versionTerms } = dataset
  const createRows = () => ({ added: 0, updated: 0, removed: 0 })
  return {
    tx,
    version: version + 1,
    versionTerms,
    isLarge: false,
    rows: {
      users: createRows(),
      addresses: createRows(),
      repositories: createRows(),
      commits: createRows(),
    },
  }
}

/**
 * Notes what gained something that a filter can ask: `gaining` selects ids. Items that have the change's version already
 * are left out: the set of the version has these.
 */
export function noteGained(change: DatasetChange, list: ListName, gaining: Fragment): Promise<void> {
  return noteMoved(change, list, gaining, change.versionTerms.gained)
}

/** Notes users who lost a dependency, as `noteGained` does: `losing` selects ids. */
export function noteLost(change: DatasetChange, losing: Fragment): Promise<void> {
  return noteMoved(change, 'users', losing, change.versionTerms.lost)
}

async function noteMoved(
  { tx, version }: DatasetChange,
  list: ListName,
  moved: Fragment,
  termId: number,
): Promise<void> {
  if (version === 1) return // all items have it
  // Found once: a plan that expects few may find them again for each item.
  await tx`
    with moved(id) as materialized (${moved})
    insert into set_changes
    select ${list}::text::list_name, id, '{}', array[${termId}::integer] from ${tx(list)}
    where version <> ${version} and id in (select id from moved)`
}

/** Refreshes the planner's statistics of tables that a large change concerns. */
export async function analyzeTables(
  { tx, isLarge }: DatasetChange,
  tables: readonly string[],
): Promise<void> {
  if (!isLarge) return
  for (const table of tables) await tx`select analyze_table(${table}::text::regclass)`
}

/** SQL: `repository_id`, `dependency_id`, `first_use_date` and `last_use_date` of what repositories declare. */
export function selectDeclarations(tx: SqlOrTransaction): Fragment {
  return tx`(
    select repository_id, d.* from repository_dependencies,
      unnest(dependency_ids, first_use_dates, last_use_dates) as d(dependency_id, first_use_date, last_use_date)
  )`
}
