/**
 * Terms that stored items lack, because the version of devdata that loaded them didn't know the attribute
 * (`catalog/derived-terms.ts`).
 */
import { listUnready } from '../catalog/derived-terms.ts'
import type { ListName } from '../catalog/filters.ts'
import { renderMembers } from '../catalog/stored-documents.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { listColumns, RowBuffer } from '../database/row-buffer.ts'
import { isTextName, searchableTexts, type TextName } from '../names/searchable-texts.ts'
import {
  type Attribute,
  type FieldValue,
  keyAttribute,
  listAttributes,
  listFields,
} from '../staging/attributes.ts'
import { replaceTerms } from './item-terms.ts'
import type { DatasetChange } from './pending-change.ts'
import { readBatches } from './read-batches.ts'
import { deriveSets } from './set-derivation.ts'
import { findTexts } from './text-terms.ts'
import { deriveUseDates, useDates } from './use-dates.ts'

/** Derives missing terms from the stored records of all items. Then the filters that ask for them are ready. */
export async function deriveMissingTerms(change: DatasetChange): Promise<void> {
  const { tx } = change
  const missing = [...new Set((await listUnready(tx)).map(({ attribute }) => attribute))]
  if (missing.length === 0) return
  if (missing.includes(useDates)) await deriveUseDates(change)
  const isLeftBehind = await noteStoredTexts(tx, missing.filter(isTextName))
  await deriveTerms(change, 'users', missing, tx`document`)
  await deriveTerms(change, 'repositories', missing, renderMembers(tx, tx`members`))
  await tx`
    update dataset set
      user_rules = '', -- an older version may have loaded by its own rules after it had classified users
      derived_terms = derived_terms || (
        select jsonb_object_agg(attribute, version) from unnest(${tx.typed.texts(missing)}) as missing(attribute)
      )`
  if (!isLeftBehind) return
  // Their counts begin again. If the same load takes one away from its last item, its set is never seen to become empty.
  await tx`insert into new_terms select id from attributes union all select id from locations`
  await deriveSets(change)
}

/**
 * Notes the stored texts as terms that may have no users. Returns whether there are any: an older version has changed
 * users since they were derived. It doesn't know the table, so it has left their sets as they were, or has filled them
 * in its own way.
 */
async function noteStoredTexts(tx: SqlOrTransaction, names: readonly TextName[]): Promise<boolean> {
  let stored = 0
  for (const name of names) {
    stored += (await tx`insert into new_terms select id from ${tx(searchableTexts[name].table)}`).count
  }
  return stored > 0
}

const derivedColumns = listColumns({ id: 'integer', term_ids: 'integer[]' })

/** Derives the terms of those of the attributes that a list has. `record` is SQL: the JSON text of an item's record. */
async function deriveTerms(
  change: DatasetChange,
  list: ListName,
  attributes: readonly string[],
  record: Fragment,
): Promise<void> {
  const { tx } = change
  const texts = list === 'users' ? attributes.filter(isTextName) : []
  const fields = [...listFields(list, attributes), ...texts]
  if (fields.length === 0) return
  await tx`
    create temporary table derived_items (id integer primary key, term_ids integer[] not null) on commit drop`
  const batches = readBatches<{ id: number; fields: Record<string, FieldValue> | null }>(
    (last, limit) => tx`
      select id, (
        select json_object_agg(key, value) from json_each(${record}::json) where key = any (${tx.typed.texts(fields)})
      ) as fields
      from ${tx(list)} where id > ${last}::integer order by id limit ${limit}`,
  )
  const derived = new RowBuffer()
  for await (const items of batches) {
    const rows = items.map((item) => ({
      id: item.id,
      // null: the record has none of the fields. A field may be several attributes, and the item may have the others
      // already.
      attributes: listAttributes(list, item.fields ?? {}).filter(({ name }) => attributes.includes(name)),
      texts: texts.map((name) => String(item.fields?.[name] ?? '')),
    }))
    const attributeIds = await addAttributes(
      tx,
      rows.flatMap((row) => row.attributes),
    )
    const textIds: ReadonlyMap<string, number>[] = []
    for (const [place, name] of texts.entries()) {
      textIds.push(
        await findTexts(
          change,
          name,
          rows.map((row) => row.texts[place] ?? ''),
        ),
      )
    }
    for (const row of rows) {
      derived.add(derivedColumns, {
        id: row.id,
        term_ids: [
          ...row.attributes.map((attribute) => attributeIds.get(keyAttribute(attribute)) ?? null),
          ...row.texts.flatMap((text, place) => textIds[place]?.get(text) ?? []),
        ],
      })
    }
    await derived.copyInto(tx, 'derived_items')
  }
  await tx`analyze derived_items`
  const derivedTerms = texts.reduce(
    (all, name) => tx`${all} union all select id from ${tx(searchableTexts[name].table)}`,
    tx`select id from attributes where name = any (${tx.typed.texts(attributes)})`,
  )
  await replaceTerms(
    change,
    list,
    tx`
      select id, i.term_ids as old_term_ids, kept || d.term_ids as term_ids
      from ${tx(list)} i join derived_items d using (id),
        lateral (
          select array(
            select term_id from unnest(i.term_ids) as term_id
            where term_id not in (${derivedTerms})
          ) as kept
        ) k
      where not (kept || d.term_ids @> i.term_ids and kept || d.term_ids <@ i.term_ids)`,
  )
  await tx`drop table derived_items`
}

/** Adds attributes that the dataset lacks. Returns the ids of all, by `keyAttribute`. */
async function addAttributes(
  tx: SqlOrTransaction,
  attributes: readonly Attribute[],
): Promise<Map<string, number>> {
  const distinct = [...new Map(attributes.map((attribute) => [keyAttribute(attribute), attribute])).values()]
  const rows = tx`
    json_to_recordset(${JSON.stringify(distinct)}::text::json) as r (name text, value text, spelling text)`
  await tx`
    with added as (
      insert into attributes (name, value, spelling)
      select name, value, spelling from ${rows}
      where not exists (select from attributes a where a.name = r.name and a.value = r.value)
      returning id
    )
    insert into new_terms select id from added`
  const found = await tx<{ id: number; name: string; value: string }[]>`
    select id, name, value from attributes join ${rows} using (name, value)`
  return new Map(found.map((attribute) => [keyAttribute(attribute), attribute.id]))
}
