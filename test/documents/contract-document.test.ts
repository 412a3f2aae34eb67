/**
 * `openapi.yml` itself: the linter finds nothing, its examples are what its schemas say, and the support that
 * holds responses to it notices a response that is not.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  assertMatchesContract,
  type ContractResponse,
  contract,
  findViolation,
  joinPointer,
  listOperations,
  openDocument,
} from '../support/contract.ts'

interface Example {
  pointer: string
  schemaPointer: string
  value: unknown
}

interface Node {
  pointer: string
  value: Record<string, unknown>
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every object of the document, but not what lies inside examples. */
function* walkDocument(value: unknown, pointer: string): Generator<Node> {
  if (isRecord(value)) yield { pointer, value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') yield* walkDocument(child, joinPointer(pointer, key))
  }
}

function readPointer(pointer: string): unknown {
  let value: unknown = contract
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    value = isRecord(value) ? value[key] : undefined
  }
  return value
}

function followReference(value: unknown): unknown {
  const reference = isRecord(value) ? value.$ref : undefined
  return typeof reference === 'string' ? readPointer(reference.slice(1)) : value
}

/** The examples of a parameter, a header or a body. */
function listExamples({ pointer, value }: Node): Example[] {
  const schemaPointer = joinPointer(pointer, 'schema')
  const examples: Example[] = []
  if ('example' in value) {
    examples.push({ pointer: joinPointer(pointer, 'example'), schemaPointer, value: value.example })
  }
  for (const [name, declared] of Object.entries(isRecord(value.examples) ? value.examples : {})) {
    const example = followReference(declared)
    const at = joinPointer(pointer, 'examples', name)
    examples.push({ pointer: at, schemaPointer, value: isRecord(example) ? example.value : undefined })
  }
  return examples
}

/** Parameters, headers and bodies: whatever has a schema beside its examples. */
const described = [...walkDocument(contract, '')].filter(({ value }) => isRecord(value.schema))

