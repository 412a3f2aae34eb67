/** Checks and asks before a load removes what its files lack. */
import { itemKinds, type Removals } from '../dataset/mirror.ts'
import { assertRemovalsBounded } from '../dataset/removal-bound.ts'
import { canAsk, confirm, type Terminal } from './confirm.ts'
import { countOf, formatCount } from './output.ts'

/** How the operator allows removals. */
export interface RemovalOptions {
  yes?: true | undefined
  /** The bound of each kind. Default: that of `removalBound`, unless a person is asked. */
  maxRemovals?: number | undefined
}

/** Describes removals; undefined if there are none. */
export function describeRemovals({ missing, stored }: Removals): string | undefined {
  if (Object.values(missing).every((count) => count === 0)) return undefined
  const of = (count: number, all: string) => `${formatCount(count)} of ${all}`
  const counts = [
    of(missing.users, countOf(stored.users, 'user')),
    ...(missing.addresses > 0
      ? [`the further addresses of ${of(missing.addresses, countOf(stored.addresses, 'user'))}`]
      : []),
    of(missing.repositories, countOf(stored.repositories, 'repository', 'repositories')),
    of(missing.commits, countOf(stored.commits, 'commit')),
  ]
  return `This load removes what the files lack: ${counts.join(', ')}`
}

/**
 * Allows the removals of a load, or throws `OperatorError`; then nothing may have been changed. A person at a terminal
 * is asked, whatever the number, because they have seen the counts. Where nobody is asked, and with `maxRemovals`,
 * there is a bound.
 */
export async function confirmRemovals(
  { missing, stored }: Removals,
  { yes, maxRemovals }: RemovalOptions,
  terminal?: Terminal,
): Promise<void> {
  if (maxRemovals !== undefined || !canAsk({ yes }, terminal)) {
    assertRemovalsBounded(
      itemKinds.map(([kind, name]) => ({ kind: name, removed: missing[kind], stored: stored[kind] })),
      maxRemovals,
    )
  }
  await confirm('Remove them?', { yes }, terminal)
}
