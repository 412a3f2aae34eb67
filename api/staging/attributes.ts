/**
 * The attributes of users and repositories: the fields of their records that filters can ask for, except dependencies
 * and searchable texts.
 */
import { dayOf, isLonger, maxFilterTextLength, nullableUserFields } from '../catalog/attribute-values.ts'
import {
  type AttributeField,
  type AttributeName,
  type FilterRow,
  filterNames,
  filters,
  type ListName,
} from '../catalog/filters.ts'
import { type SortRow, sortOrders } from '../catalog/sort-orders.ts'
import { foldDomain, foldText } from '../names/case-folding.ts'
import type { RepositoryRecord, UserRecord } from './records.ts'

/** An attribute that an item has. */
export interface Attribute {
  name: string
  /** As filters ask for it. */
  value: string
  /** As the record has it; null: it isn't a text of the record. */
  spelling: string | null
}

/** What distinguishes an attribute from all others. */
export function keyAttribute({ name, value }: Pick<Attribute, 'name' | 'value'>): string {
  return `${name}\0${value}`
}

/** Fields that records must have, because they are attributes. */
type FieldsOf<List extends ListName> = Record<AttributeField<List>, FieldValue>

/** The value of a field of records. */
export type FieldValue = string | number | boolean | null

const has: AttributeName = 'has'
const country: AttributeName = 'country'

/**
 * Lists the attributes of a user, except the country and the day of the last commit. Automation accounts have the type
 * `Bot`.
 */
export function listUserAttributes(user: UserRecord, isBot: boolean): Attribute[] {
  const fields: FieldsOf<'users'> = user
  return [
    ...listAttributes('users', { ...fields, type: typeOf(user, isBot) }),
    ...nullableUserFields
      .filter((field) => (user[field] ?? '') !== '')
      .map((field) => ({ name: has, value: field, spelling: null })),
  ]
}

/** The type that a user is found by. */
export function typeOf({ type }: Pick<UserRecord, 'type'>, isBot: boolean): string {
  return isBot ? 'Bot' : type
}

/** The attribute of the users of a country. `code` is ISO 3166-1 alpha-2. */
export function countryAttribute(code: string): Attribute {
  return { name: country, value: code, spelling: null }
}

/** Lists the attributes of a repository. */
export function listRepositoryAttributes(repository: Omit<RepositoryRecord, 'dependencies'>): Attribute[] {
  const fields: FieldsOf<'repositories'> = repository
  return listAttributes('repositories', fields)
}

/** How a field of records becomes an attribute. */
interface FieldAttribute {
  kind: FilterRow['kind']
  attribute: string
  field: string
  /** The attribute of the items that don't have this one, if lists can be sorted by it. */
  rest: string | undefined
}

/** The attributes that are fields of a list's records. */
const fieldAttributes: Record<ListName, readonly FieldAttribute[]> = {
  users: listFieldAttributes('users'),
  repositories: listFieldAttributes('repositories'),
}

function listFieldAttributes(list: ListName): FieldAttribute[] {
  return filterNames.flatMap((name) => {
    const { kind, attribute, field, ...row }: FilterRow = filters[name]
    if (row.list !== list || field === undefined || attribute === undefined) return []
    const order = Object.values<SortRow>(sortOrders).find((each) => each.attribute === attribute)
    return [{ kind, attribute, field, rest: order?.rest }]
  })
}

/** Lists the fields of a list's records that are these attributes. */
export function listFields(list: ListName, attributes: readonly string[]): string[] {
  return fieldAttributes[list]
    .filter(({ attribute, rest }) => attributes.some((each) => each === attribute || each === rest))
    .map(({ field }) => field)
}

/** Lists the attributes of an item that are fields of its record. */
export function listAttributes(list: ListName, fields: Readonly<Record<string, FieldValue>>): Attribute[] {
  return fieldAttributes[list].flatMap(({ kind, attribute, field, rest }) => {
    const stated = fields[field] ?? null
    const value = toAttributeValue(kind, stated)
    const spelling = typeof stated === 'string' && kind === 'texts' ? stated.trim() : null
    if (value !== undefined) return [{ name: attribute, value, spelling }]
    return rest === undefined ? [] : [{ name: rest, value: String(stated), spelling }]
  })
}

/** Returns the value of an attribute that a field is. Undefined: the item doesn't have the attribute. */
export function toAttributeValue(kind: FilterRow['kind'], value: FieldValue): string | undefined {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    const number = kind === 'time' ? dayOf(value) : value
    return kind === 'minimum' && number === 0 ? undefined : String(number)
  }
  const stated = value ?? ''
  const isDomain = kind === 'domains' // what follows the last @ of an address
  const text = (isDomain ? stated.slice(stated.lastIndexOf('@') + 1 || stated.length) : stated).trim() // as in requests
  if (text === '' || isLonger(text, maxFilterTextLength)) return undefined
  return isDomain ? foldDomain(text) : foldText(text)
}
