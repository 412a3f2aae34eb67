/**
 * What a load removes, and what it brings back.
 *
 * @module
 */
import type { Fragment } from '../../database/connect.ts'
import { stagingTable } from '../staging.ts'
import type { DatasetChange } from './dataset-change.ts'
import { removeRepositories, removeUsers } from './removal.ts'
import type { Load } from './staged-load.ts'

/** Records that removed users or repositories exist again. `added` selects each `forge_rest_id` that was added. */
export async function recordReturns(
  { tx, version }: DatasetChange,
  kind: 'user' | 'repository',
  added: Fragment,
): Promise<void> {
  await tx`
    with returned as (
      delete from removals where kind = ${kind} and forge_rest_id in (${added}) returning kind, forge_rest_id
    )
    insert into returns (kind, forge_rest_id, version)
    select kind, forge_rest_id, ${version} from returned
    on conflict (kind, forge_rest_id) do update set version = excluded.version`
}

/** Removes the users and repositories that a load names. Those that aren't in the dataset are skipped. */
export async function applyRemovals(load: Load): Promise<void> {
  const { tx } = load
  const staged = tx(stagingTable('removals', load.importId))
  const [removal] = await tx`select 1 from ${staged} limit 1`
  if (removal === undefined) return
  await removeUsers(
    load,
    tx`select id from users join ${staged} s using (forge_rest_id) where s.kind = 'user'`,
  )
  await removeRepositories(
    load,
    tx`select id from repositories join ${staged} s using (forge_rest_id) where s.kind = 'repository'`,
  )
}
