/**
 * How much a load may remove: an empty or truncated file, or a forge in trouble, must not empty the dataset. The
 * operator sets the bound with `--max-removals`.
 */
import { ImportError } from '../staging/import-error.ts'

/** What a load would remove of one kind. */
export interface KindRemovals {
  /** The plural: `users`. */
  kind: string
  removed: number
  /** In the dataset, before the load. */
  stored: number
}

/** Returns how many of the stored items of a kind a load may remove, unless the operator sets another bound. */
export function removalBound(stored: number): number {
  return Math.max(10, Math.floor(stored / 10))
}

/**
 * Throws `ImportError`, with the counts of the kinds of which a load would remove too many. `maxRemovals` is the bound
 * of each kind, instead of `removalBound`.
 */
export function assertRemovalsBounded(
  removals: readonly KindRemovals[],
  maxRemovals: number | undefined,
): void {
  const excessive = removals.filter(({ removed, stored }) => removed > (maxRemovals ?? removalBound(stored)))
  if (excessive.length === 0) return
  const counts = excessive.map(
    ({ kind, removed, stored }) => `${formatCount(removed)} of ${formatCount(stored)} ${kind}`,
  )
  const rule =
    maxRemovals === undefined
      ? 'Without --max-removals, a load may remove a tenth of the items of a kind, or 10 if that is more'
      : `It may remove ${formatCount(maxRemovals)} of each kind (--max-removals)`
  const needed = Math.max(...excessive.map(({ removed }) => removed))
  throw new ImportError(
    `This load would remove ${new Intl.ListFormat('en-US').format(counts)}. ${rule}. Nothing was changed; ` +
      `to remove them nevertheless, use --max-removals ${needed}`,
  )
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
