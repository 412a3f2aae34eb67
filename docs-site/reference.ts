/** The content of the API reference, read from `openapi.yml`: a page per endpoint, and one with all resources. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The parts of the document that the reference uses. `redocly lint` validates the document. */
interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, PathItem>
  components: {
    parameters: Record<string, ParameterObject>
    headers: Record<string, HeaderObject>
    responses: Record<string, ResponseObject>
    schemas: Record<string, SchemaObject>
    examples: Record<string, ExampleObject>
  }
}

interface Reference {
  $ref: string
}

/** The methods of endpoints. `HEAD` is described with `GET`. */
const methods = ['get', 'post', 'patch', 'delete'] as const

interface PathItem {
  parameters?: (ParameterObject | Reference)[]
  get?: OperationObject
  head?: OperationObject
  post?: OperationObject
  patch?: OperationObject
  delete?: OperationObject
}

interface OperationObject {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  security?: unknown[]
  parameters?: (ParameterObject | Reference)[]
  requestBody?: {
    content: { 'application/json': { schema: SchemaObject; example?: Record<string, unknown> } }
  }
  responses: Record<string, ResponseObject | Reference>
}

interface ParameterObject {
  name: string
  in: 'path' | 'query' | 'header' | 'body'
  required?: boolean
  description: string
  explode?: boolean
  schema: SchemaObject
  example?: unknown
}

interface HeaderObject {
  description: string
  required?: boolean
  schema: SchemaObject
}

interface ExampleObject {
  summary?: string
  value: unknown
}

interface ResponseObject {
  description: string
  headers?: Record<string, HeaderObject | Reference>
  content?: Record<
    string,
    { schema?: SchemaObject; example?: unknown; examples?: Record<string, ExampleObject | Reference> }
  >
}

interface SchemaObject {
  $ref?: string
  description?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  pattern?: string
  items?: SchemaObject
  anyOf?: SchemaObject[]
  properties?: Record<string, SchemaObject>
  required?: readonly string[]
}

/** A value's type in words, with a link if it is a resource. */
export interface TypeText {
  text: string
  /** Id of the resource that the value or its items are. */
  resource?: string
}

/** A field of a resource. */
export interface Field {
  name: string
  type: TypeText
  nullable: boolean
  /** Markdown. */
  meaning: string
}

/** A resource: an object in responses. */
export interface Resource {
  /** Last part of the page's URL: `credit-status`. */
  id: string
  /** In words: `Credit status`. */
  title: string
  /** Markdown. */
  description: string
  fields: Field[]
  /** Position among the resources, from 0. */
  position: number
  /** Ids of the endpoints that return it. */
  endpoints: string[]
}

/** A parameter of an endpoint, or a member of its body. */
export interface Parameter {
  name: string
  place: string
  required: boolean
  type: string
  /** Bounds and default in words. */
  rules: string[]
  /** The only values, if the type has a few. */
  choices: string[]
  /** Markdown. */
  meaning: string
  example: string
}

/** A response of an endpoint, by its status. */
export interface ResponseEntry {
  status: string
  /** Markdown. */
  description: string
  /** Content types of the body, with the resource that it is, or of which it has a list. */
  types: { name: string; resource?: string | undefined; list: boolean }[]
  headers: { name: string; meaning: string }[]
  /** Error messages in the document's examples. */
  messages: string[]
}

/** What a response costs: a credit for each item, one credit, or nothing. */
export type Price = '1 per item' | '1 credit' | 'free'

/** An endpoint: a path with a method. `HEAD` belongs to `GET`. */
export interface Endpoint {
  /** `list-users`. */
  id: string
  /**
   * Its place below the docs: `reference/list-users/`, or `reference/service/#get-health` on a page that several share.
   */
  link: string
  operationId: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  tag: string
  title: string
  /** Markdown. */
  description: string
  needsKey: boolean
  price: Price
  parameters: Parameter[]
  responses: ResponseEntry[]
  /** The `HEAD` operation with the quote. */
  quote: { operationId: string; description: string; responses: ResponseEntry[] } | undefined
}

