/** The table of filters and `openapi.yml` agree: on names, lists, kinds, limits and patterns. */
import { expect, test } from 'vitest'
import {
  type FilterRow,
  filterNames,
  filters,
  type ListName,
  listFilters,
  lookUps,
} from '../../api/catalog/filters.ts'
import { listSorts } from '../../api/catalog/sort-orders.ts'
import { contract, listOperations, type Schema } from '../support/contract.ts'

const paths: Record<ListName, string> = { users: '/users', repositories: '/repos' }
/** The parameters that choose the page and the order, and what is shown of an item. */
const otherNames = ['page', 'per_page', 'after', 'sort', 'exclude']
const { AccountName, DatasetVersion, SecondsOrDate } = contract.components.schemas
const integer = { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER }

function describeParameter(row: FilterRow): { schema: Schema | undefined; explode: boolean } {
  const list = (items: Schema) => ({
    schema: { type: 'array', ...('maxEntries' in row && { maxItems: row.maxEntries }), items },
    explode: row.kind === 'substrings',
  })
  const single = (schema: Schema | undefined) => ({ schema, explode: true })
  switch (row.kind) {
    case 'texts':
    case 'exactTexts':
    case 'substrings':
      return list({ type: 'string', maxLength: row.maxLength })
    case 'countries':
      return list({ type: 'string', pattern: '^[A-Za-z]{2}$' })
    case 'domains':
      return list({ type: 'string', maxLength: row.maxLength, pattern: '^[^@]*$' })
    case 'names':
      return list(entrySchemas[row.form ?? 'NAME'] ?? {})
    case 'options':
      return list({ type: 'string', enum: [...(row.options ?? [])] })
    case 'option':
      return single({ type: 'string', enum: [...(row.options ?? [])] })
    case 'flag':
      return single({ type: 'boolean' })
    case 'minimum':
      return single({ ...integer, minimum: 1 })
    case 'time':
    case 'use':
      return single(SecondsOrDate)
    case 'version':
      return single(DatasetVersion)
    case 'account':
      return single(AccountName)
  }
}

const entrySchemas: Record<string, Schema | undefined> = {
  NAME: { $ref: '#/components/schemas/AccountName' },
  'OWNER/NAME': {
    type: 'string',
    pattern: `${AccountName?.pattern}`.replace(/^\^(.*)\+\$$/, '^$1{1,100}/$1{1,100}$'),
  },
  INTEGER: { ...integer, minimum: -Number.MAX_SAFE_INTEGER },
}

const described = new Map<string, object>([
  ...filterNames.map((name) => [name, describeParameter(filters[name])] as const),
  ...Object.entries(lookUps).map(
    ([name, { form, maxEntries }]) =>
      [
        name,
        { schema: { type: 'array', maxItems: maxEntries, items: entrySchemas[form] }, explode: false },
      ] as const,
  ),
])

const lists = listOperations().filter(({ parameters }) => parameters.some(({ name }) => name === 'per_page'))
const declared = (path: string, method: string) =>
  lists
    .filter((operation) => operation.path === path && operation.method === method)
    .flatMap(({ parameters }) => parameters.filter((parameter) => parameter.in === 'query'))
    .filter(({ name }) => !otherNames.includes(name))

test.for(['users', 'repositories'] as const)(
  'openapi.yml declares each filter of %s, and no other',
  (list) => {
    for (const method of ['GET', 'HEAD']) {
      const parameters = declared(paths[list], method)
      expect(new Map(parameters.map(({ name, schema, explode }) => [name, { schema, explode }]))).toEqual(
        new Map(listFilters(list).map((name) => [name, described.get(name)])),
      )
    }
  },
)

test.for(['users', 'repositories'] as const)('openapi.yml declares the orders of %s', (list) => {
  const orders = lists
    .filter(({ path }) => path === paths[list])
    .map(({ parameters }) => parameters.find(({ name }) => name === 'sort')?.schema)
  const schema = { type: 'string', enum: listSorts(list) }
  expect(orders).toEqual([schema, schema])
})

test('the lists of one repository have no filters', () => {
  for (const list of ['commits', 'dependencies', 'dependencies/blame']) {
    expect(declared(`/repos/{owner}/{name}/${list}`, 'GET')).toEqual([])
  }
})

test('what a filter needs is a filter of the same lists', () => {
  for (const name of filterNames) {
    const { needs = [], list }: FilterRow = filters[name]
    for (const each of list === undefined ? (['users', 'repositories'] as const) : [list]) {
      expect(listFilters(each)).toEqual(expect.arrayContaining([...needs]))
    }
  }
})
