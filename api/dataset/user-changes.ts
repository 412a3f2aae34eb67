import { isLocalDocument } from '../catalog/document-lookup.ts'
import { addNewAttributes, noteRecordTerms, selectTerms } from './attribute-terms.ts'
import { findCountries } from './countries.ts'
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
  const records = {
    changed: 'changed_users',
    staged: stagingTable('users', load.importId),
    record: tx`document`,
  }
  const staged = tx(records.staged)
  await tx`
    create temporary table changed_users on commit drop as
    select s.position, u.term_ids as old_term_ids, u.id is null as is_new, u.is_bot <> s.is_bot as has_other_kind,
      coalesce(
        u.id,
        (select last_user_id from dataset) + row_number() over (partition by u.id is null order by s.position)
      )::integer as id
    from ${staged} s
    left join users u using (forge_rest_id)
    where u.id is null or u.document <> s.document`
  await tx`analyze changed_users`
  await addNewLocations(load, records.staged)
  await analyzeTables(load, ['locations'])
  await addNewAttributes(load, records)
  const locations = tx`
    select position, unnest(array[l.id, a.id]) as term_id
    from changed_users join ${staged} s using (position)
      left join locations l on md5(l.location_key) = md5(s.location_key) and l.location_key = s.location_key
      left join attributes a on a.name = 'country' and a.value = l.country`
  await tx`
    create temporary table changed_user_terms on commit drop as ${selectTerms(tx, records, locations)}`
  await tx`analyze changed_user_terms`
  await tx`
    update users u set login_key = s.login_key, is_bot = s.is_bot, term_ids = t.term_ids, version = ${version},
      document = s.document
    from changed_users c join ${staged} s using (position) join changed_user_terms t using (position)
    where u.id = c.id and not c.is_new`
  await tx`
    insert into users (id, forge_rest_id, login_key, is_bot, term_ids, version, document)
    select c.id, s.forge_rest_id, s.login_key, s.is_bot, t.term_ids, ${version}, s.document
    from changed_users c join ${staged} s using (position) join changed_user_terms t using (position) where c.is_new`
  await noteReturns(
    load,
    'user',
    tx`select s.forge_rest_id from changed_users c join ${staged} s using (position) where c.is_new`,
  )
  await noteRecordTerms(load, 'users', { changed: records.changed, terms: 'changed_user_terms' })
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

/**
 * Adds the locations that no user had before this load. All users who have one are in `changed_users`, so its row gets its
 * final `users_count` at once.
 */
async function addNewLocations({ tx }: Load, staged: string): Promise<void> {
  await tx`
    create temporary table new_locations on commit drop as
    select nextval('term_ids')::integer as id, location, location_key, null::text as country, users_count
    from (
      select distinct on (location_key) location, location_key,
        (count(*) over (partition by location_key))::integer as users_count
      from changed_users join ${tx(staged)} s using (position)
      where location_key is not null and not exists (
        select from locations l where md5(l.location_key) = md5(s.location_key)
      )
      order by location_key, position
    ) l`
  await tx`create unique index on new_locations (id)`
  await findCountries(tx, 'new_locations')
  await tx`
    with added as (
      insert into locations (id, location, location_key, country, users_count) select * from new_locations order by id
      on conflict do nothing -- if two new texts have the same MD5, no filter finds the second
      returning id, location_key
    )
    insert into set_changes select 'locations', id, '{}', trigram_terms(location_key) from added`
}
