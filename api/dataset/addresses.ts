/** Further addresses of users: commits name their authors by them, as by the address of the user's record. */
import { hasAddresses } from '../catalog/stored-documents.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { stagingTable } from '../staging/staging-tables.ts'
import { noteIdentities } from './contributions.ts'
import { analyzeTables } from './pending-change.ts'
import { type Load, type OrphanOptions, removeOrphans } from './staged-load.ts'

/** Unstages the addresses of users who won't be in the dataset after the load. */
export function removeOrphanAddresses(load: Load, options: OrphanOptions): Promise<void> {
  const { tx, importId } = load
  const where = tx`
    not exists (select from ${tx(stagingTable('users', importId))} n where n.forge_rest_id = s.forge_rest_id)
    and (${options.areOthersRemoved} or not exists (select from users u where u.forge_rest_id = s.forge_rest_id))`
  return removeOrphans(load, 'identities', { where, document: tx`document`, ...options })
}

/** Replaces the further addresses of the users that a load names. */
export async function applyAddresses(load: Load): Promise<void> {
  const { tx, version, rows } = load
  const staged = tx(stagingTable('identities', load.importId))
  await tx`
    create temporary table changed_addresses on commit drop as
    select u.id as user_id, s.identities, s.document, a.user_id is null as is_new
    from ${staged} s join users u using (forge_rest_id) left join user_addresses a on a.user_id = u.id
    where a.document <> s.document or a.user_id is null and s.identities <> '{}'`
  await tx`analyze changed_addresses`
  await noteIdentities(load, tx`select user_id, unnest(identities) as identity from changed_addresses`)
  const { count: updated } = await tx`
    update user_addresses a set version = ${version}, document = c.document
    from changed_addresses c where a.user_id = c.user_id`
  const { count: added } = await tx`
    insert into user_addresses (user_id, version, document)
    select user_id, ${version}, document from changed_addresses where is_new`
  await tx`
    with lost as (
      delete from identities i using changed_addresses c
      where i.user_id = c.user_id and i.is_further and i.identity <> all (c.identities)
      returning i.user_id
    ), gained as (
      insert into identities (identity, user_id, is_further)
      select n.identity, c.user_id, true from changed_addresses c, unnest(c.identities) as n(identity)
      where not exists (
        select from identities i where i.identity = n.identity and i.user_id = c.user_id and i.is_further
      )
      order by n.identity, c.user_id
      returning user_id
    )
    insert into affected_users
    select user_id from lost union select user_id from gained
    on conflict do nothing`
  await analyzeTables(load, ['user_addresses', 'identities'])
  rows.addresses.added += added
  rows.addresses.updated += updated
}

/** Takes the further addresses of users away that a load lacks. */
export async function removeMissingAddresses(load: Load): Promise<void> {
  const { tx, version, rows } = load
  await tx`
    create temporary table missing_addresses on commit drop as ${selectMissingAddresses(tx, load.importId)}`
  // Empty, not deleted: an export of changes has to say so.
  const { count } = await tx`
    update user_addresses a set version = ${version},
      document = (select format('{"forge_rest_id":%s,"addresses":[]}', forge_rest_id) from users where id = a.user_id)
    from missing_addresses m where a.user_id = m.user_id`
  await tx`
    with lost as (
      delete from identities i using missing_addresses m where i.user_id = m.user_id and i.is_further returning i.user_id
    )
    insert into affected_users select distinct user_id from lost on conflict do nothing`
  rows.addresses.removed += count
}

/** SQL: users with further addresses that a load lacks. */
export function selectMissingAddresses(tx: SqlOrTransaction, importId: number): Fragment {
  return tx`
    select user_id from user_addresses join users u on u.id = user_id
    where ${hasAddresses(tx)} and not exists (
      select from ${tx(stagingTable('identities', importId))} s where s.forge_rest_id = u.forge_rest_id
    )`
}