describe('openapi.yml', () => {
  it('passes the linter without an error or a warning', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url))
    const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [redocly, 'lint', 'openapi.yml', '--config', 'redocly.yaml', '--format', 'json'],
      {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    )
    expect(stdout, stderr).not.toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] })
    expect(status).toBe(0)
  })

  it('gives each parameter, header and JSON body an example, but for Idempotency-Key, which no two requests may share', () => {
    const files = ['/paths/~1openapi.yml/', '/paths/~1openapi.json/', '/components/responses/Page/']
    const bare = described
      .filter((node) => listExamples(node).length === 0)
      .map(({ pointer }) => pointer)
      .filter((pointer) => !files.some((file) => pointer.startsWith(file)))
    expect(bare).toEqual([
      '/components/parameters/Idempotency-Key',
      '/components/responses/DocsFile/content/text~1html',
    ])
  })

  it('has only examples and defaults that its schemas accept', () => {
    const examples = described.flatMap(listExamples)
    const defaults = described.flatMap(({ pointer, value }) => {
      const schema = isRecord(value.schema) ? value.schema : {}
      const schemaPointer = joinPointer(pointer, 'schema')
      return 'default' in schema ? [{ pointer, schemaPointer, value: schema.default }] : []
    })
    expect(examples.length).toBeGreaterThan(100)
    expect(defaults.length).toBe(3)
    for (const { pointer, schemaPointer, value } of [...examples, ...defaults]) {
      expect(findViolation(schemaPointer, value), pointer).toBeUndefined()
    }
  })

  // swagger-typescript-api doesn't see the type of a response behind a $ref, and its clients then don't read the body.
  it('describes each JSON response of 200 in its operation', () => {
    const successes = Object.values(contract.paths).flatMap(({ get }) => get?.responses['200'] ?? [])
    expect(successes.length).toBeGreaterThan(20)
    const referenced = successes.filter((declared) => {
      const response = followReference(declared)
      const types = isRecord(response) && isRecord(response.content) ? Object.keys(response.content) : []
      return isRecord(declared) && '$ref' in declared && types.some((type) => /json/.test(type))
    })
    expect(referenced).toEqual([])
  })

  it('shows every error of a GET as { error: message }', () => {
    const shared = Object.entries(contract['x-shared-responses'])
    const all = Object.values(contract.paths).flatMap(({ get }) => Object.entries(get?.responses ?? {}))
    const errors = [...shared, ...all].filter(([status]) => status === 'default' || Number(status) >= 400)
    expect(errors.length).toBeGreaterThan(100)
    for (const [status, declared] of errors) {
      const response = followReference(declared)
      const content = isRecord(response) && isRecord(response.content) ? response.content : {}
      // Browsers get the docs' own page for an unknown one, beside the error that everybody else gets.
      const types = Object.keys(content).filter((type) => type !== 'text/html')
      expect(types, status).toEqual(['application/json'])
      const body = content['application/json']
      const examples = isRecord(body) ? listExamples({ pointer: status, value: body }) : []
      expect(examples.length, JSON.stringify(declared)).toBeGreaterThan(0)
      for (const { value } of examples) expect(value).toEqual({ error: expect.stringMatching(/^\S.*\S$/) })
    }
  })

  it('asks for a key everywhere but on public paths', () => {
    const open = Object.entries(contract.paths)
      .filter(([, { get }]) => get?.security?.length === 0)
      .map(([path]) => path)
    expect(open.sort()).toEqual([
      '/',
      '/.well-known/api-catalog',
      '/api-docs',
      '/docs',
      '/docs/coverage.json',
      '/docs/{page}',
      '/favicon.ico',
      '/health',
      '/llms.txt',
      '/openapi.json',
      '/openapi.yml',
      '/robots.txt',
      '/version',
    ])
  })

  it('declares 401 and 429 on every path that asks for a key', () => {
    for (const [path, { get, head }] of Object.entries(contract.paths)) {
      for (const operation of [get, head]) {
        if (operation === undefined || operation.security?.length === 0) continue
        expect(Object.keys(operation.responses), path).toEqual(expect.arrayContaining(['400', '401', '429']))
      }
    }
  })

  it('names no component like something that JavaScript or a browser has already', () => {
    const platform = new Set([
      ...Object.getOwnPropertyNames(globalThis),
      'Location',
      'Range',
      'Comment',
      'Node',
    ])
    const names = Object.values(contract.components).flatMap((kind) => Object.keys(kind))
    // Generators write `user-name` and `user_name` as `UserName`.
    const toTypeName = (name: string) => name.replace(/(?:^|[-_])(\w)/g, (_, letter) => letter.toUpperCase())
    expect(names.length).toBeGreaterThan(100)
    expect(names.filter((name) => platform.has(toTypeName(name)))).toEqual([])
  })

  // Generators make 32 bits of an integer without a format.
  it('has the format int64 for each integer that may exceed 32 bits', () => {
    const integers = [...walkDocument(contract, '')].filter(({ value }) =>
      [value.type].flat().includes('integer'),
    )
    expect(integers.length).toBeGreaterThan(40)
    for (const { pointer, value } of integers) {
      const isSmall = Number(value.maximum) < 2 ** 31
      expect([pointer, value.format]).toEqual([pointer, isSmall ? undefined : 'int64'])
    }
  })

  // Later versions add fields to responses. Clients with strict types from this version have to ignore them.
  it('forbids fields that it doesn’t name in the bodies of requests alone', () => {
    const closed = [...walkDocument(openDocument, '')].filter(
      ({ value }) => value.additionalProperties === false,
    )
    const sent = [...walkDocument(openDocument, '')].flatMap(({ pointer, value }) =>
      /requestBody.*\/schema$/.test(pointer) && typeof value.$ref === 'string' ? [value.$ref.slice(1)] : [],
    )
    expect(sent.length).toBe(4)
    expect(closed.map(({ pointer }) => pointer).sort()).toEqual(sent.sort())
  })

  it('gives a listed repository the fields of a single one and its dependencies', () => {
    const { Repository, ListedRepository } = contract.components.schemas
    const { dependencies, ...others } = ListedRepository?.properties ?? {}
    expect(dependencies).toBeDefined()
    expect(others).toEqual(Repository?.properties)
    // A request may exclude them.
    expect(ListedRepository?.required).toEqual(Repository?.required)
  })

  it('is written so that generators make one type of each schema', () => {
    const nodes = [...walkDocument(contract, '')]
    const at = (test: (value: Record<string, unknown>) => boolean) =>
      nodes.filter(({ value }) => test(value)).map(({ pointer }) => pointer)
    expect(at(({ allOf }) => allOf !== undefined)).toEqual([])
    expect(at(({ enum: choices }) => Array.isArray(choices) && choices.includes(null))).toEqual([])
    // What may be null is a type of its own, which has a name, or null.
    const unions = nodes.filter(({ value }) => value.anyOf !== undefined)
    expect(unions.length).toBeGreaterThan(1)
    for (const { pointer, value } of unions) {
      const reference = { $ref: expect.stringMatching(/^#\/components\/schemas\//) }
      expect([pointer, value.anyOf]).toEqual([pointer, [reference, { type: 'null' }]])
    }
    for (const [path, { parameters = [] }] of Object.entries(contract.paths)) {
      const names = parameters.map((parameter) => ('$ref' in parameter ? parameter.$ref : parameter.name))
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => expect.stringMatching(`${name}$`))
      expect([path, names]).toEqual([path, expect.arrayContaining(inPath)])
    }
  })

  it('bounds the pages of every list', () => {
    const lists = listOperations().filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'per_page'),
    )
    expect(new Set(lists.map(({ path }) => path))).toEqual(
      new Set([
        '/api-key/usage',
        '/removals',
        '/api-key/usage/days',
        '/users',
        '/repos',
        '/repos/{owner}/{name}/commits',
        '/repos/{owner}/{name}/dependencies',
        '/repos/{owner}/{name}/dependencies/blame',
        '/admin/keys',
      ]),
    )
    for (const { parameters } of lists) {
      const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
      expect(schemas.page).toEqual({
        type: 'integer',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        format: 'int64',
        default: 1,
      })
      expect(schemas.per_page).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 30 })
    }
  })
})

