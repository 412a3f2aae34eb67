/**
 * The reference pages say what `openapi.yml` says, and the errors page explains every message that a client can get.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Nodes } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorCodes } from '../../api/errors.ts'
import { docsDirectory, findDocs } from '../../api/portal/docs-manifest.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { loadReference } from '../../docs-site/reference.ts'
import { contract, listOperations } from '../support/contract.ts'
import { listElements, readText } from '../support/html.ts'

let built: string
beforeAll(async () => {
  await buildDocs({ ifStale: true })
  const docs = await findDocs(docsDirectory)
  if (!docs) throw new Error('the build left no docs')
  built = docs.directory
})

const readPage = async (path: string) => fromHtml(await readFile(join(built, path, 'index.html'), 'utf8'))

/** What the reference says about an endpoint. A few endpoints share a page, and their anchors there begin with their ids. */
async function readEndpoint(operationId: string) {
  const { id, link } =
    loadReference().endpoints.find((each) => each.operationId === operationId) ?? expect.fail(operationId)
  const page = await readPage(link.replace(/#.*/, ''))
  const [content] = listElements(page, ({ properties }) => properties.dataEndpoint === id)
  return {
    content: content ?? expect.fail(`${link} has no ${id}`),
    prefix: link.includes('#') ? `${id}-` : '',
  }
}

/** The names in the lists of a page whose anchors begin so, each with its short facts. */
function readFields(page: Nodes, anchor: string): Map<string, string> {
  const items = listElements(page, ({ properties }) => String(properties.id).startsWith(`${anchor}-`))
  return new Map(
    items.map((item) => [
      String(item.properties.id).slice(anchor.length + 1),
      listElements(item, ({ tagName }) => tagName === 'dt')
        .map(readText)
        .join(''),
    ]),
  )
}

/** The docs' own endpoints have no page. */
const isShown = (path: string) => contract.paths[path]?.get?.tags[0] !== 'Documentation'
const endpoints = listOperations().filter(({ method, path }) => method === 'GET' && isShown(path))

describe('the page of an endpoint', () => {
  test.each(endpoints)(
    'shows path, price, parameters with their rules, and responses: $path',
    async (endpoint) => {
      const operation = contract.paths[endpoint.path]?.get
      if (operation === undefined) throw new Error(endpoint.path)
      const { content: page, prefix } = await readEndpoint(operation.operationId)
      const text = readText(page)
      expect(text).toContain(`GET ${endpoint.path}`)

      const parameters = readFields(page, `${prefix}parameter`)
      expect([...parameters.keys()].sort()).toEqual(endpoint.parameters.map(({ name }) => name).sort())
      for (const { name, required, schema } of endpoint.parameters) {
        const facts = parameters.get(name)
        expect([name, facts?.includes('required')]).toEqual([name, required])
        for (const bound of [
          schema.minimum,
          schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum,
          schema.maxItems,
          schema.maxLength,
          schema.default,
        ]) {
          if (bound !== undefined)
            expect([name, facts]).toEqual([name, expect.stringContaining(String(bound))])
        }
      }

      const statuses = Object.keys(operation.responses).filter((status) => Number(status) < 400)
      for (const status of statuses) {
        expect(
          listElements(page, ({ properties }) => properties.id === `${prefix}status-${status}`),
        ).toHaveLength(1)
      }
      const prices = listElements(page, ({ properties }) => properties.dataPrice !== undefined).map(readText)
      const isMetered = contract.paths[endpoint.path]?.head !== undefined
      expect(prices).toEqual(isMetered ? [expect.stringMatching(/^1 (credit|per item)$/), 'free'] : ['free'])
    },
  )
})

describe('the page Objects', () => {
  const objects = {
    user: 'User',
    repository: 'Repository',
    'listed-repository': 'ListedRepository',
    'repository-dependency': 'RepositoryDependency',
    'dependency-blame': 'DependencyBlame',
    'blamed-commit': 'BlamedCommit',
    dependency: 'Dependency',
    commit: 'Commit',
    'credit-status': 'CreditStatus',
    meta: 'Meta',
    pagination: 'Pagination',
    'error-body': 'ErrorBody',
    'usage-entry': 'UsageEntry',
    'usage-sum': 'UsageSum',
    connection: 'Connection',
    key: 'Key',
    'created-key': 'CreatedKey',
    'key-grant': 'KeyGrant',
    removal: 'Removal',
    'used-dependency': 'UsedDependency',
    'dependency-history': 'DependencyHistory',
    'history-month': 'HistoryMonth',
    'month-counts': 'MonthCounts',
    'unknown-uses': 'UnknownUses',
    'location-text': 'LocationText',
    'company-text': 'CompanyText',
    counts: 'Counts',
    'value-count': 'ValueCount',
    health: 'Health',
    version: 'Version',
    dataset: 'Dataset',
    coverage: 'Coverage',
    'loaded-rows': 'LoadedRows',
  }

  /** The section of an object. */
  async function readSection(id: string): Promise<Nodes> {
    const sections = listElements(await readPage('reference/objects'), ({ tagName }) => tagName === 'section')
    const found = sections.find(
      (each) => listElements(each, ({ properties }) => properties.id === id).length > 0,
    )
    if (found === undefined) throw new Error(`there is no section ${id}`)
    return found
  }

  test.each(Object.entries(objects))('shows an example with exactly its fields: %s', async (id) => {
    const section = await readSection(id)
    const names = [...readFields(section, id).keys()]
    const [code] = listElements(section, ({ tagName }) => tagName === 'pre')
    const example: object = JSON.parse(code ? readText(code) : 'null')
    expect(Object.keys(example).sort()).toEqual(names.sort())
  })

  test.each(Object.entries(objects))(
    'shows every field, and whether it may be null: %s',
    async (id, name) => {
      const fields = readFields(await readSection(id), id)
      const declared = contract.components.schemas[name]?.properties ?? {}
      expect([...fields.keys()]).toEqual(Object.keys(declared))
      for (const [field, facts] of fields) {
        const { type, anyOf = [], $ref = '' } = declared[field] ?? {}
        const types = [type, ...anyOf.map((choice) => choice.type)].flat()
        const nullable = types.includes('null') || $ref.includes('Nullable')
        expect([field, facts.includes('or null')]).toEqual([field, nullable])
      }
    },
  )

  test('has each object, and no other', async () => {
    const headings = listElements(await readPage('reference/objects'), ({ tagName }) => tagName === 'h2')
    const ids = headings
      .map(({ properties }) => String(properties.id))
      .filter((id) => id !== 'starlight__on-this-page')
    expect(ids.sort()).toEqual(Object.keys(objects).sort())
  })
})

/** Every error message that the document shows. */
function listDocumentedMessages(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('error' in value && typeof value.error === 'string') return [value.error]
  return Object.values(value).flatMap(listDocumentedMessages)
}

/** Every code that openapi.yml declares for an error response, behind its status. */
function listDocumentedCodes(): string[] {
  const { responses } = contract.components
  const operations = Object.values(contract.paths).flatMap((item) => [
    ...[item.get, item.head, item.post, item.patch, item.delete],
  ])
  const all = [contract['x-shared-responses'], ...operations.map((operation) => operation?.responses ?? {})]
  const found = all
    .flatMap((responses) => Object.entries(responses))
    .flatMap(([status, declared]) => {
      const response = '$ref' in declared ? responses[declared.$ref.replace(/.*\//, '')] : declared
      const header = response?.headers?.['X-Error-Code']
      if (Number(status) >= 400 && header === undefined) throw new Error(`${status} has no X-Error-Code`)
      return header === undefined || '$ref' in header
        ? []
        : (header.schema.enum ?? []).map((code) => `${status} ${code}`)
    })
  return [...new Set(found)]
}

/** What the code throws: each message up to its first variable part. */
async function listThrownMessages(): Promise<string[]> {
  const directory = join(import.meta.dirname, '../../api')
  const names = await readdir(directory, { recursive: true })
  const messages: string[] = []
  for (const name of names.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(join(directory, name), 'utf8')
    const calls = text.matchAll(
      /\b(?:badRequest|invalidUrl|unauthorized|forbidden|notFound|unavailable|new ApiError)\(\s*(?:\d+,\s*)?(?:'[a-z_]+',\s*)?(?:'([^']*)'|"([^"]*)"|`([^`]*)`)/g,
    )
    for (const [, single, double, template] of calls) messages.push(single ?? double ?? template ?? '')
  }
  return messages.filter((message) => !new Set<string>(errorCodes).has(message)) // not written there
}

test('openapi.yml has the codes that the code has', () => {
  expect(contract.components.schemas.ErrorCode?.enum).toEqual([...errorCodes])
})

describe('the errors page', () => {
  let headings: Map<string, string>
  beforeAll(async () => {
    const page = await readPage('errors')
    const elements = listElements(page, ({ tagName }) => tagName === 'h3')
    headings = new Map(elements.map((heading) => [readText(heading), String(heading.properties.id)]))
  })

  test('has an anchor of its own for each message of openapi.yml', () => {
    const messages = new Set(listDocumentedMessages(contract))
    expect(messages.size).toBeGreaterThan(30)
    expect([...messages].filter((message) => !headings.has(message))).toEqual([])
    expect(new Set(headings.values()).size).toBe(headings.size)
  })

  test('has a row for each code, with its status in openapi.yml', async () => {
    const rows = listElements(await readPage('errors'), ({ tagName }) => tagName === 'tr')
      .map((row) => listElements(row, ({ tagName }) => tagName === 'td').map(readText))
      .filter((cells) => cells.length > 0)
    expect(rows.map(([code]) => code)).toEqual([...errorCodes])
    expect(rows.map(([code, status]) => `${status} ${code}`).sort()).toEqual(listDocumentedCodes().sort())
  })

  test('has a heading for each message that the code throws', async () => {
    const messages = await listThrownMessages()
    expect(messages.length).toBeGreaterThan(25)
    const isExplained = (message: string) => {
      // `${…}` in a message stands for anything, and what stands behind the message in a 503 is when to try again.
      const parts = message.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      return [...headings.keys()].some((heading) => new RegExp(`^${parts.join('.*')}`).test(heading))
    }
    expect(messages.filter((message) => !isExplained(message))).toEqual([])
  })

  test('shows the contractual messages for keys and credits to the letter, in their order', () => {
    const contractual = [
      'Authorization header required',
      "Invalid authorization format. Use 'Bearer <API_KEY>'",
      'API key required',
      'Invalid API key format',
      'Invalid API key',
      'Insufficient permissions',
      'Admin access required',
      'insufficient credits: need 30, have 12',
    ]
    expect([...headings.keys()].filter((heading) => contractual.includes(heading))).toEqual(contractual)
  })
})
