/** Formats requests in each language, and responses, as pages show them. */
import type { SampleRequest } from './requests.ts'
import { statusTexts } from './status-texts.ts'

/** A language of samples, with the label of its tab and its syntax highlighting. */
export interface Language {
  id: 'curl' | 'javascript' | 'python' | 'go'
  label: string
  syntax: string
}

/** In the order of tabs. Generated samples don't have Go. */
export const languages: readonly Language[] = [
  { id: 'curl', label: 'curl', syntax: 'sh' },
  { id: 'javascript', label: 'JavaScript', syntax: 'js' },
  { id: 'python', label: 'Python', syntax: 'python' },
  { id: 'go', label: 'Go', syntax: 'go' },
]

/** Code that sends a request and prints the response; undefined for languages without generated samples. */
export function writeSample(
  language: Language['id'],
  request: SampleRequest,
  baseUrl: string,
): string | undefined {
  const url = `${baseUrl}${request.path}`
  switch (language) {
    case 'curl':
      return writeCurl(request, url)
    case 'javascript':
      return writeJavaScript(request, url)
    case 'python':
      return writePython(request, url)
    default:
      return undefined
  }
}

const isKeyed = ({ key }: SampleRequest) => key !== 'none'
/** Whether a sample shows an error, which then isn't a failure. */
const showsError = ({ status = 200 }: SampleRequest) => status >= 400
const isText = ({ showsBody = true }: SampleRequest) => !showsBody
/** Whether the response has no body, unless it is an error. */
const isEmpty = ({ status }: SampleRequest) => status === 204

function writeCurl(request: SampleRequest, url: string): string {
  const option = { HEAD: '-I', DELETE: '-i -X DELETE', GET: '-i', POST: '-i' }[request.method]
  const data =
    request.body && ` \\\n  -H "Content-Type: application/json" -d '${JSON.stringify(request.body)}'`
  const authorization = isKeyed(request) ? ' -H "Authorization: Bearer $DEVDATA_API_KEY"' : ''
  const others = Object.entries(request.sends ?? {}).map(([name, value]) => ` -H "${name}: ${value}"`)
  return `curl ${option}${authorization}${others.join('')}${data ?? ''} \\\n  "${url}"`
}

function writeJavaScript(request: SampleRequest, url: string): string {
  const { method, shows, body } = request
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the sample's template
    ...(isKeyed(request) ? ['Authorization: `Bearer ${process.env.DEVDATA_API_KEY}`'] : []),
    ...Object.entries(request.sends ?? {}).map(([name, value]) => `'${name}': '${value}'`),
    ...(body ? ["'Content-Type': 'application/json'"] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body ? [`body: JSON.stringify(${writeObject(body)})`] : []),
  ]
  const second = options.length > 0 ? `, {\n${options.map((option) => `  ${option},\n`).join('')}}` : ''
  const call = `const response = await fetch('${url}'${second})`
  if (method === 'HEAD') {
    const list = shows.map((name) => `'${name}'`).join(', ')
    return `${call}
if (!response.ok) throw new Error(response.statusText)
for (const name of [${list}]) {
  console.log(\`\${name}: \${response.headers.get(name)}\`)
}`
  }
  if (isEmpty(request)) return `${call}\nif (!response.ok) throw new Error(await response.text())`
  if (isText(request)) {
    return `${call}
if (!response.ok) throw new Error(await response.text())
console.log(await response.text())`
  }
  return `${call}
const body = await response.json()${showsError(request) ? '' : '\nif (!response.ok) throw new Error(body.error)'}
console.log(JSON.stringify(body, null, 2))`
}

