/**
 * The terms of a load, and their ids. A staged row names a term by its id in the database. The id of a new term is
 * reserved when the first row names it. So applying the load compares the text of each distinct term once, not that of
 * each row.
 *
 * The terms themselves are staged, too, because new terms aren't in the database yet, and another load may remove known
 * ones in the meantime (`dataset/load-terms.ts`).
 */
import { areAllReady } from '../catalog/derived-terms.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { type Column, listColumns, RowBuffer, type WrittenRow } from '../database/row-buffer.ts'
import { keyDependencyName } from '../names/dependency-names.ts'
import { findCountry } from '../names/places/country.ts'
import { searchableTexts, type TextName, textNames } from '../names/searchable-texts.ts'
import { type Attribute, countryAttribute } from './attributes.ts'
import type { DependencyRecord } from './records.ts'
import type { TermsOfRow } from './staged-rows.ts'
import { stagingTable, type TermKind, termTables } from './staging-tables.ts'

/** Terms of a kind that are kept in memory, at about 200 bytes each. Others are looked up again. */
const maxKept = 100_000

/** A term that rows name. */
interface Term {
  /** In the database. Undefined: no row with it was staged yet. */
  id: number | undefined
  /** Of a text that names one. */
  country: Term | undefined
}

/** The terms of a row, which get their ids later. */
export interface NamedTerms {
  texts: readonly Term[]
  attributes: readonly Term[]
  declared: readonly DeclaredTerm[] | undefined
}

/** What a repository declares, and when it did, in Unix seconds. Null dates are unknown. */
interface DeclaredTerm {
  term: Term
  firstUse: number | null
  lastUse: number | null
}

/** The terms of a load that is being staged. */
export interface StagedTerms {
  /** Names the terms of a row. */
  name(row: TermsOfRow): NamedTerms | undefined
  /** Stages all terms that were named. Their ids are known then. */
  stage(tx: SqlOrTransaction): Promise<void>
}

/** Writes the ids of a row's terms, and the dates of what it declares, for these columns of its table. */
export function writeTerms({ texts, attributes, declared }: NamedTerms): Record<string, Column> {
  const countries = texts.flatMap(({ country }) => country ?? [])
  const term_ids = [...texts, ...attributes, ...countries].map(getId)
  if (declared === undefined) return { term_ids }
  const sorted = declared.toSorted((a, b) => getId(a.term) - getId(b.term))
  return {
    term_ids,
    dependency_ids: sorted.map(({ term }) => getId(term)),
    first_use_dates: sorted.map(({ firstUse }) => firstUse),
    last_use_dates: sorted.map(({ lastUse }) => lastUse),
  }
}

function getId({ id }: Term): number {
  if (id === undefined) throw new Error('a term is used before it is staged')
  return id
}

interface Dependency {
  /** Empty: any dependency of the file. */
  name: string
  file: string
  status: DependencyRecord['status']
}

/** What the database knows of a term. */
interface FoundTerm {
  /** In the list that was asked for, from 1. */
  place: number
  id: number
  isStaged: boolean
  /** A searchable text, as its first user has it. Null: it is new, or the term is not one. */
  text: string | null
  /** The country of a text by the rules of this process. Empty: it names none. Null: it has to be found. */
  country: string | null
}

/** How the terms of a kind are compared, found and written. */
interface TermRules<What> {
  kind: TermKind
  /** Its columns, without the id. `text` is that of `FoundTerm`. */
  columnsOf(what: What, found: { text: string | null; country: string | null }): WrittenRow
  findCountry?(what: What, found: Pick<FoundTerm, 'text' | 'country'>): string | undefined
  /** SQL: `place`, `id` (null: it is new), `text`, `country` and `is_staged` of terms. */
  find(tx: SqlOrTransaction, asked: readonly What[], tables: { staged: Fragment; stored: Fragment }): Fragment
}

/**
 * A term has the text of its first user, however others spell it. All spellings have one country. The
 * stored country may be by other rules than those of this process, `userRules`, until the load is applied. If the rules are
 * the same, it isn't found again, because reading all names of places takes a second.
 */
