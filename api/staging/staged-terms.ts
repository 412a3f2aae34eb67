/**
 * The terms of a load, and their ids. A staged row names a term by its id in the database. The id of a new term is reserved
 * when the first row names it. So applying the load compares the text of each distinct term once, not that of each row.
 *
 * The terms themselves are staged, too, because new terms aren't in the database yet, and another load may remove known ones in the
 * meantime (`dataset/load-terms.ts`).
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { type Column, copyInto, writeRow } from '../database/copy.ts'
import { foldLocation } from '../names/case-folding.ts'
import { keyDependencyName } from '../names/dependency-names.ts'
import { findCountry } from '../names/places/country.ts'
import { type Attribute, countryAttribute, keyAttribute } from './attributes.ts'
import type { Declaration, TermsOfRow } from './staged-rows.ts'
import { stagingTable, type TermKind } from './staging-tables.ts'

/** Terms that are kept in memory, at about 200 bytes each. Others are looked up again. */
const maxKept = 200_000

/** The columns of a row that name terms. */
type TermColumns = Readonly<Record<string, Column>>

/** The terms of a load that is being staged. */
export interface StagedTerms {
  /** Stages the terms of rows, as far as they aren't. Returns the columns of each row that name them. */
  stage(tx: SqlOrTransaction, rows: readonly TermsOfRow[]): Promise<TermColumns[]>
}

type Dependency = Pick<Declaration, 'name' | 'file' | 'status'>

/** What the database knows of a term. */
interface FoundTerm {
  /** In the list that was asked for, from 1. */
  place: number
  id: number
  isStaged: boolean
  /** A location's, as its first user has it. Null: it is new, or not a location. */
  text: string | null
}

/** What is kept of a term. */
interface KnownTerm {
  id: number
  /** Of a location. */
  country: string | null
}

/** The terms of a kind, and how they are found and written. */
interface Terms<Term> {
  kind: TermKind
  /** By `keyOf`. */
  known: Map<string, KnownTerm>
  /** What distinguishes a term from the others of its kind. */
  keyOf(term: Term): string
  /** Its columns after the id. `text` is that of `FoundTerm`, and `country` what `findCountry` has found. */
  columnsOf(term: Term, location: { text: string | null; country: string | null }): Column[]
  findCountry?(term: Term, text: string | null): string | undefined
  /** SQL: `place`, `id` (null: it is new), `text` and `is_staged` of terms. */
  find(tx: SqlOrTransaction, terms: readonly Term[], tables: { staged: Fragment; stored: Fragment }): Fragment
}

/**
 * A location has the text of its first user, and the country of that text, however others spell it. The country is found by the
 * rules of this process, because that in the database may be of other rules until the load is applied.
 */
function createLocations(): Terms<string> {
  return {
    kind: 'locations',
    known: new Map(),
    keyOf: foldLocation,
    columnsOf: (location, { text, country }) => [text ?? location, foldLocation(location), country],
    findCountry: (location, text) => findCountry(text ?? location),
    find: (tx, locations, { staged, stored }) => tx`
      select place, coalesce(s.id, t.id) as id, coalesce(s.location, t.location) as text, s.id is not null as is_staged
      from unnest(${tx.typed.texts(locations.map(foldLocation))}) with ordinality as a(key, place)
        left join ${staged} s on md5(s.location_key) = md5(key) and s.location_key = key
        left join ${stored} t on md5(t.location_key) = md5(key) and t.location_key = key`,
  }
}

function createAttributes(): Terms<Attribute> {
  return {
    kind: 'attributes',
    known: new Map(),
    keyOf: keyAttribute,
    columnsOf: ({ name, value, spelling }) => [name, value, spelling],
    find: (tx, attributes, { staged, stored }) => tx`
      select place, coalesce(s.id, t.id) as id, null as text, s.id is not null as is_staged
      from unnest(
        ${tx.typed.texts(attributes.map(({ name }) => name))}, ${tx.typed.texts(attributes.map(({ value }) => value))}
      ) with ordinality as a(name, value, place)
        left join ${staged} s using (name, value) left join ${stored} t using (name, value)`,
  }
}

