/**
 * Code and `openapi.yml` agree in both directions: the same paths and methods, the same parameters with the same
 * bounds. The tests of every response compare it with the document too.
 *
 * @module-tag over-the-wire
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { mcpPath } from '../../api/http/paths.ts'
import { contract, followSchema, listOperations, type Schema } from '../support/contract.ts'
import { createInstance } from '../support/instance.ts'
import { busyRepository, fillPath } from '../support/sample-oracle.ts'
import { anyDatabase, testInside, useService } from '../support/service.ts'

/** Batch look-ups: an entry for each number, and the entries at the bounds and beyond them. */
const batches: Record<string, { entry(number: number): string; valid: string[]; invalid: string[] }> = {
  logins: {
    entry: (number) => `e${number}`,
    valid: ['a'.repeat(100)],
    invalid: ['a'.repeat(101)],
  },
  full_names: {
    entry: (number) => `e/${number}`,
    valid: [`${'a'.repeat(100)}/${'b'.repeat(100)}`],
    invalid: [`${'a'.repeat(101)}/b`, `a/${'b'.repeat(101)}`, 'a'],
  },
  forge_rest_ids: {
    entry: (number) => `${number}`,
    valid: ['9007199254740991', '-9007199254740991'],
    invalid: ['9007199254740992', '-9007199254740992', 'a'],
  },
}

const paginationSchema = v.object({ pagination: v.looseObject({ page: v.number(), per_page: v.number() }) })

/** The values that a parameter may have, if these are few. */
function listValues({ type, enum: values = [] }: Schema): readonly unknown[] {
  return type === 'boolean' ? [true, false] : values
}