/** A group of endpoints. */
export interface Tag {
  id: string
  name: string
  /** Markdown. */
  description: string
  /** Position among the tags, from 0. */
  position: number
  /** Ids of its endpoints, in the document's order. */
  endpoints: string[]
}

/** The whole reference. */
export interface ApiReference {
  tags: Tag[]
  endpoints: Endpoint[]
  resources: Resource[]
}

/** Path of the document. */
export const documentPath = join(import.meta.dirname, '..', 'openapi.yml')

/** Path of the changelog, which the portal shows, too. */
export const changelogPath = join(import.meta.dirname, '..', 'CHANGELOG.md')

/** Reads `openapi.yml`. */
export function loadReference(): ApiReference {
  return readReference(parse(readFileSync(documentPath, 'utf8')) as Document)
}

/** Converts names such as `listUsers` and `CreditStatus` for URLs. */
const toId = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
const toTitle = (name: string) => {
  const words = toId(name).replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Pages of several endpoints, which are small and read together. Every other endpoint has a page of its own. */
export const sharedPages = [
  {
    id: 'service',
    title: 'Health, version, coverage and metrics',
    operationIds: ['getHealth', 'getVersion', 'getCoverage', 'getMetrics'],
  },
  { id: 'list-dependencies', title: 'List dependencies', operationIds: ['listDependencies', 'listBlame'] },
  {
    id: 'usage',
    title: 'Usage and connections',
    operationIds: ['listUsage', 'listUsageByDay', 'listConnections', 'endConnection'],
  },
  {
    id: 'keys',
    title: 'Manage keys',
    operationIds: [
      'createKey',
      'listKeys',
      'getKey',
      'changeKey',
      'grantCredits',
      'rotateKey',
      'revokeKey',
      'restoreKey',
    ],
  },
]

/** The page that an endpoint shares; undefined if it has one of its own. */
export const findSharedPage = (operationId: string): (typeof sharedPages)[number] | undefined =>
  sharedPages.find(({ operationIds }) => operationIds.includes(operationId))

function writeEndpointLink(operationId: string): string {
  const shared = findSharedPage(operationId)
  return shared ? `reference/${shared.id}/#${toId(operationId)}` : `reference/${toId(operationId)}/`
}

/** Parameters of every list come after the endpoint's own. */
const isPaging = ({ name }: Parameter) => /^(page|per_page|after)$/.test(name)

/** The docs don't document themselves: their own endpoints are in openapi.yml alone. */
const isShown = ({ name }: { name: string }) => name !== 'Documentation'

/** Schemas of lists and of simple types have no page. */
const isPage = (name: string, schema: SchemaObject) =>
  schema.properties !== undefined &&
  !/List$|^(OpenapiDocument|ApiCatalog|New.*|KeyChange|KeyRotation)$/.test(name)

function readReference({ components, paths, tags }: Document): ApiReference {
  const reader = new ReferenceReader(components)
  const endpoints = Object.entries(paths).flatMap(([path, item]) => reader.readEndpoint(path, item))
  const resources = Object.entries(components.schemas).flatMap(([name, schema], position) =>
    reader.readResource(name, schema, position, endpoints),
  )
  return {
    tags: tags.filter(isShown).map((tag, position) => readTag(tag, position, endpoints)),
    endpoints,
    resources,
  }
}

function readTag(
  { name, description }: Document['tags'][number],
  position: number,
  endpoints: Endpoint[],
): Tag {
  const own = endpoints.filter(({ tag }) => tag === name)
  return { id: toId(name), name, description, position, endpoints: own.map(({ id }) => id) }
}

const nameSchema = ({ $ref }: SchemaObject) => $ref?.replace('#/components/schemas/', '')

/** The schema of a value that isn't null. */
const withoutNull = ({ anyOf, ...own }: SchemaObject): SchemaObject =>
  anyOf?.find(({ type }) => type !== 'null') ?? own

const isNullable = ({ type, anyOf = [] }: SchemaObject): boolean =>
  [type].flat().includes('null') || anyOf.some(isNullable)

/** Says in words what the values of a parameter may be. */
function describeRules(schema: SchemaObject, isRepeated: boolean): string[] {
  const { default: standard, enum: choices, minimum, maximum, maxItems, items, minLength, maxLength } = schema
  const longest = items?.maxLength ?? maxLength
  // The largest number of JavaScript is the bound of everything that has no other.
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  return [
    ...(choices !== undefined ? [choices.map((choice) => `<code>${choice}</code>`).join(' or ')] : []),
    ...(minimum === undefined ? [] : [isBounded ? `${minimum}–${maximum}` : `${minimum} or more`]),
    ...(maxItems === undefined ? [] : [isRepeated ? `repeatable ≤ ${maxItems}` : `≤ ${maxItems} entries`]),
    ...(longest === undefined ? [] : [`${minLength ? `${minLength}–` : '≤ '}${longest} characters`]),
    ...(standard !== undefined ? [`default ${standard}`] : []),
  ]
}

/** Reads the parts of the document that refer to its components. */
class ReferenceReader {
  readonly #components: Document['components']

  constructor(components: Document['components']) {
    this.#components = components
  }

  follow<T extends object>(value: T | Reference, kind: keyof Document['components']): T {
    if (!('$ref' in value) || value.$ref === undefined) return value as T
    const name = value.$ref.slice(`#/components/${kind}/`.length)
    const target = (this.#components[kind] as Record<string, unknown>)[name]
    if (target === undefined) throw new Error(`openapi.yml: ${value.$ref} is missing`)
    return target as T
  }

  /** Merges a schema with its reference; its own properties win. */
  resolve(schema: SchemaObject): SchemaObject {
    if (schema.$ref === undefined) return schema
    const { $ref, ...own } = schema
    return { ...this.resolve(this.follow<SchemaObject>({ $ref }, 'schemas')), ...own }
  }

  describeType(schema: SchemaObject): TypeText {
    const value = withoutNull(schema)
    const name = nameSchema(value)
    const full = this.resolve(value)
    if (name !== undefined && isPage(name, full)) return { text: toTitle(name), resource: toId(name) }
    if (full.items !== undefined) {
      const { text, resource } = this.describeType(full.items)
      return { text: `array of ${text}`, ...(resource !== undefined && { resource }) }
    }
    const types = [full.type ?? 'object'].flat().filter((type) => type !== 'null')
    const choices =
      full.const !== undefined ? [full.const] : (full.enum?.filter((each) => each !== null) ?? [])
    if (choices.length > 0) return { text: choices.map((choice) => `"${choice}"`).join(' or ') }
    const forms: Record<string, string> = { 'date-time': 'ISO 8601', uri: 'URL', uuid: 'UUID' }
    const form = forms[full.format ?? '']
    return { text: `${types.join(' or ')}${form ? ` (${form})` : ''}` }
  }

  readField(name: string, schema: SchemaObject): Field {
    const full = this.resolve(schema)
    return {
      name,
      type: this.describeType(schema),
      nullable: isNullable(full),
      meaning: full.description ?? '',
    }
  }

  readParameter(declared: ParameterObject | Reference): Parameter {
    const parameter = this.follow<ParameterObject>(declared, 'parameters')
    const { name, in: place, required = false, description, explode = true, example } = parameter
    const schema = this.resolve(parameter.schema)
    const isRepeated = schema.type === 'array' && explode
    const examples = [example].flat()
    return {
      name,
      place,
      required,
      type: isRepeated ? 'string' : schema.type === 'array' ? 'comma-separated list' : String(schema.type),
      rules: describeRules(schema, isRepeated),
      choices: (schema.enum ?? []).map(String),
      meaning: description,
      example: isRepeated ? examples.map((value) => `${name}=${value}`).join('&') : examples.join(','),
    }
  }

  readResponse([status, declared]: [string, ResponseObject | Reference]): ResponseEntry {
    const { description, headers = {}, content = {} } = this.follow<ResponseObject>(declared, 'responses')
    const json = content['application/json']
    const examples = [
      ...(json?.example === undefined ? [] : [json.example]),
      ...Object.values(json?.examples ?? {}).map(
        (each) => this.follow<ExampleObject>(each, 'examples').value,
      ),
    ]
    const messages = examples.flatMap((example) =>
      typeof example === 'object' && example !== null && 'error' in example ? [String(example.error)] : [],
    )
    return {
      status,
      description,
      types: Object.entries(content).map(([name, { schema }]) => {
        const { items, $ref } = schema ? { ...this.resolve(schema).properties?.data, $ref: schema.$ref } : {}
        const own = items ?? ($ref === undefined ? undefined : { $ref })
        return { name, resource: own && this.describeType(own).resource, list: items !== undefined }
      }),
      headers: Object.entries(headers).map(([name, header]) => ({
        name,
        meaning: this.follow<HeaderObject>(header, 'headers').description,
      })),
      messages: [...new Set(messages)],
    }
  }

  readResponses({ responses }: OperationObject): ResponseEntry[] {
    return Object.entries(responses).map((response) => this.readResponse(response))
  }

  /** Reads the members of a body as parameters. */
  readMembers({ requestBody }: OperationObject): Parameter[] {
    const { schema: given, example: examples = {} } = requestBody?.content['application/json'] ?? {
      schema: {},
    }
    const schema = this.resolve(given)
    return Object.entries(schema.properties ?? {}).map(([name, { description = '', ...member }]) => {
      const required = schema.required?.includes(name) === true
      const example = examples[name] ?? ''
      return {
        ...this.readParameter({
          name,
          in: 'body',
          required,
          description,
          explode: false,
          schema: member,
          example,
        }),
        type: this.describeType(member).text + (isNullable(member) ? ' or null' : ''),
      }
    })
  }

  readEndpoint(path: string, item: PathItem): Endpoint[] {
    return methods.flatMap((method) => this.readOperation(path, item, method))
  }

  readOperation(path: string, item: PathItem, method: (typeof methods)[number]): Endpoint[] {
    const operation = item[method]
    const head = method === 'get' ? item.head : undefined
    if (operation === undefined || !isShown({ name: operation.tags[0] })) return []
    const { operationId, tags, summary, description = '', security } = operation
    const responses = this.readResponses(operation)
    return [
      {
        id: toId(operationId),
        link: writeEndpointLink(operationId),
        operationId,
        method: ({ get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const)[method],
        path,
        tag: tags[0],
        title: summary,
        description,
        needsKey: security?.length !== 0,
        // What costs credits has a quote.
        price:
          head === undefined
            ? 'free'
            : responses.some(({ types }) => types.some(({ list }) => list))
              ? '1 per item'
              : '1 credit',
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])]
          .map((parameter) => this.readParameter(parameter))
          .concat(this.readMembers(operation))
          .sort((a, b) => Number(isPaging(a)) - Number(isPaging(b))),
        responses,
        quote: head && {
          operationId: head.operationId,
          description: head.description ?? '',
          responses: this.readResponses(head),
        },
      },
    ]
  }

  readResource(name: string, schema: SchemaObject, position: number, endpoints: Endpoint[]): Resource[] {
    if (!isPage(name, schema)) return []
    const id = toId(name)
    const hasResource = ({ types }: ResponseEntry) => types.some(({ resource }) => resource === id)
    return [
      {
        id,
        title: toTitle(name),
        description: schema.description ?? '',
        position,
        fields: Object.entries(schema.properties ?? {}).map(([field, declared]) =>
          this.readField(field, declared),
        ),
        endpoints: endpoints
          .filter(({ responses }) => name !== 'ErrorBody' && responses.some(hasResource))
          .map((endpoint) => endpoint.id),
      },
    ]
  }
}
