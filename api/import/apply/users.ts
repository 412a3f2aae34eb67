import type { SqlOrTransaction } from '../../database/connect.ts'
import { type Change, countChanges, isOfStep, isSuperseded, type Step } from './step.ts'

/** Applies the staged users of a step. */
export async function applyUsers(tx: SqlOrTransaction, step: Step): Promise<Change> {
  await tx`
    create temporary table changed_users on commit drop as
    select s.*, u.location_id as old_location_id, u.id is null as is_new,
      coalesce(
        u.id,
        (select coalesce(max(id), 0) from users) + row_number() over (partition by u.id is null order by s.position)
      )::integer as id
    from import_users s
    left join users u using (forge_rest_id)
    where ${isOfStep(tx, step)}
      and not ${isSuperseded(tx, 'import_users')}
      and (u.id is null ${step.onlyNew ? tx`` : tx`or u.document <> s.document`})`
  await tx`analyze changed_users`
  await tx`
    insert into locations (location_key)
    select distinct location_key from changed_users where location_key is not null
    on conflict do nothing`
  await tx`alter table changed_users add column location_id integer`
  await tx`
    update changed_users c set location_id = l.id from locations l
    where md5(l.location_key) = md5(c.location_key) and l.location_key = c.location_key`
  await tx`
    update users u set login_key = c.login_key, location_id = c.location_id, document = c.document
    from changed_users c where u.id = c.id and not c.is_new`
  await tx`
    insert into users (id, forge_rest_id, login_key, location_id, document)
    select id, forge_rest_id, login_key, location_id, document from changed_users where is_new order by id`
  await tx`
    delete from location_users l using changed_users c
    where l.location_id = c.old_location_id and l.user_id = c.id and c.location_id is distinct from c.old_location_id`
  await tx`
    insert into location_users (location_id, user_id)
    select location_id, id from changed_users
    where location_id is not null and location_id is distinct from old_location_id
    order by location_id, id`
  await tx`
    with lost as (
      delete from identities i using changed_users c
      where i.user_id = c.id and i.identity <> all (c.identities)
      returning i.user_id
    ), gained as (
      insert into identities (identity, user_id)
      select identity, id from changed_users, unnest(identities) as identity order by identity, id
      on conflict do nothing
      returning user_id
    )
    insert into import_affected_users (import_id, user_id)
    select ${step.importId}::bigint, user_id from lost union select ${step.importId}::bigint, user_id from gained`
  return countChanges(tx, 'changed_users')
}