describe('openapi.yml', () => {
  // An admin key may call everything, without a limit.
  const service = useService(anyDatabase, { docs: true, key: { role: 'admin' } })
  /** A user key that has paid for something. */
  let spender: string
  beforeAll(async () => {
    await service.sql`insert into removals (kind, forge_rest_id, version) values ('user', 1, 1)`
    spender = (await service.createKey()).secret
    await service.request('/users', { key: spender })
  })

  const withParameters = listOperations().map(({ path, method, parameters }) => ({
    path,
    method,
    queries: parameters.filter((parameter) => parameter.in === 'query'),
    segments: parameters.filter((parameter) => parameter.in === 'path'),
  }))

  test('has the version of package.json', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(contract.info.version).toBe(version)
  })

  testInside('declares exactly the paths that the app has', () => {
    // Of `/mcp`, JSON-RPC and the list of tools are the description.
    const routed = createInstance(service)
      .app.routes.filter(({ method, path }) => method !== 'ALL' && path !== mcpPath)
      .flatMap(({ method, path }) => {
        const template = path.replaceAll(/:(\w+)/g, '{$1}')
        const templates = template === '/docs/*' ? ['/docs', '/docs/{page}'] : [template || '/']
        return templates.map((each) => `${method} ${each}`)
      })
    const declared = Object.entries(contract.paths).flatMap(([path, item]) =>
      (['get', 'post', 'patch', 'delete'] as const).flatMap((method) =>
        item[method] ? [`${method.toUpperCase()} ${path}`] : [],
      ),
    )
    expect([...new Set(routed)].sort()).toEqual(declared.sort())
  })

  test('declares only paths and methods that the app serves', async () => {
    for (const path of listOperations().flatMap(({ path, method }) => (method === 'GET' ? [path] : []))) {
      for (const method of ['GET', 'HEAD']) {
        const query = listRequired(path)
        const response = await service.request(`${fillPath(path)}${query}`, {
          method,
          key: service.key,
        })
        expect([method, path, response.status]).toEqual([method, path, path === '/' ? 302 : 200])
      }
    }
    for (const { path, method } of listOperations()) {
      if (method === 'HEAD') expect(contract.paths[path]?.get).toBeDefined()
    }
  })

  test('declares HEAD for each metered path, with the parameters of GET', () => {
    const heads = withParameters.filter(({ method }) => method === 'HEAD').map(({ path }) => path)
    expect(heads).toEqual(Object.keys(contract.paths).filter((path) => /^\/(users|repos)/.test(path)))
    for (const { path, method, queries, segments } of withParameters) {
      const get = withParameters.find((each) => each.path === path && each.method === 'GET')
      if (method === 'HEAD')
        expect({ queries, segments }).toEqual({ queries: get?.queries, segments: get?.segments })
    }
  })

  /** The query of a path that has required parameters, but for those that `query` has. */
  function listRequired(path: string, query = '') {
    const required = withParameters.find((operation) => operation.path === path)?.queries ?? []
    const missing = required
      .filter(({ name, required }) => (required || name === 'prefix') && !query.includes(`?${name}=`))
      .map(({ name, schema }) => `${name}=${schema.minimum ?? schema.enum?.[0] ?? 'r'}`)
    return missing.length === 0 ? query : `${query === '' ? '?' : `${query}&`}${missing.join('&')}`
  }

  const allQueries = [
    ...[
      'page',
      'per_page',
      'after',
      'location',
      'company',
      'country',
      'dependency_names',
      'dependency_files',
      'dependency_status',
    ],
    ...['first_use_since', 'first_use_until', 'last_use_since', 'last_use_until'],
    ...['dependency_name', 'dependency_file', 'until'],
    ...['dependency_match', 'without_dependency_names', 'type', 'has', 'min_followers', 'active_since'],
    ...['email_domain', 'contributed_to', 'contributor'],
    ...[
      'language',
      'license',
      'min_stars',
      'min_forks',
      'fork',
      'archived',
      'pushed_since',
      'prefix',
      'contains',
      'limit',
      'of',
      'by',
    ],
    ...['below', 'name'],
    ...['owner', 'exclude', 'sort', 'day', 'changed_since', 'since', ...Object.keys(batches)],
  ]

  test('declares no other query parameters than these, of which five are required', () => {
    const queries = withParameters.flatMap((operation) => operation.queries)
    expect([...new Set(queries.map(({ name }) => name))].sort()).toEqual([...allQueries].sort())
    expect(queries.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'since',
      'dependency_name',
      'contains',
      'contains',
      'of',
      'by',
    ])
  })

  // discovery.test.ts has those of `/dependencies`, `/locations` and `/companies`, counts.test.ts those of `/counts`, which aren't
  // lists with pages.
  const lists = withParameters.filter(({ queries }) => queries.some(({ name }) => name === 'page'))
  describe.each(lists)('declares $method $path, which', (operation) => {
    const { path, method, queries } = operation
    const ask = (query: string) =>
      service.request(`${fillPath(path)}${listRequired(path, query)}`, {
        method,
        key: path.startsWith('/api-key/') ? spender : service.key,
      })
    const statusOf = async (query: string) => [query, (await ask(query)).status]

    /** The pagination of a response; for HEAD only its `per_page`, from the link to the first page. */
    async function readPage(query: string) {
      const response = await ask(query)
      expect([query, response.status]).toEqual([query, 200])
      const [, perPage] =
        /[?&]page=1&per_page=(\d+)>; rel="first"/.exec(response.headers.get('Link') ?? '') ?? []
      if (method === 'HEAD') return { per_page: Number(perPage) }
      const { pagination } = v.parse(paginationSchema, response.json())
      expect(pagination.per_page).toBe(Number(perPage))
      return pagination
    }

    test.each(queries.filter(({ schema }) => schema.type === 'integer'))(
      'reads $name with the declared bounds and default',
      async ({ name, schema }) => {
        const { minimum, maximum } = schema
        const at = (value: unknown) => `?${name}=${value}`
        if (minimum === undefined) throw new Error(`${name} has no minimum`)
        expect(await statusOf(at(minimum))).toEqual([at(minimum), 200])
        expect(await statusOf(at(minimum - 1))).toEqual([at(minimum - 1), 400])
        if (maximum !== undefined) {
          // The largest page is one of the smallest size.
          const largest = `${at(maximum)}${name === 'page' ? '&per_page=1' : ''}`
          expect(await statusOf(largest)).toEqual([largest, 200])
          expect(await statusOf(at(maximum + 1))).toEqual([at(maximum + 1), 400])
        }
        for (const wrong of ['', 'x', '1.5', '1e1', '%2B1', '-1', '01', '0x1', '%201', `1&${name}=1`]) {
          expect(await statusOf(at(wrong))).toEqual([at(wrong), 400])
        }
        if (schema.default === undefined) return // pagination.test.ts says what `after` does
        expect(await readPage('')).toEqual(await readPage(at(schema.default)))
        const other = name === 'page' || maximum === undefined ? minimum + 1 : maximum
        if (method === 'GET' || name === 'per_page') {
          expect(await readPage(at(other))).toMatchObject({ [name]: other })
        }
      },
    )

    test.each(queries.filter(({ name }) => name in batches))(
      'reads the batch look-up $name with the declared bounds',
      async ({ name, schema }) => {
        const { maxItems = 0, items = {} } = schema
        const { entry, valid, invalid } = batches[name] ?? expect.unreachable()
        const entries = (count: number) => Array.from({ length: count }, (_, index) => entry(index)).join(',')
        for (const [status, values] of [
          [200, [entries(maxItems), ...valid]],
          [400, [entries(maxItems + 1), ...invalid]],
        ] as const) {
          for (const value of values)
            expect([value, (await ask(`?${name}=${value}`)).status]).toEqual([value, status])
        }
        const { pattern, maxLength, minimum = 0, maximum = 0 } = followSchema(items)
        const isDeclared = (value: string) =>
          items.type === 'integer'
            ? Number(value) >= minimum && Number(value) <= maximum
            : new RegExp(pattern ?? '', 'u').test(value) && value.length <= (maxLength ?? value.length)
        expect([...valid, ...invalid].filter(isDeclared)).toEqual(valid)
      },
    )

    const arrays = queries.filter(
      ({ name, schema }) => schema.type === 'array' && !(name in batches) && name !== 'country',
    )
    test.each(arrays.filter(({ schema }) => schema.items?.enum === undefined))(
      'reads $name with the declared bounds',
      async ({ name, schema, explode }) => {
        const { maxItems, items } = schema
        const isName = items?.maxLength === undefined // a pattern has its bounds
        const longest = items?.maxLength ?? 100
        const owner = name === 'contributed_to' ? 'nobody/' : ''
        if (maxItems === undefined) throw new Error(`${name} has no bounds`)
        const join = (entries: readonly string[]) => entries.join(explode ? `&${name}=` : ',')
        const entries = (count: number) =>
          Array.from({ length: count }, (_, index) => `${owner}nothing-${index}-`)
        const all = (await ask('')).headers.get('X-Total-Count')
        for (const [value, status] of [
          [join(entries(maxItems)), 200],
          [join(entries(maxItems + 1)), 400],
          [entries(maxItems).join(`&${name}=`), 200],
          [entries(maxItems + 1).join(`&${name}=`), 400],
          [owner + 'a'.repeat(longest), 200],
          [owner + 'a'.repeat(longest + 1), 400],
          [join([`${owner}nothing-`, owner + '%C3%A9'.repeat(longest)]), isName ? 400 : 200],
          [join([`${owner}nothing-`, owner + '%C3%A9'.repeat(longest + 1)]), 400],
        ] as const) {
          const response = await ask(`?${name}=${value}`)
          expect([value, response.status]).toEqual([value, status])
          const none = name.startsWith('without_') ? all : '0'
          if (status === 200) expect(response.headers.get('X-Total-Count')).toBe(none)
        }
      },
    )

    test.runIf(queries.some(({ name }) => name === 'country'))(
      'reads countries with the declared bounds',
      async () => {
        const { maxItems = 0, items } = queries.find(({ name }) => name === 'country')?.schema ?? {}
        const entries = (count: number) => Array.from({ length: count }, () => 'aq').join()
        for (const [value, status] of [
          [entries(maxItems), 200],
          [entries(maxItems + 1), 400],
          ['AQ', 200],
          ['ATA', 400],
        ] as const) {
          expect([value, (await ask(`?country=${value}`)).status]).toEqual([value, status])
        }
        const pattern = new RegExp(items?.pattern ?? '', 'u')
        expect(['AQ', 'aq', 'ATA', 'Ä'].filter((value) => pattern.test(value))).toEqual(['AQ', 'aq'])
      },
    )

    test('reads every declared filter', async () => {
      const total = async (query: string) => (await ask(query)).headers.get('X-Total-Count')
      const filters = queries.filter(
        ({ name, schema }) =>
          name !== 'after' &&
          schema.type !== 'integer' &&
          listValues(schema).length === 0 &&
          schema.items?.enum === undefined &&
          !(name in batches),
      )
      for (const { name, schema } of filters) {
        const isTime = schema.format === 'date' || name.endsWith('_since')
        const needed = /^(first|last)_use_/.test(name) ? '&dependency_names=react' : ''
        // Nobody in the sample lives in Antarctica.
        const odd: Record<string, string> = { day: '1999-12-31', country: 'AQ', contributed_to: 'nothing/so' }
        const before = name.endsWith('_until') ? '0001-01-01' : undefined
        const nothing = odd[name] ?? before ?? (isTime ? '9999-12-31' : 'nothing-is-called-so')
        const none = name.startsWith('without_') ? await total('') : '0'
        expect([name, await total(`?${name}=${nothing}${needed}`)]).toEqual([name, none])
        const twice = await ask(`?${name}=${nothing}&${name}=${nothing}${needed}`)
        expect([name, twice.status]).toEqual([name, schema.type === 'array' ? 200 : 400])
      }
      expect(Number(await total(''))).toBeGreaterThan(0)
    })
  })

  /** What a request for counts needs beside a parameter. */
  function completeCounts(name: string, value: unknown): string {
    if (name === 'of') return '&by=dependency'
    if (name === 'by') return `&of=${value === 'country' || value === 'type' ? 'users' : 'repos'}`
    return '&of=repos&by=fork'
  }

  test.each(
    withParameters.flatMap(({ path, method, queries }) =>
      (method === 'GET' ? queries : []).flatMap(({ name, schema }) =>
        listValues(schema).map((value) => ({ path, name, value })),
      ),
    ),
  )('declares all values that $path reads as $name: $value', async ({ path, name, value }) => {
    const names = /^dependency_(status|match)$/.test(name) ? '&dependency_names=react' : ''
    const others = names + (path === '/counts' ? completeCounts(name, value) : '')
    const statusOf = async (query: string) =>
      (await service.request(`${path}?${query}${others}`, { key: service.key })).status
    expect(await statusOf(`${name}=${value}`)).toBe(200)
    for (const wrong of ['', 'nothing', String(value).toUpperCase(), ` ${value}`, `${value},${value}`]) {
      expect([wrong, await statusOf(`${name}=${encodeURIComponent(wrong)}`)]).toEqual([wrong, 400])
    }
    expect(await statusOf(`${name}=${value}&${name}=${value}`)).toBe(400)
  })

  test('declares all fields that /users reads as has', async () => {
    const { items } = contract.components.parameters.has?.schema ?? {}
    const statusOf = async (value: string) =>
      (await service.request(`/users?has=${value}`, { key: service.key })).status
    const fields = v.parse(v.array(v.string()), items?.enum)
    expect(await statusOf(fields.join())).toBe(200)
    for (const other of ['login', 'avatar_url', 'Email'])
      expect([other, await statusOf(other)]).toEqual([other, 400])
  })

  test('declares all query parameters that a path with a key reads: others are refused', async () => {
    for (const { path, method, queries } of withParameters.filter(({ path }) =>
      /^\/(users|repos|removals|dependencies|locations|companies|counts|api-key|metrics|admin)/.test(path),
    )) {
      const url = `${fillPath(path)}${listRequired(path) || '?'}`
      const undeclared = allQueries.filter((name) => !queries.some((query) => query.name === name))
      for (const name of [...undeclared, 'offset', 'sort', 'q', 'Page', 'per-page', '']) {
        const response = await service.request(`${url}&${name}=0`, { method, key: service.key })
        expect([path, name, response.status]).toEqual([path, name, 400])
        expect(response.headers.get('X-Error-Code')).toBe('invalid_parameter')
        expect(response.headers.get('X-Credits-Cost')).toBe('0')
      }
    }
  })

  test('says that public paths ignore query strings', async () => {
    for (const path of ['/health', '/version', '/openapi.yml', '/docs', '/llms.txt']) {
      const response = await service.request(`${path}?page=x&probe=1&probe=2`)
      expect([path, response.status]).toEqual([path, 200])
    }
  })

  testInside('has the rule for login, owner and repository name as its pattern of names', async () => {
    const schemas = withParameters
      .filter(({ path }) => !/^\/(docs|admin)/.test(path))
      .flatMap(({ segments }) => segments.map(({ schema }) => schema))
    expect(new Set(schemas.map((schema) => JSON.stringify(schema))).size).toBe(1)
    const [{ pattern, maxLength, minLength } = {} as Schema] = schemas
    if (pattern === undefined || maxLength === undefined) throw new Error('names have no rule')
    expect(minLength).toBe(1)
    const characters = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index))
    const names = [
      ...[...characters, '\t', '\u007f', 'é', '東', '😀'].map((character) => `z${character}z`),
      'z'.repeat(maxLength),
      'z'.repeat(maxLength + 1),
      '',
    ]
    for (const name of names) {
      const segment = encodeURIComponent(name)
      const isValid = new RegExp(pattern, 'u').test(name) && [...name].length <= maxLength
      const paths = [
        `/users/${segment}`,
        `/repos/${segment}/b`,
        `/repos/a/${segment}`,
        `/repos/a/${segment}/commits`,
      ]
      for (const path of paths) {
        const { status } = await service.request(path, { key: service.key })
        expect([path, status]).toEqual([path, isValid ? 404 : 400])
      }
    }
  })

  test('has the rule for Max-Credits as its bounds', async () => {
    const { minimum = -1, maximum = -1 } = contract.components.parameters['Max-Credits']?.schema ?? {}
    for (const [credits, status] of [
      [String(minimum), 200],
      [String(minimum - 1), 400],
      [String(maximum), 200],
      [String(BigInt(maximum) + 1n), 400],
    ] as const) {
      const response = await service.request('/users/ngoldberg', {
        key: service.key,
        headers: { 'Max-Credits': credits },
      })
      expect([credits, response.status]).toEqual([credits, status])
    }
  })

  testInside('has the rule for the cursor of dependencies as its pattern', async () => {
    const { pattern } = contract.components.parameters.after_dependency?.schema ?? {}
    if (pattern === undefined) throw new Error('after of dependencies has no pattern')
    const toEscape = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`
    const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })
    const part = fc.oneof(
      { weight: 10, arbitrary: character.map((text) => JSON.stringify(text).slice(1, -1)) },
      fc.integer({ min: 0, max: 0xffff }).map(toEscape),
      fc.integer({ min: 0xd700, max: 0xe0ff }).map(toEscape),
      fc.constantFrom('\\/', '\\b', '\\q', '\\', '"', '\n', '\u007f', '\\u0000', '\\uD83D\\uDE00', '\\u12'),
    )
    const quoted = fc.array(part, { maxLength: 3 }).map((parts) => `"${parts.join('')}"`)
    const space = fc.constantFrom(...Array.from({ length: 9 }, () => ''), ' ', '\t\r\n', '\u00a0')
    const value = fc.oneof(
      {
        weight: 9,
        arbitrary: fc
          .tuple(space, quoted, space, quoted, space)
          .map(([before, name, between, file, behind]) => `${before}[${name}${between},${file}]${behind}`),
      },
      fc.json(),
      fc.constantFrom('', '[]', '["a"]', '["a","b","c"]', '["a",1]', '["a",null]', '["a","b"],', '["a" "b"]'),
    )
    const seen = { valid: 0, invalid: 0 }
    await fc.assert(
      fc.asyncProperty(
        value.filter((text) => text.isWellFormed() && !text.includes('\0')),
        async (after) => {
          const isValid = new RegExp(pattern, 'u').test(after)
          seen[isValid ? 'valid' : 'invalid']++
          const url = `${busyRepository}/dependencies?after=${encodeURIComponent(after)}`
          const { status } = await service.request(url, { key: service.key, method: 'HEAD' })
          expect([after, status]).toEqual([after, isValid ? 200 : 400])
        },
      ),
      { numRuns: 400 },
    )
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(40)
  })
})