/** Writes an object as JavaScript. */
function writeObject(object: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(object).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? `'${value}'` : value}`,
  )
  return `{ ${members.join(', ')} }`
}

function writePython(request: SampleRequest, url: string): string {
  const { method, shows } = request
  const isJson = method !== 'HEAD' && !isText(request) && !isEmpty(request)
  const imports = [...(isJson ? ['json'] : []), ...(isKeyed(request) ? ['os'] : [])]
  const standard = imports.map((name) => `import ${name}\n`).join('')
  const headers = [
    ...(isKeyed(request) ? [`"Authorization": f"Bearer {os.environ['DEVDATA_API_KEY']}"`] : []),
    ...Object.entries(request.sends ?? {}).map(([name, value]) => `"${name}": "${value}"`),
  ]
  const parameters = [
    `"${url}"`,
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(request.body ? [`json=${JSON.stringify(request.body).replaceAll(/([:,])(?! )/g, '$1 ')}`] : []),
  ]
  const call = `response = requests.${method.toLowerCase()}(\n${parameters.map((each) => `    ${each},\n`).join('')})`
  // A response to HEAD has no message.
  const refusal =
    method === 'HEAD'
      ? 'response.raise_for_status()'
      : 'if not response.ok:\n    raise SystemExit(response.text)'
  const check = showsError(request) ? '' : `${refusal}\n`
  const head = `${standard}${standard && '\n'}import requests\n\n${call}\n${check}`
  if (method === 'HEAD') {
    const list = shows.map((name) => `"${name}"`).join(', ')
    return `${head}for name in [${list}]:\n    print(f"{name}: {response.headers[name]}")`
  }
  if (isEmpty(request)) return head.trimEnd()
  if (isText(request)) return `${head}print(response.text)`
  return `${head}print(json.dumps(response.json(), indent=2, ensure_ascii=False))`
}

/** A received response. */
export interface SampleResponse {
  status: number
  headers: Headers
  text: string
}

/** Fields of `meta` that differ in each response, with the values that pages show. */
const varyingMeta: Readonly<Record<string, unknown>> = {
  request_id: '0b8f2a44-52c7-4d0e-9b1e-6a3f1f7c2d10',
  timestamp: 1_767_225_600,
  execution_time: 3,
}
/** The same for responses about the service and its keys. */
const varyingService: Readonly<Record<string, unknown>> = {
  api_key: '00000000-0000-4000-8000-000000000000',
  version: '0.2.0',
  commit: '7f3c2a9d1e5b48c60a2f9d83b7e4c1650d9a8f42',
  runtime: 'node v24.21.0',
  timestamp: 1_767_225_600,
  created_at: '2026-01-01T09:00:00.000Z',
  updated_at: '2026-01-01T09:00:00.000Z',
  applied_at: '2026-01-01T09:00:00.000Z',
  newest: '2026-01-01T09:00:00.000Z',
  oldest: '2026-01-01T08:59:57.000Z',
  last_used_at: '2026-01-01T12:00:00.000Z',
  id: 2,
  secret: '00000000-0000-4000-8000-000000000000',
  outcome: 'granted',
  request_id: '0b8f2a44-52c7-4d0e-9b1e-6a3f1f7c2d10',
  day: '2026-01-01',
}

/** The same for connections. */
const varyingConnection: Readonly<Record<string, unknown>> = {
  ...varyingService,
  expires_at: '2026-01-31T09:00:00.000Z',
}

function settle(value: unknown, varying: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => settle(item, varying))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => {
    if (name === 'meta') return [name, settle(field, varyingMeta)]
    // The service's version (a string) varies, that of the dataset (a number) doesn't. Null varies, too, except for a
    // ledger entry without a request.
    const hasSameType = field === null ? name !== 'request_id' : typeof field === typeof varying[name]
    const varies = Object.hasOwn(varying, name) && hasSameType
    return [name, varies ? varying[name] : settle(field, varying)]
  })
  return Object.fromEntries(fields)
}

/** Replaces the varying fields of a JSON body, so that it can be compared and shown. */
export function settleBody(
  { path, hasConnection, showsItems = Number.POSITIVE_INFINITY }: SampleRequest,
  body: unknown,
): unknown {
  const isService = /^\/(version|docs|api-key|admin)\b/.test(path)
  const varying = hasConnection ? varyingConnection : isService ? varyingService : {}
  return cutLists(settle(body, varying), showsItems)
}

function cutLists(value: unknown, most: number): unknown {
  if (Array.isArray(value)) return value.slice(0, most).map((item) => cutLists(item, most))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, cutLists(field, most)]))
}

/** Formats a response for pages: status, selected headers, body. Replaces the service's URL with `{base_url}`. */
export function writeResponse(request: SampleRequest, response: SampleResponse, baseUrl: string): string {
  const { status, headers, text } = response
  const fields = request.shows.map((name) => {
    const value = headers.get(name)
    if (value === null) throw new Error(`The response to ${request.path} has no ${name}`)
    return `${name}: ${value.replaceAll(baseUrl, '{base_url}')}`
  })
  const head = [`HTTP/1.1 ${status} ${statusTexts[status] ?? ''}`.trim(), ...fields].join('\n')
  if (text === '' || request.showsBody === false) return `${head}\n`
  return `${head}\n\n${JSON.stringify(settleBody(request, JSON.parse(text)), null, 2)}\n`
}
