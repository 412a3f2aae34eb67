/**
 * Terms that stored items lack, because the version of devdata that loaded them didn't know the attribute
 * (`catalog/derived-terms.ts`).
 *
 * @module
 */
import { listUnready } from '../catalog/derived-terms.ts'
import type { ListName } from '../catalog/filters.ts'
import { renderMembers } from '../catalog/stored-documents.ts'
import type { Fragment } from '../database/connect.ts'
import {
  addNewAttributes,
  createColumns,
  type FieldValue,
  listAttributes,
  listFields,
  replaceTerms,
  selectTerms,
} from './attribute-terms.ts'
import type { DatasetChange } from './pending-change.ts'
import { readBatches } from './read-batches.ts'

/** Derives missing terms from the stored records of all items. Then the filters that ask for them are ready. */
export async function deriveMissingTerms(change: DatasetChange): Promise<void> {
  const { tx } = change
  const missing = [...new Set((await listUnready(tx)).map(({ attribute }) => attribute))]
  if (missing.length === 0) return
  await deriveTerms(change, 'users', missing, tx`document`)
  await deriveTerms(change, 'repositories', missing, renderMembers(tx, tx`members`))
  await tx`
    update dataset set derived_terms = derived_terms || (
      select jsonb_object_agg(attribute, version) from unnest(${tx.typed.texts(missing)}) as missing(attribute)
    )`
}

/** Derives the terms of those of the attributes that a list has. `record` is SQL: the JSON text of an item's record. */
async function deriveTerms(
  change: DatasetChange,
  list: ListName,
  attributes: readonly string[],
  record: Fragment,
): Promise<void> {
  const { tx } = change
  const fields = listFields(list, attributes)
  if (fields.length === 0) return
  // As if each item were a changed record, whose attributes are staged.
  await tx`
    create temporary table derived_attributes (
      position integer primary key, attribute_names text[] not null, attribute_values text[] not null
    ) on commit drop`
  const batches = readBatches<{ id: number; fields: Record<string, FieldValue> | null }>(
    (last, limit) => tx`
      select id, (
        select json_object_agg(key, value) from json_each(${record}::json) where key = any (${tx.typed.texts(fields)})
      ) as fields
      from ${tx(list)} where id > ${last}::integer order by id limit ${limit}`,
  )
  for await (const items of batches) {
    const rows = items.map((item) => ({
      position: item.id,
      ...createColumns(listAttributes(list, item.fields ?? {})), // null: the record has none of them
    }))
    await tx`
      insert into derived_attributes
      select * from json_populate_recordset(null::derived_attributes, ${JSON.stringify(rows)}::text::json)`
  }
  await tx`analyze derived_attributes`
  const records = { changed: 'derived_attributes', staged: 'derived_attributes' }
  await addNewAttributes(change, {
    ...records,
    record: tx`(select ${record} from ${tx(list)} where id = position)`,
  })
  await replaceTerms(
    change,
    list,
    tx`
      select id, i.term_ids as old_term_ids, kept || coalesce(t.term_ids, '{}') as term_ids
      from ${tx(list)} i left join (${selectTerms(tx, records)}) t on position = id,
        lateral (
          select array(
            select term_id from unnest(i.term_ids) as term_id
            where term_id not in (select id from attributes where name = any (${tx.typed.texts(attributes)}))
          ) as kept
        ) k
      where not (
        kept || coalesce(t.term_ids, '{}') @> i.term_ids and kept || coalesce(t.term_ids, '{}') <@ i.term_ids
      )`,
  )
  await tx`drop table derived_attributes`
}
