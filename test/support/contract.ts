/** Compares responses with `openapi.yml`: `assertMatchesContract` gets every response of every test. */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'

/** A received response. */
export interface ContractResponse {
  method: string
  /** Path and query relative to the base address, for example `/users?page=2`. */
  url: string
  status: number
  headers: Headers
  body: string
}

export interface Reference {
  $ref: string
}

/** The keywords of JSON Schema that tests compare with the code; ajv reads the others. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  default?: unknown
  enum?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  pattern?: string
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  explode?: boolean
  schema: Schema
  /** The value of this path parameter may contain slashes. */
  'x-multi-segment'?: boolean
}

export interface Header {
  required?: boolean
  schema: Schema
}

export interface ResponseDeclaration {
  headers?: Record<string, Header | Reference>
  content?: Record<
    string,
    { schema?: Schema; example?: unknown; examples?: Record<string, Example | Reference> }
  >
}

export interface Example {
  value: unknown
}

export interface Operation {
  operationId: string
  tags: string[]
  security?: Record<string, string[]>[]
  parameters?: (Parameter | Reference)[]
  responses: Record<string, ResponseDeclaration | Reference>
}

export interface PathItem {
  parameters?: (Parameter | Reference)[]
  get?: Operation
  head?: Operation
  post?: Operation
  patch?: Operation
  delete?: Operation
}

export interface Contract {
  info: { version: string }
  servers: { url: string }[]
  paths: Record<string, PathItem>
  /** Responses of any path, declared or not, by status. */
  'x-shared-responses': Record<string, ResponseDeclaration | Reference>
  components: {
    parameters: Record<string, Parameter>
    headers: Record<string, Header>
    responses: Record<string, ResponseDeclaration>
    schemas: Record<string, Schema>
    examples: Record<string, Example>
  }
}

const text = readFileSync(new URL('../../openapi.yml', import.meta.url), 'utf8')

/** The document of the repository. `redocly lint` checks its shape. */
export const openDocument: Contract = parse(text)

/** The same, but objects have no other fields than those that it names: tests notice what it lacks. */
export const contract: Contract = parse(text, (_, value) =>
  typeof value === 'object' && value !== null && 'properties' in value
    ? { additionalProperties: false, ...value }
    : value,
)

/** A declared operation, with the parameters of its path item and their references followed. */
export interface ContractOperation {
  /** Path template, for example `/users/{login}`. */
  path: string
  /** Upper case. */
  method: string
  parameters: {
    name: string
    in: string
    schema: Schema
    required: boolean
    /** Whether an array is sent as a parameter for each item, not with commas. */
    explode: boolean
  }[]
}

/** Every operation of the document. */
export function listOperations(): ContractOperation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    (['get', 'head'] as const).flatMap((method) => {
      if (item[method] === undefined) return []
      const parameters = listParameters(item, method).map(
        ({ name, in: place, schema, required = false, explode = true }) => {
          return { name, in: place, schema: followSchema(schema), required, explode }
        },
      )
      return [{ path, method: method.toUpperCase(), parameters }]
    }),
  )
}

/** The error messages of requests that change keys, beside those that any request may get. */
export function listMessagesOfChanges(): string[] {
  const names = /^(BadKeyRequest|KeyForbidden|KeyConflict|BodyTooLarge|NotJson|KeysUnavailable)$/
  const others = /^(Insufficient permissions|Admin access required|.*; retry in \d+ seconds)$/
  return Object.entries(contract.components.responses)
    .filter(([name]) => names.test(name))
    .flatMap(([, { content }]) => Object.values(content?.['application/json']?.examples ?? {}))
    .map((example) => follow(example, 'examples', contract.components.examples, '')[0].value)
    .flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
    .map(String)
    .filter((message) => !others.test(message))
}

/** Throws an error that says in which point a response breaks the contract. */
export function assertMatchesContract(response: ContractResponse): void {
  const { url, status, headers, body } = response
  const method = response.method.toUpperCase()
  const fail = (reason: string): never => {
    throw new Error(`${method} ${url} returned ${status}: ${reason}`)
  }
  const [declaration, pointer] = findDeclaration(method, url, status) ?? fail('not declared in openapi.yml')

  for (const [name, declared] of Object.entries(declaration.headers ?? {})) {
    const at = joinPointer(pointer, 'headers', name)
    const [header, headerPointer] = follow(declared, 'headers', contract.components.headers, at)
    const value = headers.get(name)
    if (value === null) {
      if (header.required) fail(`the header ${name} is missing`)
      continue
    }
    const violation = findViolation(joinPointer(headerPointer, 'schema'), readHeader(value, header.schema))
    if (violation) fail(`the header ${name} is ${JSON.stringify(value)}: ${violation}`)
  }

  if (method === 'HEAD' || declaration.content === undefined) {
    if (body !== '') fail(`the body must be empty, but has ${body.length} characters`)
    return
  }
  const contentType = headers.get('Content-Type') ?? fail('the header Content-Type is missing')
  const type = contentType.split(';', 1).join('').trim().toLowerCase()
  const { content } = declaration
  const ranges = [type, type.replace(/\/.*/, '/*'), '*/*']
  const range =
    ranges.find((key) => content[key] !== undefined) ??
    fail(`the content type ${contentType} is not declared`)
  if (content[range]?.schema === undefined) return
  let value: unknown
  try {
    value = readBody(body, type)
  } catch (error) {
    fail(`the body is not ${type}: ${error instanceof Error ? error.message : error}`)
  }
  const violation = findViolation(joinPointer(pointer, 'content', range, 'schema'), value)
  if (violation) fail(`the body breaks its schema: ${violation}`)
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
formats.default(ajv)
// To ajv the document is one schema with others inside, and its strict mode asks what its top level means.
ajv.addVocabulary(Object.keys(contract))
ajv.addSchema(contract, 'openapi.yml')
const validators = new Map<string, ValidateFunction>()

/** What is wrong with a value by the schema at a JSON pointer of the document; undefined when nothing is. */
export function findViolation(schemaPointer: string, value: unknown): string | undefined {
  let validate = validators.get(schemaPointer)
  if (validate === undefined) {
    const $ref = `openapi.yml#${schemaPointer.split('/').map(encodeURIComponent).join('/')}`
    validate = ajv.compile({ $ref })
    validators.set(schemaPointer, validate)
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'value' })
}

