import { isLocalDocument } from '../catalog/document-lookup.ts'
import { allTerm } from '../catalog/stored-sets.ts'
import { type AppliedRows, analyzeTables } from './pending-change.ts'
import { noteReturns } from './removal.ts'
import { countApplied, type Load } from './staged-load.ts'
import { stagingTable } from './staging.ts'

/** Drops staged users whose record in the dataset comes from the forge or a file, not from their commits. */
export async function dropKnownUsers({ tx, importId }: Load): Promise<void> {
  await tx`
    delete from ${tx(stagingTable('users', importId))} s using users u
    where u.forge_rest_id = s.forge_rest_id
      and not ${isLocalDocument(tx, tx`u.document`)}`
}

/** Inserts and updates users, with their locations and identities. */
export async function applyUsers(load: Load): Promise<AppliedRows> {
  const { tx, version } = load
  const staged = tx(stagingTable('users', load.importId))
  await tx`
    create temporary table changed_users on commit drop as
    select s.position, u.location_id as old_location_id, u.id is null as is_new, u.is_bot <> s.is_bot as has_other_kind,
      coalesce(
        u.id,
        (select last_user_id from dataset) + row_number() over (partition by u.id is null order by s.position)
      )::integer as id
    from ${staged} s
    left join users u using (forge_rest_id)
    where u.id is null or u.document <> s.document`
  await tx`analyze changed_users`
  // Known locations are left out first: each conflict would use up an id.
  await tx`
    with added as (
      insert into locations (location_key)
      select distinct location_key from changed_users join ${staged} s using (position)
      where location_key is not null and not exists (
        select from locations l where md5(l.location_key) = md5(s.location_key) and l.location_key = s.location_key
      )
      on conflict do nothing returning id, location_key
    )
    insert into set_changes
    select term_id, 'locations', id, true from added, unnest(trigram_terms(location_key)) as term_id`
  await analyzeTables(load, ['locations'])
  await tx`
    create temporary table changed_locations on commit drop as
    select c.id, c.is_new, c.old_location_id, l.id as location_id, c.position,
      l.id is distinct from c.old_location_id as has_moved
    from changed_users c join ${staged} s using (position)
      left join locations l on md5(l.location_key) = md5(s.location_key) and l.location_key = s.location_key`
  await tx`analyze changed_locations`
  await tx`
    update users u set login_key = s.login_key, location_id = c.location_id, is_bot = s.is_bot,
      version = ${version}, document = s.document
    from changed_locations c join ${staged} s using (position) where u.id = c.id and not c.is_new`
  await tx`
    insert into users (id, forge_rest_id, login_key, location_id, is_bot, version, document)
    select c.id, s.forge_rest_id, s.login_key, c.location_id, s.is_bot, ${version}, s.document
    from changed_locations c join ${staged} s using (position) where c.is_new`
  await noteReturns(
    load,
    'user',
    tx`select s.forge_rest_id from changed_users c join ${staged} s using (position) where c.is_new`,
  )
  await tx`
    insert into set_changes
    select term_id, 'users', id, is_gained
    from changed_locations c, lateral (
      values (${allTerm}, is_new, true), (old_location_id, has_moved, false), (location_id, has_moved, true)
    ) as change(term_id, is_changed, is_gained)
    where is_changed and term_id is not null`
  await tx`
    with changed as (
      select c.id, s.identities from changed_users c join ${staged} s using (position)
    ), lost as (
      delete from identities i using changed c
      where i.user_id = c.id and not i.is_further and i.identity <> all (c.identities)
      returning i.user_id
    ), gained as (
      insert into identities (identity, user_id)
      select n.identity, c.id from changed c, unnest(c.identities) as n(identity)
      order by n.identity, c.id
      on conflict do nothing
      returning user_id
    )
    insert into affected_users
    select user_id from lost union select user_id from gained union select id from changed_users where has_other_kind
    on conflict do nothing`
  await analyzeTables(load, ['users', 'identities'])
  return countApplied(load, 'changed_users')
}
