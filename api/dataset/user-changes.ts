import { isLocalDocument } from '../catalog/document-lookup.ts'
import { stagingTable } from '../staging/staging-tables.ts'
import { noteIdentities } from './contributions.ts'
import { noteRecordTerms } from './item-terms.ts'
import { analyzeTables, noteGained } from './pending-change.ts'
import { noteReturns } from './removal.ts'
import { countApplied, type Load } from './staged-load.ts'

/** Drops staged users whose record in the dataset comes from the forge or a file, not from their commits. */
export async function dropKnownUsers({ tx, importId }: Load): Promise<void> {
  await tx`
    delete from ${tx(stagingTable('users', importId))} s using users u
    where u.forge_rest_id = s.forge_rest_id
      and not ${isLocalDocument(tx, tx`u.document`)}`
}

/** Inserts and updates users, with their identities. */
export async function applyUsers(load: Load): Promise<void> {
  const { tx, version } = load
  const staged = tx(stagingTable('users', load.importId))
  await tx`
    create temporary table changed_users on commit drop as
    select s.position, u.term_ids as old_term_ids, u.id is null as is_new, u.is_bot <> s.is_bot as has_other_kind,
      u.login_key <> s.login_key as has_other_login,
      coalesce(
        u.id,
        (select last_user_id from dataset) + row_number() over (partition by u.id is null order by s.position)
      )::integer as id
    from ${staged} s
    left join users u using (forge_rest_id)
    where u.id is null or u.document <> s.document`
  await tx`analyze changed_users`
  // Their repositories gain a contributor of the new name.
  await noteGained(
    load,
    'repositories',
    tx`
      select c.repository_id
      from changed_users n join identities i on i.user_id = n.id join contributions c using (identity)
      where n.has_other_login and c.kind = 'author'`,
  )
  await noteIdentities(
    load,
    tx`select n.id as user_id, unnest(s.identities) as identity from changed_users n join ${staged} s using (position)`,
  )
  await tx`
    update users u set login_key = s.login_key, is_bot = s.is_bot, term_ids = s.term_ids, version = ${version},
      document = s.document
    from changed_users c join ${staged} s using (position)
    where u.id = c.id and not c.is_new`
  await tx`
    insert into users (id, forge_rest_id, login_key, is_bot, term_ids, version, document)
    select c.id, s.forge_rest_id, s.login_key, s.is_bot, s.term_ids, ${version}, s.document
    from changed_users c join ${staged} s using (position) where c.is_new`
  await noteReturns(
    load,
    'user',
    tx`select s.forge_rest_id from changed_users c join ${staged} s using (position) where c.is_new`,
  )
  await noteRecordTerms(
    load,
    'users',
    tx`select *, false as keeps_version from changed_users join ${staged} using (position)`,
  )
  await tx`
    insert into identities (identity, user_id)
    select unnest(s.identities), c.id from changed_users c join ${staged} s using (position) where c.is_new order by 1, 2`
  await tx`
    with changed as (
      select c.id, s.identities from changed_users c join ${staged} s using (position) where not c.is_new
    ), lost as (
      delete from identities i using changed c
      where i.user_id = c.id and not i.is_further and i.identity <> all (c.identities)
      returning i.user_id
    ), gained as (
      insert into identities (identity, user_id)
      select distinct n.identity, c.id from changed c, unnest(c.identities) as n(identity)
      where n.identity <> all (array(select i.identity from identities i where i.user_id = c.id and not i.is_further))
      order by n.identity, c.id
      returning user_id
    )
    insert into affected_users
    select user_id from lost union select user_id from gained
    union select id from changed_users where is_new or has_other_kind
    on conflict do nothing`
  await analyzeTables(load, ['users', 'identities'])
  await countApplied(load, 'users', 'changed_users')
}
