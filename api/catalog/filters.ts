/**
 * What clients can ask of `/users` and `/repos`: a row for each filter. How a filter is read, when it is 400, its
 * canonical form, its terms and its condition follow from the row.
 */
import { maxPageSize } from '../paging/page.ts'
import { maxFilterTextLength } from './attribute-values.ts'

/** A list of the catalog. */
export type ListName = 'users' | 'repositories'

/** How names on the forge are written: those of accounts, and those of repositories. */
export type NameForm = 'NAME' | 'OWNER/NAME'

/** A comma-separated list of at most `maxEntries`, each of at most `maxLength` characters. */
interface EntriesRow {
  /**
   * What an item must have: any of the `texts`, case-insensitive; any of the `exactTexts`; any of the `substrings`,
   * which have a parameter each, because they may contain commas; any of the `countries`; an address in any of the
   * `domains`; a contribution to or by any of the `names` on the forge; or each of the `options`.
   */
  kind: 'texts' | 'exactTexts' | 'substrings' | 'countries' | 'domains' | 'names' | 'options'
  maxEntries: number
  maxLength: number
  options?: readonly string[]
  /** How names are written. */
  form?: NameForm
}

interface NumberRow {
  /**
   * What an item must have: this number, which is above 0, or a higher one; this time (Unix seconds) or a later one; a
   * use of one of the dependencies that began or ended since this time, or before it (`use-window.ts`); or a change
   * after this version. Beside other filters, it is enough that the item gained something that a filter can ask.
   */
  kind: 'minimum' | 'time' | 'use' | 'version'
}

interface WordRow {
  /** One of the `options`, true or false, or the name of an account. */
  kind: 'option' | 'flag' | 'account'
  options?: readonly string[]
}

/** The declaration of a filter. */
export type FilterRow = (EntriesRow | NumberRow | WordRow) & {
  /** The list that has this filter. Absent: both. */
  list?: ListName
  /** Without any of these filters, this one is 400. */
  needs?: readonly string[]
  /**
   * The attribute whose terms are asked for, or `use_dates`, which has none. Absent: `conditions.ts` has a condition
   * for this filter alone.
   */
  attribute?: string
  /** The field of records that becomes the attribute. Absent: `dataset/` derives the attribute in a way of its own. */
  field?: string
  /** 0.1.0 doesn't have it, so a database may lack its terms (`derived-terms.ts`). */
  isLater?: true
  /** What `by` of `GET /counts` calls it. With an attribute, no item has two of its values. */
  by?: string
}

const entries = { maxEntries: 50, maxLength: maxFilterTextLength } as const
const texts = { kind: 'texts', ...entries } as const
const names = { ...entries, kind: 'names', maxEntries: 20 } as const
const use = {
  kind: 'use',
  attribute: 'use_dates',
  needs: ['dependency_names', 'dependency_files'],
  isLater: true,
} as const
const ofUsers = { list: 'users' } as const
const ofRepositories = { list: 'repositories' } as const