function createTextRules(name: TextName, userRules: string): TermRules<string> {
  const { table: kind, columns, fold } = searchableTexts[name]
  const [textColumn, keyColumn, ...others] = columns
  const hasCountry = others.length > 0
  return {
    kind,
    columnsOf: (own, { text, country }) => ({ [textColumn]: text ?? own, [keyColumn]: fold(own), country }),
    findCountry(own, { text, country }) {
      if (!hasCountry || country === '') return undefined
      return country ?? findCountry(text ?? own)
    },
    find(tx, texts, { staged, stored }) {
      const column = (row: Fragment, each: string) => tx`${row}.${tx(each)}`
      const isSame = (row: Fragment) => tx`
        md5(${column(row, keyColumn)}) = md5(key) and ${column(row, keyColumn)} = key`
      // `only_row` has an index. Without one, the planner would think that the statement takes long (see `stage`).
      const isClassified = tx`(exists (select from dataset where only_row and user_rules = ${userRules}) and ${areAllReady(tx)})`
      const country = tx`
        case when s.id is not null then coalesce(s.country, '')
          when ${isClassified} and t.id is not null then coalesce(t.country, '')
        end`
      return tx`
        select place, coalesce(s.id, t.id) as id, coalesce(${column(tx`s`, textColumn)}, ${column(tx`t`, textColumn)}) as text,
          ${hasCountry ? country : tx`null`} as country, s.id is not null as is_staged
        from unnest(${tx.typed.texts(texts.map(fold))}) with ordinality as a(key, place)
          left join ${staged} s on ${isSame(tx`s`)} left join ${stored} t on ${isSame(tx`t`)}`
    },
  }
}

const attributeRules: TermRules<Attribute> = {
  kind: 'attributes',
  columnsOf: ({ name, value, spelling }) => ({ name, value, spelling }),
  find: (tx, attributes, { staged, stored }) => tx`
      select place, coalesce(s.id, t.id) as id, null as text, null as country, s.id is not null as is_staged
      from unnest(
        ${tx.typed.texts(attributes.map(({ name }) => name))}, ${tx.typed.texts(attributes.map(({ value }) => value))}
      ) with ordinality as a(name, value, place)
        left join ${staged} s using (name, value) left join ${stored} t using (name, value)`,
}

const dependencyRules: TermRules<Dependency> = {
  kind: 'dependencies',
  columnsOf: ({ name, file, status }) => ({
    name,
    name_key: name === '' ? '' : keyDependencyName(name, file),
    file,
    status,
  }),
  find: (tx, dependencies, { staged, stored }) => {
    const isSame = (row: Fragment) => tx`
        ${row}.name = a.name and ${row}.file = a.file and ${row}.status is not distinct from nullif(a.status, '')`
    return tx`
        select place, coalesce(s.id, t.id) as id, null as text, null as country, s.id is not null as is_staged
        from unnest(
          ${tx.typed.texts(dependencies.map(({ name }) => name))}, ${tx.typed.texts(dependencies.map(({ file }) => file))},
          ${tx.typed.texts(dependencies.map(({ status }) => status ?? ''))}
        ) with ordinality as a(name, file, status, place)
          left join ${staged} s on ${isSame(tx`s`)} left join ${stored} t on ${isSame(tx`t`)}`
  },
}

/** The terms of one kind that a load has met. They are found in `known`. */
function createTerms<What>(importId: number, rules: TermRules<What>, known: { clear(): void }) {
  let kept = 0
  /** Those that aren't staged. */
  let pending: { term: Term; what: What }[] = []
  const columns = listColumns({ id: 'integer', ...termTables[rules.kind].columns })
  const rows = new RowBuffer()
  return {
    create(what: What): Term {
      const term: Term = { id: undefined, country: undefined }
      pending.push({ term, what })
      kept++
      return term
    },
    /** Returns the texts that name a country. */
    async stage(tx: SqlOrTransaction): Promise<{ text: Term; country: string }[]> {
      const asked = pending
      if (asked.length === 0) return []
      pending = []
      if (kept > maxKept) {
        known.clear()
        kept = 0
      }
      const table = stagingTable(rules.kind, importId)
      const found = await tx<FoundTerm[]>`
        select place, coalesce(id, nextval('term_ids'))::integer as id, is_staged as "isStaged", text, country
        from (${rules.find(
          tx,
          asked.map(({ what }) => what),
          { staged: tx`${tx(table)}`, stored: tx`${tx(rules.kind)}` },
        )}) f`
      const located: { text: Term; country: string }[] = []
      for (const { place, id, isStaged, text, country: storedCountry } of found) {
        const { term, what } = asked[place - 1] ?? {}
        if (term === undefined || what === undefined)
          throw new Error('a term was found that was not asked for')
        term.id = id
        const country = rules.findCountry?.(what, { text, country: storedCountry }) ?? null
        if (country !== null) located.push({ text: term, country })
        if (!isStaged) rows.add(columns, { id, ...rules.columnsOf(what, { text, country }) })
      }
      await rows.copyInto(tx, table)
      return located
    },
  }
}

function findOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = create()
    map.set(key, value)
  }
  return value
}

function createTextTerms(importId: number, name: TextName, userRules: string) {
  const known = new Map<string, Term>()
  const terms = createTerms(importId, createTextRules(name, userRules), known)
  return {
    /** Names a text of a row. An empty text has no term. */
    name(text: string): Term[] {
      const key = searchableTexts[name].fold(text)
      return key === '' ? [] : [findOrAdd(known, key, () => terms.create(text))]
    },
    stage: terms.stage,
  }
}

function createAttributeTerms(importId: number) {
  /** By name and value. */
  const known = new Map<string, Map<string, Term>>()
  const terms = createTerms(importId, attributeRules, known)
  return {
    name(attribute: Attribute): Term {
      const ofName = findOrAdd(known, attribute.name, () => new Map<string, Term>())
      return findOrAdd(ofName, attribute.value, () => terms.create(attribute))
    },
    stage: terms.stage,
  }
}

function createDependencyTerms(importId: number) {
  /** By status, file and name. To join these into one key would take several times as long. */
  const known = new Map<Dependency['status'], Map<string, Map<string, Term>>>()
  const terms = createTerms(importId, dependencyRules, known)
  const name = (ofFile: Map<string, Term>, dependency: Dependency) =>
    findOrAdd(ofFile, dependency.name, () => terms.create(dependency))
  return {
    /** Names dependencies and, for each file and status, what means any dependency. */
    name(dependencies: readonly DependencyRecord[]): DeclaredTerm[] {
      const files = new Map<Map<string, Term>, Dependency>()
      const declared = dependencies.map(
        ({ dependency, status, first_use_date, last_use_date }): DeclaredTerm => {
          const { dependency_name: own, dependency_file: file } = dependency
          const ofFile = findOrAdd(
            findOrAdd(known, status, () => new Map<string, Map<string, Term>>()),
            file,
            () => new Map<string, Term>(),
          )
          findOrAdd(files, ofFile, () => ({ name: '', file, status }))
          return {
            term: name(ofFile, { name: own, file, status }),
            firstUse: first_use_date,
            // What is declared has no last use yet, whatever the record says.
            lastUse: status === 'active' ? null : last_use_date,
          }
        },
      )
      for (const [ofFile, any] of files)
        declared.push({ term: name(ofFile, any), firstUse: null, lastUse: null })
      return declared
    },
    stage: terms.stage,
  }
}

/** Creates the terms of a load that has none yet. `userRules` is what `digestUserRules` returns. */
export function createStagedTerms(importId: number, userRules: string): StagedTerms {
  const texts = textNames.map((name) => ({ name, terms: createTextTerms(importId, name, userRules) }))
  const attributes = createAttributeTerms(importId)
  const dependencies = createDependencyTerms(importId)
  return {
    name({ terms: named, dependencies: declared }) {
      return (
        named && {
          texts: texts.flatMap(({ name, terms }) => terms.name(named.texts?.[name] ?? '')),
          attributes: named.attributes.map(attributes.name),
          declared: declared && dependencies.name(declared),
        }
      )
    },
    async stage(tx) {
      // Terms are looked up one by one: the planner doesn't know how large the load's tables are by now.
      await tx`
        select set_config(name, 'off', true)
        from unnest('{enable_hashjoin,enable_mergejoin,enable_seqscan}'::text[]) as name`
      for (const { terms } of texts) {
        for (const { text, country } of await terms.stage(tx)) {
          text.country = attributes.name(countryAttribute(country))
        }
      }
      await attributes.stage(tx)
      await dependencies.stage(tx)
    },
  }
}
