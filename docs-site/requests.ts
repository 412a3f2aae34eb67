/**
 * The requests that the portal shows. Pages show each in three languages (`samples.ts`) with its recorded response
 * (`src/responses/`). A test sends all of them (`test/portal/samples.test.ts`).
 */

/** A request as the portal shows it. */
export interface SampleRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  /** Path and query below the base URL, escaped. */
  path: string
  /** Default: a user key. `shop`: an admin key with `keys:write`. */
  key?: 'user' | 'admin' | 'shop' | 'none'
  /** Paths and queries of `GET` requests that the same key sends before, so that there is something to show. */
  before?: readonly string[]
  /** Whether an assistant is connected with the key. */
  hasConnection?: true
  /** Request headers besides the key's. */
  sends?: Readonly<Record<string, string>>
  /** The body, which is sent as JSON. */
  body?: Readonly<Record<string, unknown>>
  /** Status of the response; default: 200. */
  status?: number
  /** Response headers to show, in this order. */
  shows: readonly string[]
  /** How many items of each list in the body to show. Default: all. */
  showsItems?: number
  /** Whether to show the response's body; default: true. Measurements, for example, differ each time. */
  showsBody?: boolean
}

const get = (path: string, shows: readonly string[], others: Partial<SampleRequest> = {}) =>
  ({ method: 'GET', path, shows, ...others }) satisfies SampleRequest
const quote = (path: string, shows: readonly string[] = ['X-Credits-Cost', 'X-Total-Count']) =>
  get(path, shows, { method: 'HEAD' })

const creditHeaders = ['X-Credits-Cost', 'X-Credits-Remaining']
const listHeaders = ['X-Total-Count', ...creditHeaders, 'Link']

/** The requests of the quickstart, in order, with one key. */
const berlin = '/users?location=berlin&per_page=1'
const berlinZod = '/users?location=berlin&dependency_names=zod&per_page=1'
const berlinZodPages = [1, 2, 3].map(
  (page) => `/users?location=berlin&dependency_names=zod&per_page=5&page=${page}`,
)

const users = '/users?location=berlin&dependency_names=react&per_page=1'
const user = '/users/ngoldberg'
const repositories = '/repos?dependency_names=hono&page=2&per_page=1'
const repository = '/repos/yarrow-collective/monolith'
const commits = `${repository}/commits?per_page=2`
const dependencies = '/repos/naledi-codes/wallet-js/dependencies?per_page=2'
const blame = '/repos/kmuller/widget/dependencies/blame?per_page=2'

