import { secondsPerDay } from '../catalog/attribute-values.ts'
import type { AttributeName } from '../catalog/filters.ts'
import { noteTerms } from './item-terms.ts'
import { analyzeTables, type DatasetChange, noteGained } from './pending-change.ts'

const activeDay: AttributeName = 'active_day'

/** Updates when users last authored a commit: those of `affected_users` and of `active_users`. */
export async function applyActivity(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`
    create temporary table changed_activity on commit drop as
    select user_id, known.term_id as old_term_id, found.last_date,
      floor(found.last_date / ${secondsPerDay}::numeric)::bigint as day,
      found.last_date > coalesce(known.last_date, found.last_date - 1) as is_later
    from (
      select u.user_id, max(c.last_date) as last_date
      from (select user_id from affected_users union select user_id from active_users) u
        left join identities i using (user_id) left join contributions c using (identity)
      group by 1
    ) found left join user_activity known using (user_id)
    where found.last_date is distinct from known.last_date`
  await tx`analyze changed_activity`
  await tx`
    insert into attributes (name, value)
    select distinct ${activeDay}, day::text from changed_activity
    where day is not null and day not in (select number from attributes where name = ${activeDay})`
  await noteTerms(
    change,
    'users',
    tx`
      select user_id as id, array_remove(array[old_term_id], null) as old_term_ids,
        array_remove(array[a.id], null) as term_ids
      from changed_activity left join attributes a on a.name = ${activeDay} and a.number = day`,
  )
  await noteGained(change, 'users', tx`select user_id from changed_activity where is_later`)
  await tx`delete from user_activity a using changed_activity c where a.user_id = c.user_id and c.last_date is null`
  await tx`
    insert into user_activity
    select user_id, last_date, a.id from changed_activity join attributes a on a.name = ${activeDay} and a.number = day
    on conflict (user_id) do update set last_date = excluded.last_date, term_id = excluded.term_id`
  await analyzeTables(change, ['user_activity'])
}