/** The documented response of `GET /users`, as it would come over the wire. */
function createUserList(): { response: ContractResponse; body: Record<string, unknown> } {
  const body = readPointer('/paths/~1users/get/responses/200/content/application~1json/example')
  const declared = readPointer('/paths/~1users/get/responses/200/headers')
  if (!isRecord(body) || !isRecord(declared)) throw new Error('openapi.yml has no example of GET /users')
  const headers = new Headers({ 'Content-Type': 'application/json; charset=UTF-8' })
  for (const [name, reference] of Object.entries(declared)) {
    const header = followReference(reference)
    if (isRecord(header)) headers.set(name, String(header.example))
  }
  const response = { method: 'GET', url: '/users?page=1&per_page=2', status: 200, headers }
  return { response: { ...response, body: JSON.stringify(body) }, body: structuredClone(body) }
}

/** The code of an error response that any path may give. */
const codes: Record<number, string> = {
  400: 'invalid_url',
  401: 'invalid_api_key',
  404: 'route_not_found',
  405: 'method_not_allowed',
  429: 'rate_limit_exceeded',
}

function createError(method: string, url: string, status: number, headers: Record<string, string> = {}) {
  return {
    method,
    url,
    status,
    headers: new Headers({
      'Content-Type': 'application/json',
      'X-Request-Id': 'r-1',
      'X-Error-Code': codes[status] ?? '',
      ...headers,
    }),
    body: JSON.stringify({ error: 'Something is wrong' }),
  }
}