/** Every request by its name. Those of the reference have the `operationId` of `openapi.yml`. */
export const requests = {
  listUsers: get(users, listHeaders),
  quoteUsers: quote(users),
  getUser: get(user, creditHeaders),
  quoteUser: quote(user, ['X-Credits-Cost']),
  listRepositories: get(repositories, listHeaders),
  quoteRepositories: quote(repositories),
  getRepository: get(repository, creditHeaders),
  quoteRepository: quote(repository, ['X-Credits-Cost']),
  listCommits: get(commits, listHeaders),
  quoteCommits: quote(commits),
  listDependencies: get(dependencies, listHeaders),
  quoteDependencies: quote(dependencies),
  listBlame: get(blame, listHeaders),
  quoteBlame: quote(blame),
  countItems: get('/counts?of=repos&by=license&dependency_names=redis', ['X-Credits-Cost']),
  listRemovals: get('/removals?since=0', ['X-Total-Count', 'X-Credits-Cost', 'X-Dataset-Version', 'Link']),
  getCredits: get('/api-key/credits', [], { before: [berlin, berlinZod, ...berlinZodPages] }),
  listUsage: get('/api-key/usage?per_page=3', ['X-Total-Count', 'Link'], { before: [users, user] }),
  listUsageByDay: get('/api-key/usage/days', ['X-Total-Count', 'Link'], { before: [users, user] }),
  listConnections: get('/api-key/connections', [], { hasConnection: true }),
  endConnection: {
    method: 'DELETE',
    path: '/api-key/connections/2',
    hasConnection: true,
    status: 204,
    shows: [],
  },
  getHealth: get('/health', [], { key: 'none' }),
  getVersion: get('/version', [], { key: 'none' }),
  getCoverage: get('/docs/coverage.json', [], { key: 'none', showsItems: 2 }),
  getMetrics: get('/metrics', ['Content-Type'], { key: 'admin', showsBody: false }),
  listKeys: get('/admin/keys?per_page=1', [], { key: 'admin' }),
  createKey: {
    method: 'POST',
    path: '/admin/keys',
    key: 'shop',
    body: { reference: 'order 1842', credits: 1000, name: 'Ada Lovelace' },
    shows: ['Cache-Control'],
  },
  grantCredits: {
    method: 'POST',
    path: '/admin/keys/2/grants',
    key: 'shop',
    body: { credits: 500, reference: 'invoice 2026-0117' },
    shows: [],
  },

  firstCall: get(berlin, listHeaders),
  usersOfZod: get(berlinZod, listHeaders, { before: [berlin] }),
  quoteBerlin: {
    method: 'HEAD',
    path: '/users?location=berlin&per_page=100',
    before: [berlin, berlinZod],
    shows: ['X-Credits-Cost', 'X-Credits-Remaining', 'X-Total-Count', 'Link'],
  },
  quoteBerlinZod: quote('/users?location=berlin&dependency_names=zod&per_page=5', [
    'X-Credits-Cost',
    'X-Total-Count',
    'Link',
  ]),
  quoteWithinPercent: quote('/users?location=100%25%20remote'),
  quoteHonoOrExpress: quote('/repos?dependency_names=hono,express'),
  quotePeopleOfReact: quote(
    '/users?type=User&has=email&active_since=2025-05-01&dependency_names=react&dependency_status=active',
  ),
  quoteReactAndVite: quote('/repos?dependency_names=react,vite&dependency_match=all'),
  quoteReactWithoutJest: quote(
    '/repos?dependency_names=react&without_dependency_names=jest&dependency_files=package.json&dependency_status=active',
  ),
  getDependencyHistory: get('/dependencies/history?dependency_name=zod&since=2025-01-01&until=2025-04-01', [
    'X-Credits-Cost',
  ]),
  findDependencies: get('/dependencies?prefix=rea&limit=3', ['X-Credits-Cost']),
  findLocations: get('/locations?contains=ber&limit=3', ['X-Credits-Cost']),
  findCompanies: get('/companies?contains=lab&limit=3', ['X-Credits-Cost']),
  quoteNorthwindLab: quote('/users?company=%40northwind-lab'),
  quoteRedisOfPython: quote('/repos?dependency_names=redis&dependency_files=requirements.txt,pyproject.toml'),
  usersOfReactInGermany: get(
    '/users?country=DE&dependency_names=react&dependency_status=active&per_page=1',
    listHeaders,
  ),
  quoteBerlinAndMunich: quote('/users?location=berlin&location=munich&location=m%C3%BCnchen'),
  quoteGermanSpeaking: quote('/users?country=DE,AT,CH'),
  batchOfLogins: get('/users?logins=ngoldberg,nobody-has-this-login', ['X-Total-Count', 'X-Credits-Cost']),
  quoteReactOfOwner: quote('/repos?owner=rhaddad&dependency_names=react'),
  usersWhoStartedZod: get('/users?dependency_names=zod&first_use_since=2024-01-01&per_page=1', listHeaders),
  usersWhoStoppedRequests: get(
    '/users?dependency_names=requests&last_use_since=2024-01-01&per_page=1',
    listHeaders,
  ),
  reactOfOwner: get(
    '/repos?owner=rhaddad&dependency_names=react&dependency_status=active&exclude=dependencies&per_page=1',
    listHeaders,
  ),
  quoteReactRemoved: quote(
    '/repos?dependency_names=react&dependency_files=package.json&dependency_status=removed',
  ),
  quoteStartedZod: quote('/users?dependency_names=zod&first_use_since=2024-01-01'),
  unknownParameter: get('/repos?dependency_name=hono', ['X-Credits-Cost'], { status: 400 }),
  middlePage: quote('/users?location=berlin&page=2&per_page=10', ['X-Total-Count', 'Link']),
  sortedUsers: quote('/users?country=DE&sort=followers&per_page=5', [
    'X-Credits-Cost',
    'X-Total-Count',
    'Link',
  ]),
  pastTheEnd: get('/users?location=berlin&page=7&per_page=10', ['X-Total-Count', 'X-Credits-Cost', 'Link']),
  quoteChanges: quote('/users?changed_since=1&per_page=100', [
    'X-Credits-Cost',
    'X-Total-Count',
    'X-Dataset-Version',
  ]),
  repeated: get('/users?location=berlin&page=3&per_page=1', ['X-Total-Count', 'X-Credits-Cost'], {
    sends: { 'Idempotency-Key': 'export-7-page-3' },
  }),
  capped: get('/users?per_page=100', ['X-Credits-Cost'], { sends: { 'Max-Credits': '10' }, status: 403 }),
  userNotFound: get('/users/nobody-has-this-login', creditHeaders, { status: 404 }),
  invalidPerPage: get('/users?per_page=101', ['X-Credits-Cost'], { status: 400 }),
} satisfies Record<string, SampleRequest>

/** The request of a name; undefined if there is none. */
export function findRequest(name: string): SampleRequest | undefined {
  const all: Readonly<Record<string, SampleRequest>> = requests
  return Object.hasOwn(all, name) ? all[name] : undefined
}
