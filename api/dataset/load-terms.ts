import type { Fragment } from '../database/connect.ts'
import { searchableTexts, type TextName, textNames } from '../names/searchable-texts.ts'
import { stagingTable, type TermKind, termKinds } from '../staging/staging-tables.ts'
import type { Load } from './staged-load.ts'
import { addTexts, isSameText } from './text-terms.ts'

/**
 * Adds the terms that staged rows name and the dataset lacks, by their reserved ids (`staging/staged-terms.ts`). If
 * another load has added the same term in the meantime, the rows get its id. Terms that no item has at the end of the
 * change are removed: those of lines that aren't loaded, such as of forgotten people.
 */
export async function addTerms(load: Load): Promise<void> {
  const { tx, importId } = load
  const staged = (kind: TermKind) => tx`${tx(stagingTable(kind, importId))}`
  for (const kind of termKinds) await tx`analyze ${tx(stagingTable(kind, importId))}`
  for (const name of textNames) await addTexts(load, name, staged(searchableTexts[name].table))
  await tx`
    with added as (
      insert into attributes (id, name, value, spelling)
      select id, name, value, spelling from ${staged('attributes')} s
      where not exists (select from attributes a where a.name = s.name and a.value = s.value)
      returning id
    )
    insert into new_terms select id from added`
  // Found first: a statement that searches the table into which it inserts may read what it has inserted again and
  // again.
  await tx`
    create temporary table new_dependencies on commit drop as
    select * from ${staged('dependencies')} s where not exists (select from dependencies d where ${isSame(load)})`
  await tx`analyze new_dependencies`
  await tx`
    insert into dependencies (id, name, name_key, file, status)
    select id, name, name_key, file, status from new_dependencies where name = ''`
  await tx`
    with files as materialized (select id, file, status from dependencies where name = '')
    insert into dependencies (id, name, name_key, file, status, file_dependency_id)
    select n.id, n.name, n.name_key, n.file, n.status, f.id
    from new_dependencies n join files f on f.file = n.file and f.status is not distinct from n.status
    where n.name <> ''`
  await tx`insert into new_terms select id from new_dependencies`
  await renumberTerms(load, staged)
}

/** SQL: whether the row `d` of `dependencies` is the staged one `s`. */
function isSame({ tx }: Load): Fragment {
  return tx`d.name = s.name and d.file = s.file and d.status is not distinct from s.status`
}

/**
 * Gives staged rows the ids that their terms have in the dataset. Searchable texts are unique by MD5: of two with the
 * same one, only the first is there, so rows lose the second.
 */
async function renumberTerms(load: Load, staged: (kind: TermKind) => Fragment): Promise<void> {
  const { tx, importId } = load
  // To look for the ids takes less than to compare all texts again.
  const selectOthers = (kind: TermKind) => tx`(
    select * from ${staged(kind)} s where not exists (select from ${tx(kind)} t where t.id = s.id)
  )`
  const renumberTexts = (name: TextName) => {
    const { table } = searchableTexts[name]
    return tx`
      select s.id as staged_id, t.id from ${selectOthers(table)} s left join ${tx(table)} t on ${isSameText(tx, name)}`
  }
  const { count } = await tx`
    create temporary table renumbered_terms on commit drop as
    select staged_id, id from (${textNames.map(renumberTexts).reduce((all, each) => tx`${all} union all ${each}`)}) t
    union all
    select s.id, a.id from ${selectOthers('attributes')} s join attributes a using (name, value)
    union all
    select s.id, d.id from ${selectOthers('dependencies')} s join dependencies d on ${isSame(load)}`
  if (count === 0) return
  await tx`analyze renumbered_terms`
  const newId = (id: Fragment) => tx`case when r.staged_id is null then ${id} else r.id end`
  for (const kind of ['users', 'repos'] as const) {
    const table = tx(stagingTable(kind, importId))
    await tx`
      update ${table} s set term_ids = array_remove(n.term_ids, null)
      from (
        select position, array_agg(${newId(tx`term_id`)}) as term_ids
        from (select position, unnest(term_ids) as term_id from ${table}) n left join renumbered_terms r on staged_id = term_id
        group by position having count(r.staged_id) > 0
      ) n
      where n.position = s.position`
  }
  const repos = tx(stagingTable('repos', importId))
  await tx`
    update ${repos} s set
      dependency_ids = n.dependency_ids, first_use_dates = n.first_use_dates, last_use_dates = n.last_use_dates
    from (
      select position, array_agg(id order by id) as dependency_ids, array_agg(first_use_date order by id) as first_use_dates,
        array_agg(last_use_date order by id) as last_use_dates
      from (
        select position, ${newId(tx`dependency_id`)} as id, first_use_date, last_use_date, r.staged_id
        from (
          select position, unnest(dependency_ids) as dependency_id, unnest(first_use_dates) as first_use_date,
            unnest(last_use_dates) as last_use_date
          from ${repos}
        ) n left join renumbered_terms r on staged_id = dependency_id
      ) n
      group by position having count(staged_id) > 0
    ) n
    where n.position = s.position`
}