function createDependencies(): Terms<Dependency> {
  return {
    kind: 'dependencies',
    known: new Map(),
    keyOf: ({ name, file, status }) => `${name}\0${file}\0${status}`,
    columnsOf: ({ name, file, status }) => [
      name,
      name === '' ? '' : keyDependencyName(name, file),
      file,
      status,
    ],
    find: (tx, dependencies, { staged, stored }) => {
      const isSame = (row: Fragment) => tx`
        ${row}.name = a.name and ${row}.file = a.file and ${row}.status is not distinct from nullif(a.status, '')`
      return tx`
        select place, coalesce(s.id, t.id) as id, null as text, s.id is not null as is_staged
        from unnest(
          ${tx.typed.texts(dependencies.map(({ name }) => name))}, ${tx.typed.texts(dependencies.map(({ file }) => file))},
          ${tx.typed.texts(dependencies.map(({ status }) => status ?? ''))}
        ) with ordinality as a(name, file, status, place)
          left join ${staged} s on ${isSame(tx`s`)} left join ${stored} t on ${isSame(tx`t`)}`
    },
  }
}

function get<Term>({ kind, known, keyOf }: Terms<Term>, term: Term): KnownTerm {
  const found = known.get(keyOf(term))
  if (found === undefined) throw new Error(`a term of the ${kind} is unknown: ${keyOf(term)}`)
  return found
}

/** Creates the terms of a load that has none yet. */
export function createStagedTerms(importId: number): StagedTerms {
  const locations = createLocations()
  const attributes = createAttributes()
  const dependencies = createDependencies()

  /** Learns the ids of terms, and stages those that the load meets for the first time. */
  async function learn<Term>(tx: SqlOrTransaction, terms: Terms<Term>, met: readonly Term[]): Promise<void> {
    const { kind, keyOf, find, known } = terms
    const unknown = new Map<string, Term>()
    for (const term of met) {
      const key = keyOf(term)
      if (!known.has(key) && !unknown.has(key)) unknown.set(key, term) // as the first one spells it
    }
    if (unknown.size === 0) return
    const table = stagingTable(kind, importId)
    const tables = { staged: tx`${tx(table)}`, stored: tx`${tx(kind)}` }
    const asked = [...unknown]
    const found = await tx<FoundTerm[]>`
      select place, coalesce(id, nextval('term_ids'))::integer as id, is_staged as "isStaged", text
      from (${find(tx, [...unknown.values()], tables)}) f`
    const lines: string[] = []
    for (const term of found) {
      const [key, what] = asked[term.place - 1] ?? []
      if (key === undefined || what === undefined) throw new Error('a term was found that was not asked for')
      const country = terms.findCountry?.(what, term.text) ?? null
      known.set(key, { id: term.id, country })
      if (!term.isStaged) lines.push(writeRow([term.id, ...terms.columnsOf(what, { ...term, country })]))
    }
    await copyInto(tx, table, lines)
  }

  function listAttributes({ terms }: TermsOfRow): readonly Attribute[] {
    if (terms === undefined) return []
    const country = terms.location == null ? null : get(locations, terms.location).country
    return country === null ? terms.attributes : [...terms.attributes, countryAttribute(country)]
  }

  return {
    async stage(tx, rows) {
      if (rows.every(({ terms }) => terms === undefined)) return rows.map(() => ({}))
      // Terms are looked up one by one: the planner doesn't know how large the load's tables are by now.
      await tx`
        select set_config(name, 'off', true)
        from unnest('{enable_hashjoin,enable_mergejoin,enable_seqscan}'::text[]) as name`
      for (const { known } of [locations, attributes, dependencies]) if (known.size > maxKept) known.clear()
      await learn(
        tx,
        locations,
        rows.flatMap(({ terms }) => terms?.location ?? []),
      )
      await learn(tx, attributes, rows.flatMap(listAttributes))
      await learn(
        tx,
        dependencies,
        rows.flatMap(({ declarations = [] }) => declarations),
      )
      return rows.map((row): TermColumns => {
        const { terms, declarations } = row
        const location = terms?.location == null ? [] : [get(locations, terms.location).id]
        const declared = declarations
          ?.map((declaration) => ({ ...declaration, id: get(dependencies, declaration).id }))
          .sort((a, b) => a.id - b.id)
        return {
          ...(terms && {
            term_ids: [...location, ...listAttributes(row).map((term) => get(attributes, term).id)],
          }),
          ...(declared && {
            dependency_ids: declared.map(({ id }) => id),
            first_use_dates: declared.map(({ firstUse }) => firstUse),
            last_use_dates: declared.map(({ lastUse }) => lastUse),
          }),
        }
      })
    },
  }
}
