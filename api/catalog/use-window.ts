/**
 * Filters by the time of a use: when an item began to use a dependency, and when it stopped (decisions/0003-lists.md).
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { type DatedTerm, type ItemUse, readDatedItems, statusBits } from '../sets/dated-items.ts'
import { readFileUses } from '../sets/file-uses.ts'
import { Bitmap } from '../sets/id-set.ts'
import type { Filter } from './canonical-filter.ts'
import { type FilterRow, filterNames, filters, type ListName } from './filters.ts'

const windowFilters = filterNames.filter((name) => {
  const { kind }: FilterRow = filters[name]
  return kind === 'use'
})

/** Whether a filter asks for the time of a use. */
export function hasUseWindow(filter: Filter): boolean {
  return windowFilters.some((name) => name in filter)
}

/** When an item began to use something, in Unix seconds. Undefined: unknown. */
export function readFirstUse({ begin }: ItemUse): number | undefined {
  return begin % 2 === 0 ? begin / 2 : undefined
}

/** When an item's last use ended, in Unix seconds. Undefined: unknown. Null: it has not ended. */
export function readLastUse({ end, statuses }: ItemUse): number | null | undefined {
  if ((statuses & statusBits.active) !== 0) return null
  return end ?? undefined
}

/** Whether one use meets all that a filter asks of a dependency. What is unknown meets nothing. */
function isInWindow(use: ItemUse, filter: Filter): boolean {
  const { dependency_status: status } = filter
  if (status === 'active' && (use.statuses & statusBits.active) === 0) return false
  if (status === 'removed' && (use.statuses & statusBits.removed) === 0) return false
  return (
    isBetween(readFirstUse(use), filter.first_use_since, filter.first_use_until) &&
    isBetween(readLastUse(use), filter.last_use_since, filter.last_use_until)
  )
}

function isBetween(
  date: number | null | undefined,
  since: number | undefined,
  until: number | undefined,
): boolean {
  if (since === undefined && until === undefined) return true
  if (date === null || date === undefined) return false
  return (since === undefined || date >= since) && (until === undefined || date < until)
}

/** Names of dependencies: the terms of each, or all names in the files that the filter asks for. */
export type DatedNames = readonly (readonly DatedTerm[])[] | 'all_of_files'

/** Finds the items of which one use, of any of the names, is as a filter asks. */
export async function findInWindow(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  names: DatedNames,
  edition: string,
): Promise<Bitmap | 'outdated'> {
  const found = new Bitmap()
  const onUse = (use: ItemUse) => {
    if (isInWindow(use, filter)) found.add(use.id)
  }
  const isCurrent =
    names === 'all_of_files'
      ? await readFileUses(sql, list, filter.dependency_files ?? [], edition, onUse)
      : await readDatedItems(sql, list, names, edition, onUse)
  return isCurrent ? found : 'outdated'
}
