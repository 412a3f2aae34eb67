/**
 * The requests that the portal shows. Pages show each in three languages (`samples.ts`) with its recorded response
 * (`src/responses/`). A test sends all of them (`test/portal/samples.test.ts`).
 *
 * @module
 */

/** A request as the portal shows it. */
export interface SampleRequest {
  method: 'GET' | 'HEAD'
  /** Path and query below the base URL, escaped. */
  path: string
  /** Default: a user key. */
  key?: 'user' | 'admin' | 'none'
  /** Paths and queries of `GET` requests that the same key sends before, so that there is something to show. */
  before?: readonly string[]
  /** Request headers besides the key's. */
  sends?: Readonly<Record<string, string>>
  /** Status of the response; default: 200. */
  status?: number
  /** Response headers to show, in this order. */
  shows: readonly string[]
  /** Whether to show the response's body; default: true. Measurements, for example, differ each time. */
  showsBody?: boolean
}

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

/** Every request by its name. Those of the reference have the `operationId` of `openapi.yml`. */
export const requests = {
  listUsers: { method: 'GET', path: users, shows: listHeaders },
  quoteUsers: { method: 'HEAD', path: users, shows: ['X-Credits-Cost', 'X-Total-Count'] },
  getUser: { method: 'GET', path: user, shows: creditHeaders },
  quoteUser: { method: 'HEAD', path: user, shows: ['X-Credits-Cost'] },
  listRepositories: { method: 'GET', path: repositories, shows: listHeaders },
  quoteRepositories: { method: 'HEAD', path: repositories, shows: ['X-Credits-Cost', 'X-Total-Count'] },
  getRepository: { method: 'GET', path: repository, shows: creditHeaders },
  quoteRepository: { method: 'HEAD', path: repository, shows: ['X-Credits-Cost'] },
  listCommits: { method: 'GET', path: commits, shows: listHeaders },
  quoteCommits: { method: 'HEAD', path: commits, shows: ['X-Credits-Cost', 'X-Total-Count'] },
  listDependencies: { method: 'GET', path: dependencies, shows: listHeaders },
  quoteDependencies: { method: 'HEAD', path: dependencies, shows: ['X-Credits-Cost', 'X-Total-Count'] },
  listRemovals: {
    method: 'GET',
    path: '/removals?since=0',
    shows: ['X-Total-Count', 'X-Credits-Cost', 'X-Dataset-Version', 'Link'],
  },
  getCredits: {
    method: 'GET',
    path: '/api-key/credits',
    before: [berlin, berlinZod, ...berlinZodPages],
    shows: [],
  },
  listUsage: {
    method: 'GET',
    path: '/api-key/usage?per_page=3',
    before: [users, user],
    shows: ['X-Total-Count', 'Link'],
  },
  listUsageByDay: {
    method: 'GET',
    path: '/api-key/usage/days',
    before: [users, user],
    shows: ['X-Total-Count', 'Link'],
  },
  getHealth: { method: 'GET', path: '/health', key: 'none', shows: [] },
  getVersion: { method: 'GET', path: '/version', key: 'none', shows: [] },
  getCoverage: { method: 'GET', path: '/docs/coverage.json', key: 'none', shows: [] },
  getMetrics: { method: 'GET', path: '/metrics', key: 'admin', shows: ['Content-Type'], showsBody: false },
  listKeys: { method: 'GET', path: '/admin/keys?per_page=1', key: 'admin', shows: [] },

  firstCall: { method: 'GET', path: berlin, shows: listHeaders },
  usersOfZod: {
    method: 'GET',
    path: berlinZod,
    before: [berlin],
    shows: ['X-Total-Count', ...creditHeaders],
  },
  quoteBerlin: {
    method: 'HEAD',
    path: '/users?location=berlin&per_page=100',
    before: [berlin, berlinZod],
    shows: ['X-Credits-Cost', 'X-Credits-Remaining', 'X-Total-Count'],
  },
  quoteBerlinZod: {
    method: 'HEAD',
    path: '/users?location=berlin&dependency_names=zod&per_page=5',
    shows: ['X-Credits-Cost', 'X-Total-Count', 'Link'],
  },
  quoteWithinPercent: {
    method: 'HEAD',
    path: '/users?location=100%25%20remote',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  quoteHonoOrExpress: {
    method: 'HEAD',
    path: '/repos?dependency_names=hono,express',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  quotePeopleOfReact: {
    method: 'HEAD',
    path: '/users?type=User&has=email&active_since=2025-05-01&dependency_names=react&dependency_status=active',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  quoteReactAndVite: {
    method: 'HEAD',
    path: '/repos?dependency_names=react,vite&dependency_match=all',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  quoteReactWithoutJest: {
    method: 'HEAD',
    path: '/repos?dependency_names=react&without_dependency_names=jest&dependency_files=package.json&dependency_status=active',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  findDependencies: {
    method: 'GET',
    path: '/dependencies?prefix=rea&limit=3',
    shows: ['X-Credits-Cost'],
  },
  findLocations: {
    method: 'GET',
    path: '/locations?contains=ber&limit=3',
    shows: ['X-Credits-Cost'],
  },
  quoteRedisOfPython: {
    method: 'HEAD',
    path: '/repos?dependency_names=redis&dependency_files=requirements.txt,pyproject.toml',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  usersOfReactInGermany: {
    method: 'GET',
    path: '/users?country=DE&dependency_names=react&dependency_status=active&per_page=1',
    shows: listHeaders,
  },
  quoteBerlinAndMunich: {
    method: 'HEAD',
    path: '/users?location=berlin&location=munich&location=m%C3%BCnchen',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  quoteGermanSpeaking: {
    method: 'HEAD',
    path: '/users?country=DE,AT,CH',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  batchOfLogins: {
    method: 'GET',
    path: '/users?logins=ngoldberg,nobody-has-this-login',
    shows: ['X-Total-Count', 'X-Credits-Cost'],
  },
  quoteReactOfOwner: {
    method: 'HEAD',
    path: '/repos?owner=rhaddad&dependency_names=react',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  usersWhoRemovedRequests: {
    method: 'GET',
    path: '/users?dependency_names=requests&dependency_status=removed&per_page=1',
    shows: listHeaders,
  },
  reactOfOwner: {
    method: 'GET',
    path: '/repos?owner=rhaddad&dependency_names=react&dependency_status=active&exclude=dependencies&per_page=1',
    shows: listHeaders,
  },
  quoteReactRemoved: {
    method: 'HEAD',
    path: '/repos?dependency_names=react&dependency_files=package.json&dependency_status=removed',
    shows: ['X-Credits-Cost', 'X-Total-Count'],
  },
  unknownParameter: {
    method: 'GET',
    path: '/repos?dependency_name=hono',
    status: 400,
    shows: ['X-Credits-Cost'],
  },
  middlePage: {
    method: 'HEAD',
    path: '/users?location=berlin&page=2&per_page=10',
    shows: ['X-Total-Count', 'Link'],
  },
  pastTheEnd: {
    method: 'GET',
    path: '/users?location=berlin&page=7&per_page=10',
    shows: ['X-Total-Count', 'X-Credits-Cost', 'Link'],
  },
  quoteChanges: {
    method: 'HEAD',
    path: '/users?changed_since=1&per_page=100',
    shows: ['X-Credits-Cost', 'X-Total-Count', 'X-Dataset-Version'],
  },
  repeated: {
    method: 'GET',
    path: '/users?location=berlin&page=3&per_page=1',
    sends: { 'Idempotency-Key': 'export-7-page-3' },
    shows: ['X-Total-Count', 'X-Credits-Cost'],
  },
  capped: {
    method: 'GET',
    path: '/users?per_page=100',
    sends: { 'Max-Credits': '10' },
    status: 403,
    shows: ['X-Credits-Cost'],
  },
  userNotFound: { method: 'GET', path: '/users/nobody-has-this-login', status: 404, shows: creditHeaders },
  invalidPerPage: { method: 'GET', path: '/users?per_page=101', status: 400, shows: ['X-Credits-Cost'] },
} as const satisfies Record<string, SampleRequest>

/** A name of a request. */
export type RequestName = keyof typeof requests

/** The request of a name; undefined if there is none. */
export function findRequest(name: string): SampleRequest | undefined {
  const all: Readonly<Record<string, SampleRequest>> = requests
  return Object.hasOwn(all, name) ? all[name] : undefined
}
