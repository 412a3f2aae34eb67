/** When users and repositories used what they depend on: brings the table `use_dates` up to date, and verifies it. */
import { listUnready } from '../catalog/derived-terms.ts'
import type { AttributeName } from '../catalog/filters.ts'
import type { SqlOrTransaction } from '../database/connect.ts'
import type { Sample, SetVerification } from '../sets/set-verification.ts'
import { applyUseChanges, type UseSource } from '../sets/use-changes.ts'
import { findWrongUses } from '../sets/use-verification.ts'
import type { DatasetChange } from './pending-change.ts'

/** What filters by the time of a use need, as `derived_terms` calls it. */
export const useDates: AttributeName = 'use_dates'

/** Where the dates of a list's uses come from. */
interface Source {
  table: string
  id: string
  /** Of the dates. */
  columns: readonly [begins: string, ends: string]
  hasSeconds: boolean
}

const sources: Record<'users' | 'repositories', Source> = {
  users: { table: 'user_dependencies', id: 'user_id', columns: ['begins', 'ends'], hasSeconds: false },
  repositories: {
    table: 'repository_dependencies',
    id: 'repository_id',
    columns: ['first_use_dates', 'last_use_dates'],
    hasSeconds: true,
  },
}

/** Applies the uses that have changed, by `use_changes`. */
export async function applyUseDates({ tx }: DatasetChange): Promise<void> {
  const [changed] = await tx`select 1 from use_changes limit 1`
  if (changed === undefined) return
  const sizes = Object.entries(sources).map(
    ([list, { table, id }]) => `
      select list, c.id, cardinality(lost) + cardinality(coalesce(terms, dependency_ids, '{}')) as size
      from use_changes c left join ${table} d on d.${id} = c.id and terms is null where list = '${list}'`,
  )
  await tx`create index on use_changes (list, id)`
  await tx`analyze use_changes`
  await applyUseChanges(
    tx,
    sizes.join(' union all '),
    { users: createSource('users'), repositories: createSource('repositories') },
    await readFileTerms(tx),
  )
}

function createSource(list: 'users' | 'repositories'): UseSource {
  const { table, id, columns, hasSeconds } = sources[list]
  const all = ['dependency_ids', ...columns]
  const changed = ['terms', 'begins', 'ends'].map(
    (column, place) => `case when terms is null then d.${all[place]} else c.${column} end`,
  )
  return {
    hasSeconds,
    // Rows of a temporary table stay in the order in which they were inserted.
    selectUses: ({ first, last }) => `
      select c.id, lost, ${changed.join()}
      from use_changes c left join ${table} d on d.${id} = c.id and terms is null
      where list = '${list}' and c.id between ${first} and ${last} order by c.id, c.ctid`,
  }
}

/** Reads the terms that stand for all dependencies of a file. */
async function readFileTerms(tx: SqlOrTransaction): Promise<Set<number>> {
  const terms = await tx<{ id: number }[]>`select id from dependencies where name = ''`
  return new Set(terms.map(({ id }) => id))
}

/** Notes that all uses are to be stored anew. */
export async function renewUseDates({ tx }: DatasetChange): Promise<void> {
  await tx`delete from use_dates`
  await tx`truncate use_changes`
  for (const [list, { table, id }] of Object.entries(sources)) {
    await tx`insert into use_changes select ${list}::text::list_name, ${tx(id)}, '{}' from ${tx(table)}`
  }
}

/** Derives all dates again: an earlier version has left out those of users. */
export async function deriveUseDates(change: DatasetChange): Promise<void> {
  const { tx } = change
  await renewUseDates(change)
  // It has left those of a row as they were, when it changed what the user depends on.
  await tx`update user_dependencies set begins = null, ends = null where begins is not null`
  await tx`insert into affected_users select user_id from user_dependencies on conflict do nothing`
}

/** Finds the terms whose dates differ from those that they should have. None does before the dates are derived. */
export async function verifyUseDates(
  tx: SqlOrTransaction,
  sample?: Sample,
): Promise<SetVerification['faults']> {
  if ((await listUnready(tx)).some(({ attribute }) => attribute === useDates)) return []
  const undated = await readFileTerms(tx)
  const compare = (list: keyof typeof sources) => {
    const { table, id, columns, hasSeconds } = sources[list]
    const range = sample?.[list]
    const where = range === undefined ? 'true' : `${id} between ${range.first} and ${range.last}`
    const uses = `select ${id}, dependency_ids, ${columns.join()} from ${table} where ${where}`
    return findWrongUses(tx, list, uses, { hasSeconds, undated }, range)
  }
  return [...(await compare('users')), ...(await compare('repositories'))]
}
