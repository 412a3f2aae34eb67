/**
 * The rules that classify users may differ from those that the stored users were classified by. Then the next load
 * classifies these again, in the same change.
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { listColumns, RowBuffer } from '../database/row-buffer.ts'
import { isBot, type NamedAccounts } from '../names/automation-accounts.ts'
import { findCountry } from '../names/places/country.ts'
import { digestUserRules } from '../names/user-rules.ts'
import { toAttributeValue, typeOf } from '../staging/attributes.ts'
import { replaceTerms } from './item-terms.ts'
import { type DatasetChange, noteGained } from './pending-change.ts'
import { readBatches } from './read-batches.ts'

/** Classifies all users again if the rules have changed since they were. Staged users are classified by these rules. */
export async function renewUsers(change: DatasetChange, named: NamedAccounts = new Map()): Promise<void> {
  const { tx } = change
  const rules = digestUserRules(named)
  const [other] = await tx`select 1 from dataset where user_rules <> ${rules}`
  if (other === undefined) return
  await tx`
    create temporary table moved_attributes (
      user_id integer not null, name text not null, lost text, gained text, spelling text
    ) on commit drop`
  await renewCountries(tx)
  await renewBots(tx, named)
  await tx`
    with added as (
      insert into attributes (name, value, spelling)
      select distinct on (name, gained) name, gained, spelling from moved_attributes
      where gained is not null and not exists (
        select from attributes a where a.name = moved_attributes.name and a.value = gained
      )
      order by name, gained, spelling
      returning id
    )
    insert into new_terms select id from added`
  await replaceTerms(
    change,
    'users',
    tx`
      select id, u.term_ids as old_term_ids,
        array(select term_id from unnest(u.term_ids) as term_id where term_id <> all (lost || gained)) || gained as term_ids
      from users u join (
        select user_id as id, array_remove(array_agg(l.id), null) as lost, array_remove(array_agg(g.id), null) as gained
        from moved_attributes m left join attributes l on (l.name, l.value) = (m.name, m.lost)
          left join attributes g on (g.name, g.value) = (m.name, m.gained)
        group by 1
      ) moved using (id)`,
  )
  await noteGained(change, 'users', tx`select user_id from moved_attributes where gained is not null`)
  await tx`update dataset set user_rules = ${rules}`
}

const movedColumns = listColumns({ id: 'integer', lost: 'text', gained: 'text' })

async function renewCountries(tx: SqlOrTransaction): Promise<void> {
  await tx`
    create temporary table moved_locations (id integer primary key, lost text, gained text) on commit drop`
  const batches = readBatches<{ id: number; location: string; country: string | null }>(
    (last, limit) => tx`
      select id, location, country from locations where id > ${last}::integer order by id limit ${limit}`,
  )
  const moved = new RowBuffer()
  for await (const locations of batches) {
    for (const { id, location, country } of locations) {
      const found = findCountry(location) ?? null
      if (found !== country) moved.add(movedColumns, { id, lost: country, gained: found })
    }
    await moved.copyInto(tx, 'moved_locations')
  }
  await tx`analyze moved_locations`
  await tx`update locations l set country = gained from moved_locations m where l.id = m.id`
  await tx`
    insert into moved_attributes
    select u.id, 'country', lost, gained
    from users u cross join unnest(u.term_ids) as term_id join moved_locations m on m.id = term_id`
}

async function renewBots(tx: SqlOrTransaction, named: NamedAccounts): Promise<void> {
  const batches = readBatches<{
    id: number
    wasBot: boolean
    type: string
    login: string
    name: string | null
  }>(
    (last, limit) => tx`
      select id, is_bot as "wasBot", document::json ->> 'type' as type, document::json ->> 'login' as login,
        document::json ->> 'name' as name
      from users where id > ${last}::integer order by id limit ${limit}`,
  )
  for await (const users of batches) {
    const moved = users
      .filter((user) => isBot(user, named) !== user.wasBot)
      .map(({ id, wasBot, type }) => {
        const [before, spelling] = [typeOf({ type }, wasBot), typeOf({ type }, !wasBot)]
        const [lost, gained] = [before, spelling].map((value) => toAttributeValue('texts', value))
        return { user_id: id, name: 'type', lost, gained, spelling: spelling.trim() }
      })
    if (moved.length === 0) continue
    await tx`
      with moved as (
        insert into moved_attributes
        select * from json_populate_recordset(null::moved_attributes, ${JSON.stringify(moved)}::text::json)
        returning user_id
      ), renewed as (
        update users set is_bot = not is_bot where id in (select user_id from moved)
      )
      insert into affected_users select user_id from moved on conflict do nothing`
  }
}