describe('assertMatchesContract', () => {
  it('accepts the documented response', () => {
    assertMatchesContract(createUserList().response)
  })

  it.each(['X-Request-Id', 'X-Total-Count', 'ETag', 'Cache-Control', 'Content-Type'])(
    'refuses a list without %s',
    (name) => {
      const { response } = createUserList()
      response.headers.delete(name)
      expect(() => assertMatchesContract(response)).toThrow(`the header ${name} is missing`)
    },
  )

  it.each([
    ['X-Total-Count', 'many'],
    ['X-Total-Count', '-1'],
    ['Link', '</users?page=1>; rel="first"'],
    ['ETag', '"strong"'],
    ['X-Credits-Cost', '1.5'],
    ['RateLimit', 'limit=1'],
  ])('refuses the header %s: %s', (name, value) => {
    const { response } = createUserList()
    response.headers.set(name, value)
    expect(() => assertMatchesContract(response)).toThrow(`the header ${name} is ${JSON.stringify(value)}: `)
  })

  it.each([
    ['a field that is not declared', { secret: 1 }, 'additional properties'],
    ['a missing field', { meta: undefined }, "required property 'meta'"],
    ['a field of another type', { data: {} }, 'must be array'],
  ])('refuses a body with %s', (_, change, reason) => {
    const { response, body } = createUserList()
    const changed = JSON.stringify({ ...body, ...change })
    expect(() => assertMatchesContract({ ...response, body: changed })).toThrow(reason)
  })

  it('refuses dependencies on a single repository, and a listed one may have them', () => {
    const single = readPointer(
      '/paths/~1repos~1{owner}~1{name}/get/responses/200/content/application~1json/example',
    )
    const listed = '/components/schemas/ListedRepository'
    expect(findViolation('/components/schemas/Repository', single)).toBeUndefined()
    expect(findViolation(listed, single)).toBeUndefined()
    const more = { ...(isRecord(single) ? single : {}), dependencies: [] }
    expect(findViolation(listed, more)).toBeUndefined()
    expect(findViolation('/components/schemas/Repository', more)).toMatch('additional properties')
  })

  it('refuses a body that is not JSON, or of another type', () => {
    const { response } = createUserList()
    expect(() => assertMatchesContract({ ...response, body: '{' })).toThrow('is not application/json')
    response.headers.set('Content-Type', 'text/html')
    expect(() => assertMatchesContract(response)).toThrow('content type text/html is not declared')
  })

  it('wants no body on HEAD and 304, and the same headers', () => {
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 304],
    ] as const) {
      const { response } = createUserList()
      assertMatchesContract({ ...response, method, status, body: '' })
      expect(() => assertMatchesContract({ ...response, method, status })).toThrow('must be empty')
      response.headers.delete('ETag')
      const bare = { ...response, method, status, body: '' }
      expect(() => assertMatchesContract(bare)).toThrow('the header ETag is missing')
    }
  })

  it('holds HEAD to GET where HEAD has no declaration of its own', () => {
    const headers = new Headers({ 'X-Request-Id': 'r-1', 'Content-Type': 'application/json' })
    assertMatchesContract({ method: 'HEAD', url: '/health', status: 200, headers, body: '' })
    const body = JSON.stringify({ status: 'ok', database: 'embedded' })
    assertMatchesContract({ method: 'GET', url: '/health', status: 200, headers, body })
    expect(() =>
      assertMatchesContract({ method: 'HEAD', url: '/health', status: 200, headers, body }),
    ).toThrow('must be empty')
  })

  it.each([
    ['GET', '/users', 418],
    ['GET', '/users', 404],
    ['GET', '/users', 405],
    ['GET', '/health', 401],
    ['GET', '/nowhere', 200],
    ['POST', '/users', 200],
    ['GET', '/nowhere', 405],
  ])('refuses %s %s with %i', (method, url, status) => {
    const response = createError(method, url, status, { Allow: 'GET, HEAD, OPTIONS' })
    expect(() => assertMatchesContract(response)).toThrow('not declared in openapi.yml')
  })

  it('accepts the errors that any path may give, with their headers', () => {
    assertMatchesContract(createError('GET', '/nowhere', 404))
    assertMatchesContract(createError('GET', '/repos/%zz', 400))
    assertMatchesContract(createError('GET', '/users/', 400))
    assertMatchesContract(createError('GET', '/docs/a/b', 404))
    assertMatchesContract(createError('DELETE', '/users', 405, { Allow: 'GET, HEAD, OPTIONS' }))
    expect(() => assertMatchesContract(createError('DELETE', '/users', 405))).toThrow(
      'header Allow is missing',
    )
    expect(() => assertMatchesContract(createError('GET', '/repos/x', 401))).toThrow(
      'header WWW-Authenticate',
    )
    expect(() => assertMatchesContract(createError('GET', '/users', 429))).toThrow('header Retry-After')
    expect(() =>
      assertMatchesContract(createError('GET', '/nowhere', 404, { 'X-Error-Code': 'gone' })),
    ).toThrow('the header X-Error-Code is "gone"')
    const page = { ...createError('GET', '/nowhere', 404), body: JSON.stringify({ message: 'No' }) }
    expect(() => assertMatchesContract(page)).toThrow("required property 'error'")
  })

  it('reads YAML where YAML is declared', () => {
    const headers = new Headers({ 'X-Request-Id': 'r-1', 'Content-Type': 'application/yaml' })
    const response = { method: 'GET', url: '/openapi.yml', status: 200, headers }
    const body = JSON.stringify(contract)
    assertMatchesContract({ ...response, body })
    expect(() => assertMatchesContract({ ...response, body: 'openapi: 3.1.0' })).toThrow("property 'paths'")
  })
})
