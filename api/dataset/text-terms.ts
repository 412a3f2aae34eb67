/** The terms of searchable texts: adds them, and removes those that nobody has any more. */
import { listTrigramTerms } from '../catalog/text-search.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { RowBuffer } from '../database/row-buffer.ts'
import { searchableTexts, type TextName, type TextTable, textNames } from '../names/searchable-texts.ts'
import { planRanges } from '../sets/term-slices.ts'
import { type DatasetChange, setChangeColumns } from './pending-change.ts'

/** SQL: whether the row `t` of a text's table is the row `s`. */
export function isSameText(tx: SqlOrTransaction, name: TextName): Fragment {
  const key = tx(searchableTexts[name].columns[1])
  return tx`md5(t.${key}) = md5(s.${key}) and t.${key} = s.${key}`
}

/**
 * Adds those texts that the dataset lacks, also to the sets of their trigrams. `rows` selects `id` and the columns of
 * the table.
 */
export async function addTexts({ tx }: DatasetChange, name: TextName, rows: Fragment): Promise<void> {
  const { table, columns } = searchableTexts[name]
  const key = tx(columns[1])
  const all = tx.unsafe(columns.join())
  const added = tx`
    insert into ${tx(table)} (id, ${all})
    select id, ${all} from ${rows} s
    where not exists (select from ${tx(table)} t where md5(t.${key}) = md5(s.${key}))
    on conflict do nothing
    returning id, ${key} as key`
  await changeTexts(tx, table, added, 'gained')
}

/** Texts whose trigrams are listed at a time. */
const textsPerRange = 20_000

/**
 * Adds or removes texts. `changed` is a statement that does so, and returns `id` and `key` of each. Notes the changes
 * of their trigrams' sets in `set_changes`, and the ids of added texts in `new_terms`. Returns the number of texts.
 */
async function changeTexts(
  tx: SqlOrTransaction,
  table: TextTable,
  changed: Fragment,
  change: 'lost' | 'gained',
): Promise<number> {
  await tx`create temporary table changed_texts (id integer primary key, key text not null) on commit drop`
  const { count } =
    await tx`with changed as (${changed}) insert into changed_texts select id, key from changed`
  if (change === 'gained') await tx`insert into new_terms select id from changed_texts`
  const texts = `select '${table}'::list_name as list, id, 1 as size from changed_texts`
  const noted = new RowBuffer()
  for (const { first, last } of await planRanges(tx, texts, textsPerRange)) {
    const rows = copyRows(tx, `select id, key from changed_texts where id between ${first} and ${last}`)
    for await (const [id, key] of rows) {
      const none = { list: table, id: readInteger(id), lost: [], gained: [] }
      noted.add(setChangeColumns, { ...none, [change]: listTrigramTerms(String(key)) })
    }
    await noted.copyInto(tx, 'set_changes')
  }
  await tx`drop table changed_texts`
  return count
}

/** Finds the ids of texts, and adds those that the dataset lacks. Returns them by text. Empty ones are left out. */
export async function findTexts(
  change: DatasetChange,
  name: TextName,
  texts: readonly string[],
): Promise<Map<string, number>> {
  const { tx } = change
  const { table, columns, fold } = searchableTexts[name]
  const [textColumn, keyColumn] = columns
  const keys = new Map(texts.map((text) => [text, fold(text)]))
  const distinct = new Map(
    [...keys].reverse().map(([text, key]) => [key, { [textColumn]: text, [keyColumn]: key }]),
  )
  distinct.delete('')
  const rows = tx`json_populate_recordset(null::${tx(table)}, ${JSON.stringify([...distinct.values()])}::text::json)`
  const others = tx.unsafe(columns.join())
  const isKnown = tx`exists (select from ${tx(table)} t where ${isSameText(tx, name)})`
  const unknown = tx`select nextval('term_ids')::integer as id, ${others} from ${rows} s where not ${isKnown}`
  await addTexts(change, name, tx`(${unknown})`)
  const found = await tx<{ id: number; key: string }[]>`
    select t.id, t.${tx(keyColumn)} as key from ${rows} s join ${tx(table)} t on ${isSameText(tx, name)}`
  const ids = new Map(found.map(({ id, key }) => [key, id]))
  return new Map(
    [...keys].flatMap(([text, key]): [string, number][] => {
      const id = ids.get(key)
      return id === undefined ? [] : [[text, id]]
    }),
  )
}

/**
 * Removes texts that no user has any more. Their removal from the sets of their trigrams is noted in `set_changes`.
 * `isUnused` is SQL: whether a row may have no users. Returns whether there were any.
 */
export async function removeUnusedTexts(tx: SqlOrTransaction, isUnused: Fragment): Promise<boolean> {
  let removed = 0
  for (const name of textNames) {
    const { table, columns } = searchableTexts[name]
    const unused = tx`
      delete from ${tx(table)} where ${isUnused} and users_count = 0 returning id, ${tx(columns[1])} as key`
    removed += await changeTexts(tx, table, unused, 'lost')
  }
  return removed > 0
}
