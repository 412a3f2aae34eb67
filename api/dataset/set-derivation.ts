/** The sets that the dataset should have, by the terms of its rows. */
import { keyColumnOf } from '../names/searchable-texts.ts'
import { deleteDerivedSets } from '../sets/set-parts.ts'
import type { IdRange } from '../sets/set-verification.ts'
import { allTerm, type SetList, setLists } from '../sets/stored-sets.ts'
import type { DatasetChange } from './pending-change.ts'

/** Derives all sets again at the end of the change: deletes them, and notes in `set_changes` all that they have. */
export async function deriveSets({ tx }: DatasetChange): Promise<void> {
  await tx`truncate set_changes`
  await deleteDerivedSets(tx)
  for (const list of setLists) {
    await tx.unsafe(`
      insert into set_changes select '${list}', id, '{}', term_ids from (${selectItems(list, everyId)}) i`)
  }
}

const everyId: IdRange = { first: 0, last: 2 ** 31 - 1 }

/** SQL: `id` of the items of a range, and `term_ids` that they have. */
export function selectItems(list: SetList, { first, last }: IdRange): string {
  const within = (id: string) => `${id} between ${first} and ${last}`
  if (list !== 'users' && list !== 'repositories') {
    return `select id, trigram_terms(${keyColumnOf(list)}) as term_ids from ${list} where ${within('id')}`
  }
  const items = {
    users: `
      select id, u.term_ids || dependency_ids || array[${allTerm}, a.term_id, v.term_id] as term_ids
      from users u left join user_dependencies d on d.user_id = id left join user_activity a on a.user_id = id
        left join dataset_versions v using (version)
      where ${within('id')}`,
    repositories: `
      select id, r.term_ids || dependency_ids || array[${allTerm}, v.term_id] as term_ids
      from repositories r left join repository_dependencies on repository_id = id
        left join dataset_versions v using (version)
      where ${within('id')}`,
  }
  return `select id, array_remove(term_ids, null) as term_ids from (${items[list]}) i`
}