/** The filters. Messages list them in this order. */
const rows = {
  location: { ...ofUsers, ...entries, kind: 'substrings', maxEntries: 20 },
  company: { ...ofUsers, ...entries, kind: 'substrings', maxEntries: 20, isLater: true },
  country: { ...ofUsers, ...entries, kind: 'countries', attribute: 'country', by: 'country' },
  owner: { ...ofRepositories, kind: 'account' },
  contributor: { ...ofRepositories, ...names, form: 'NAME' },
  dependency_names: { ...texts, by: 'dependency' },
  dependency_match: { kind: 'option', options: ['any', 'all'], needs: ['dependency_names'] },
  without_dependency_names: texts,
  dependency_files: { ...entries, kind: 'exactTexts' },
  dependency_status: {
    kind: 'option',
    options: ['active', 'removed'],
    needs: ['dependency_names', 'without_dependency_names', 'dependency_files'],
  },
  first_use_since: use,
  first_use_until: use,
  last_use_since: use,
  last_use_until: use,
  type: { ...ofUsers, ...texts, attribute: 'type', field: 'type', by: 'type' },
  has: {
    ...ofUsers,
    ...entries,
    kind: 'options',
    options: ['email', 'name', 'company', 'location', 'bio'],
    attribute: 'has',
  },
  email_domain: {
    ...ofUsers,
    ...entries,
    kind: 'domains',
    attribute: 'email_domain',
    field: 'email',
    isLater: true,
  },
  min_followers: { ...ofUsers, kind: 'minimum', attribute: 'followers', field: 'followers' },
  active_since: { ...ofUsers, kind: 'time', attribute: 'active_day' },
  contributed_to: { ...ofUsers, ...names, form: 'OWNER/NAME' },
  language: { ...ofRepositories, ...texts, attribute: 'language', field: 'language', by: 'language' },
  license: { ...ofRepositories, ...texts, attribute: 'license', field: 'license', by: 'license' },
  min_stars: { ...ofRepositories, kind: 'minimum', attribute: 'stars', field: 'stargazers_count' },
  min_forks: { ...ofRepositories, kind: 'minimum', attribute: 'forks', field: 'forks_count', isLater: true },
  fork: { ...ofRepositories, kind: 'flag', attribute: 'fork', field: 'fork', by: 'fork' },
  archived: { ...ofRepositories, kind: 'flag', attribute: 'archived', field: 'archived', by: 'archived' },
  pushed_since: { ...ofRepositories, kind: 'time', attribute: 'pushed_day', field: 'pushed_at' },
  changed_since: { kind: 'version' },
} as const satisfies Record<string, FilterRow>

/** A batch look-up: a filter by what items are called, which no other filter may be beside. */
export interface LookUpRow extends Pick<EntriesRow, 'maxEntries'> {
  list?: ListName
  by: 'name' | 'forgeRestId'
  form: NameForm | 'INTEGER'
}

/** The batch look-ups by name. */
export const lookUps: Readonly<Record<string, LookUpRow>> = {
  logins: { ...ofUsers, by: 'name', form: 'NAME', maxEntries: maxPageSize },
  full_names: { ...ofRepositories, by: 'name', form: 'OWNER/NAME', maxEntries: maxPageSize },
  forge_rest_ids: { by: 'forgeRestId', form: 'INTEGER', maxEntries: maxPageSize },
}

type Rows = typeof rows
export type FilterName = keyof Rows
type NameOf<Row> = { [Name in FilterName]: Rows[Name] extends Row ? Name : never }[FilterName]
export type EntriesFilter = NameOf<EntriesRow>
export type NumberFilter = NameOf<NumberRow>
type WordFilter = NameOf<WordRow>

/** Names of attributes, as the database has them. */
export type AttributeName = Extract<Rows[FilterName], { attribute: string }>['attribute']
/** The fields of a list's records that become attributes. */
export type AttributeField<List extends ListName> = Extract<
  Rows[FilterName],
  { list: List; field: string }
>['field']

/** What a request asks for, by the names of the filters that it has. An item must meet each. */
export type FilterValues = { [Name in EntriesFilter]?: readonly string[] | undefined } & {
  [Name in NumberFilter]?: number | undefined
} & { [Name in WordFilter]?: string | undefined }

export const filters: { readonly [Name in FilterName]: Rows[Name] & FilterRow } = rows
export const filterNames = Object.keys(rows).filter(isFilter)

export function isFilter(name: string): name is FilterName {
  return Object.hasOwn(rows, name)
}

export function hasEntries(name: FilterName): name is EntriesFilter {
  return 'maxEntries' in rows[name]
}

export function hasNumber(name: FilterName): name is NumberFilter {
  const { kind } = rows[name]
  return kind === 'minimum' || kind === 'time' || kind === 'use' || kind === 'version'
}

/** Lists the names of a list's filters, batch look-ups last. */
export function listFilters(list: ListName): string[] {
  return [...Object.entries<FilterRow>(rows), ...Object.entries(lookUps)]
    .filter(([, row]) => (row.list ?? list) === list)
    .map(([name]) => name)
}

/** What `GET /counts` can divide a list's items by. */
export interface Division {
  by: string
  /** Absent: the names of dependencies, of which an item may have several. */
  attribute: string | undefined
}

/** Lists what a list's items can be divided by. */
export function listDivisions(list: ListName): Division[] {
  return Object.values<FilterRow>(rows).flatMap(({ by, attribute, list: own = list }) =>
    by === undefined || own !== list ? [] : [{ by, attribute }],
  )
}
