/**
 * The reference pages say what `openapi.yml` says, and the errors page explains every message that a client can get.
 *
 * @module
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Nodes } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildDocs, docsDirectory } from '../docs-site/build.ts'
import { contract, listOperations } from './support/contract.ts'
import { listElements, readText } from './support/html.ts'

beforeAll(async () => {
  await buildDocs({ ifStale: true })
})

const readPage = async (path: string) =>
  fromHtml(await readFile(join(docsDirectory, path, 'index.html'), 'utf8'))

/** `listUsers` as it stands in an address. */
const toId = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()

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

const endpoints = listOperations().filter(({ method }) => method === 'GET')

describe('the page of an endpoint', () => {
  test.each(endpoints)(
    '$path: path, parameters with their rules, answers, and a link that tests it',
    async (endpoint) => {
      const operation = contract.paths[endpoint.path]?.get
      if (operation === undefined) throw new Error(endpoint.path)
      const page = await readPage(`reference/${toId(operation.operationId)}`)
      const text = readText(page)
      expect(text).toContain(`GET ${endpoint.path}`)

      const parameters = readFields(page, 'parameter')
      expect([...parameters.keys()].sort()).toEqual(endpoint.parameters.map(({ name }) => name).sort())
      for (const { name, required, schema } of endpoint.parameters) {
        const facts = parameters.get(name)
        expect(facts).toContain(required ? 'required' : 'optional')
        for (const bound of [
          schema.minimum,
          schema.maximum,
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
        expect(listElements(page, ({ properties }) => properties.id === `status-${status}`)).toHaveLength(1)
      }
      const tests = listElements(page, ({ properties }) => properties.className?.toString() === 'test')
      const methods = contract.paths[endpoint.path]?.head ? ['get', 'head'] : ['get']
      expect(tests).toHaveLength(methods.length)
      expect(tests[0]?.properties.href).toMatch(new RegExp(`^/api-docs#tag/\\w+/${operation.operationId}$`))
    },
  )
})

describe('the page of a resource', () => {
  const resources = {
    user: ['User'],
    repository: ['RepositoryFields'],
    'listed-repository': ['RepositoryFields', 'ListedRepository'],
    'repository-dependency': ['RepositoryDependency'],
    dependency: ['Dependency'],
    commit: ['Commit'],
    'credit-status': ['CreditStatus'],
    meta: ['Meta'],
    pagination: ['Pagination'],
    error: ['Error'],
    'usage-entry': ['UsageEntry'],
    'usage-sum': ['UsageSum'],
    key: ['Key'],
    health: ['Health'],
    version: ['Version'],
  }

  test.each(Object.entries(resources))('%s: an example with exactly its fields', async (id) => {
    const page = await readPage(`reference/resources/${id}`)
    const names = [...readFields(page, 'field').keys()]
    const [code] = listElements(page, ({ tagName }) => tagName === 'pre')
    const example: object = JSON.parse(code ? readText(code) : 'null')
    expect(Object.keys(example).sort()).toEqual(names.sort())
  })

  test.each(Object.entries(resources))('%s: every field, and whether it may be null', async (id, names) => {
    const fields = readFields(await readPage(`reference/resources/${id}`), 'field')
    const declared = Object.assign({}, ...names.map((name) => contract.components.schemas[name]?.properties))
    expect([...fields.keys()]).toEqual(Object.keys(declared))
    for (const [name, facts] of fields) {
      const { type, $ref = '' } = declared[name]
      const nullable = [type].flat().includes('null') || $ref.includes('Nullable')
      expect([name, facts.includes('or null')]).toEqual([name, nullable])
    }
  })

  test('is there for each object, and no other', async () => {
    const pages = await readdir(join(docsDirectory, 'reference/resources'))
    expect(pages.filter((name) => !name.includes('.')).sort()).toEqual(Object.keys(resources).sort())
  })
})

/** Every error message that the document shows. */
function listDocumentedMessages(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('error' in value && typeof value.error === 'string') return [value.error]
  return Object.values(value).flatMap(listDocumentedMessages)
}

/** What the code throws: each message up to its first variable part. */
async function listThrownMessages(): Promise<string[]> {
  const directory = join(import.meta.dirname, '../api')
  const names = await readdir(directory, { recursive: true })
  const messages: string[] = []
  for (const name of names.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(join(directory, name), 'utf8')
    const calls = text.matchAll(
      /\b(?:badRequest|unauthorized|forbidden|notFound|unavailable|new ApiError)\(\s*(?:\d+,\s*)?(?:'([^']*)'|"([^"]*)"|`([^`]*)`)/g,
    )
    for (const [, single, double, template] of calls) messages.push(single ?? double ?? template ?? '')
  }
  return messages
}

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

  test('says the messages of service.md §5 to the letter, in its order', () => {
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