/** Adds segments to a JSON pointer. */
export function joinPointer(pointer: string, ...segments: string[]): string {
  return [pointer, ...segments.map((text) => text.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
}

type Located<T> = readonly [value: T, pointer: string]

/** The operations that describe the responses to a method. */
const ownOperations: Record<string, readonly ('get' | 'head' | 'post' | 'patch' | 'delete')[]> = {
  GET: ['get'],
  HEAD: ['head', 'get'],
  POST: ['post'],
  PATCH: ['patch'],
  DELETE: ['delete'],
}

/** The response of the operation itself, or one that any path may have. */
function findDeclaration(
  method: string,
  url: string,
  status: number,
): Located<ResponseDeclaration> | undefined {
  const path = findPath(url)
  const item = path === undefined ? undefined : contract.paths[path]
  const own = ownOperations[method]?.find((name) => item?.[name])
  const operation = own && item?.[own]
  const reads = (method === 'GET' || method === 'HEAD') && (item === undefined || operation !== undefined)
  if (path !== undefined && own !== undefined && operation !== undefined) {
    const key = operation.responses[status] ? String(status) : 'default'
    const pointer = joinPointer('/paths', path, own, 'responses', key)
    const declared = operation.responses[key]
    return declared && followResponse(declared, pointer)
  }
  if (status === 204 && method !== 'OPTIONS') return undefined
  // Node's servers get `OPTIONS *` as this path (api/http/url.ts).
  const isOfServer = method === 'OPTIONS' && /^\/\*(\?|$)/.test(url)
  if (status === 405 && (reads || method === 'OPTIONS') && !isOfServer) return undefined
  const declared = contract['x-shared-responses'][status]
  return declared && followResponse(declared, joinPointer('/x-shared-responses', String(status)))
}

const templates = Object.keys(contract.paths).map((path) => ({ path, pattern: compileTemplate(path) }))

/** The template that a URL matches, one without parameters first. An empty segment is an empty parameter. */
function findPath(url: string): string | undefined {
  const path = url.replace(/[?#].*/s, '') || '/'
  if (contract.paths[path] !== undefined) return path
  return templates.find(({ pattern }) => pattern.test(path))?.path
}

function compileTemplate(path: string): RegExp {
  const parameters = listParameters(contract.paths[path] ?? {}, 'get')
  const source = path.split(/(\{[^}]*\})/).map((part) => {
    if (!part.startsWith('{')) return part.replaceAll('.', '\\.')
    const parameter = parameters.find(({ name, in: place }) => place === 'path' && part === `{${name}}`)
    if (parameter === undefined) throw new Error(`openapi.yml: ${path} does not declare ${part}`)
    return parameter['x-multi-segment'] ? '.*' : '[^/]*'
  })
  return new RegExp(`^${source.join('')}$`, 's')
}

function listParameters(item: PathItem, method: 'get' | 'head'): Parameter[] {
  const declared = [...(item.parameters ?? []), ...(item[method]?.parameters ?? [])]
  return declared.map((parameter) => follow(parameter, 'parameters', contract.components.parameters, '')[0])
}

function isReference(value: object): value is Reference {
  return '$ref' in value
}

/** Follows a reference into one kind of components. Returns any other value where it stands. */
function follow<T extends object>(
  value: T | Reference,
  kind: string,
  components: Record<string, T>,
  pointer: string,
): Located<T> {
  if (!isReference(value)) return [value, pointer]
  const prefix = `#/components/${kind}/`
  const name = value.$ref.slice(prefix.length)
  const target = value.$ref.startsWith(prefix) ? components[name] : undefined
  if (target === undefined) throw new Error(`openapi.yml: ${value.$ref} does not name one of its ${kind}`)
  return [target, joinPointer('/components', kind, name)]
}

function followResponse(
  value: ResponseDeclaration | Reference,
  pointer: string,
): Located<ResponseDeclaration> {
  return follow(value, 'responses', contract.components.responses, pointer)
}

/** Follows the references of a schema. */
export function followSchema(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...own } = schema
  const target = followSchema(follow<Schema>({ $ref }, 'schemas', contract.components.schemas, '')[0])
  return { ...target, ...own }
}

/** A header is text: what its schema calls an integer is read as one. */
function readHeader(text: string, schema: Schema): string | number {
  return followSchema(schema).type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text
}

/** @throws when a JSON or YAML body can't be parsed. */
function readBody(body: string, type: string): unknown {
  if (/^application\/(.+\+)?json$/.test(type)) return JSON.parse(body)
  return type === 'application/yaml' ? parse(body) : body
}
