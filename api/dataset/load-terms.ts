import type { Fragment } from '../database/connect.ts'
import { stagingTable, type TermKind } from '../staging/staging-tables.ts'
import type { Load } from './staged-load.ts'

/**
 * Adds the terms of a load that the dataset lacks, by the ids that its rows name them by (`staging/staged-terms.ts`). If another
 * load has added the same term in the meantime, the rows get its id. Terms that no item has at the end of the change are removed.
 */
export async function addTerms(load: Load): Promise<void> {
  await renumberTerms(load)
  const { tx } = load
  const staged = (kind: TermKind) => tx`${tx(stagingTable(kind, load.importId))}`
  // Locations are unique by MD5: of two new texts with the same one, only the first is added, and no filter finds the second.
  await tx`
    with added as (
      insert into locations (id, location, location_key, country)
      select id, location, location_key, country from ${staged('locations')} s
      where not exists (select from locations l where md5(l.location_key) = md5(s.location_key))
      on conflict do nothing
      returning id, location_key
    ), noted as (
      insert into new_terms select id from added
    )
    insert into set_changes select 'locations', id, '{}', trigram_terms(location_key) from added`
  await tx`
    with added as (
      insert into attributes (id, name, value, spelling)
      select id, name, value, spelling from ${staged('attributes')} s
      where not exists (select from attributes a where a.name = s.name and a.value = s.value)
      returning id
    )
    insert into new_terms select id from added`
  const missing = tx`
    (
      select * from ${staged('dependencies')} s where not exists (select from dependencies d where ${isSame(load)})
    ) n`
  // The row of a file comes first, because its dependencies name it.
  await tx`
    insert into dependencies (id, name, name_key, file, status)
    select id, name, name_key, file, status from ${missing} where name = ''`
  await tx`
    insert into dependencies (id, name, name_key, file, status, file_dependency_id)
    select n.id, n.name, n.name_key, n.file, n.status, f.id
    from ${missing} join dependencies f on f.name = '' and f.file = n.file and f.status is not distinct from n.status`
}

/** SQL: whether the row `d` of `dependencies` is the staged one `s`. */
function isSame({ tx }: Load): Fragment {
  return tx`d.name = s.name and d.file = s.file and d.status is not distinct from s.status`
}

/** Gives staged rows the ids of terms that have another id in the dataset. */
async function renumberTerms(load: Load): Promise<void> {
  const { tx, importId } = load
  const staged = (kind: TermKind) => tx`${tx(stagingTable(kind, importId))}`
  const { count } = await tx`
    create temporary table renumbered_terms on commit drop as
    select s.id as staged_id, l.id from ${staged('locations')} s
      join locations l on md5(l.location_key) = md5(s.location_key) and l.location_key = s.location_key
    where l.id <> s.id
    union all
    select s.id, a.id from ${staged('attributes')} s join attributes a using (name, value) where a.id <> s.id
    union all
    select s.id, d.id from ${staged('dependencies')} s join dependencies d on ${isSame(load)} where d.id <> s.id`
  if (count === 0) return
  for (const kind of ['users', 'repos'] as const) {
    await tx`
      update ${tx(stagingTable(kind, importId))} set term_ids = array(
        select coalesce(r.id, term_id) from unnest(term_ids) as term_id left join renumbered_terms r on staged_id = term_id
      )`
  }
  await tx`
    update ${tx(stagingTable('repos', importId))} s set
      dependency_ids = d.dependency_ids, first_use_dates = d.first_use_dates, last_use_dates = d.last_use_dates
    from (
      select position, array_agg(id order by id) as dependency_ids, array_agg(first_use_date order by id) as first_use_dates,
        array_agg(last_use_date order by id) as last_use_dates
      from (
        select position, coalesce(r.id, dependency_id) as id, first_use_date, last_use_date
        from ${tx(stagingTable('repos', importId))},
          unnest(dependency_ids, first_use_dates, last_use_dates) as n(dependency_id, first_use_date, last_use_date)
          left join renumbered_terms r on staged_id = dependency_id
      ) n
      group by position
    ) d
    where d.position = s.position`
}
