/** Settings: their defaults, their rules, and what is said about a wrong one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError, readBasePath, readConfig, readEnvironment, settingNames } from '../../api/config.ts'
import { parseConnectionUrl } from '../../api/database/connection-url.ts'

const defaults = {
  port: 8000,
  host: '127.0.0.1',
  baseUrl: undefined,
  databaseUrl: undefined,
  databaseReplicaUrls: [],
  databasePoolSize: 10,
  databaseStatementTimeoutSeconds: 30,
  databasePreparedStatements: 'auto',
  dataDirectory: '.data',
  sampleData: true,
  defaultRateLimit: null,
  dataset: { changesKeptDays: 90, automationAccounts: undefined },
  matchCacheMb: 64,
  shutdownDelaySeconds: 5,
  responseCacheMb: 32,
  compressResponses: true,
  publicCoverage: true,
  operator: {
    name: undefined,
    contactUrl: undefined,
    signupUrl: undefined,
    creditPrice: undefined,
    termsUrl: undefined,
    privacyUrl: undefined,
    statusUrl: undefined,
  },
  signIn: false,
  logLevel: 'info',
  logFormat: 'json',
  logProbes: true,
  commit: undefined,
}

/** The message of a wrong setting. */
function readComplaint(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'nothing is wrong'
}

test('without any setting all have their defaults', () => {
  expect(readConfig({})).toEqual(defaults)
})

test('the environment counts before .env, unless its value is empty', () => {
  const directory = mkdtempSync(join(tmpdir(), 'devdata-env-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, '.env'), 'PORT=9000\nHOST=::\nDATA_DIR=mine\nGITHUB_TOKEN=token\n')
  const environment = { PORT: '9001', HOST: '', DATA_DIR: ' ', GITHUB_TOKEN: '', OTHER: '' }
  const read = readEnvironment(environment, directory)
  expect(readConfig(read)).toMatchObject({ port: 9001, host: '::', dataDirectory: 'mine' })
  expect([read.GITHUB_TOKEN, read.OTHER]).toEqual(['token', ''])
})

test('an empty value counts as unset, and white space around a value does not count', () => {
  const empty = Object.fromEntries(settingNames.map((name) => [name, '']))
  expect(readConfig(empty)).toEqual(defaults)
  const blank = Object.fromEntries(settingNames.map((name) => [name, '  ']))
  expect(readConfig(blank)).toEqual(defaults)
  expect(readConfig({ PORT: ' 9000 ' })).toMatchObject({ port: 9000 })
})

test('variables that are not settings are ignored', () => {
  expect(readConfig({ PATH: '/bin', port: '1', PORTS: 'x' })).toEqual(defaults)
})

test.each([
  ['PORT', '0', { port: 0 }],
  ['PORT', '65535', { port: 65535 }],
  ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
  ['HOST', '::1', { host: '::1' }],
  ['BASE_URL', 'https://api.example.com/public-api', { baseUrl: 'https://api.example.com/public-api' }],
  ['BASE_URL', 'https://api.example.com/public-api//', { baseUrl: 'https://api.example.com/public-api' }],
  ['BASE_URL', 'http://localhost:8080/', { baseUrl: 'http://localhost:8080' }],
  ['BASE_URL', 'HTTPS://API.Example.com', { baseUrl: 'https://api.example.com' }],
  ['DATABASE_URL', 'postgres://u:p@host:5432/name', { databaseUrl: 'postgres://u:p@host:5432/name' }],
  ['DATABASE_URL', 'postgresql://host/name', { databaseUrl: 'postgresql://host/name' }],
  ['DATABASE_POOL_SIZE', '1', { databasePoolSize: 1 }],
  ['DATABASE_POOL_SIZE', '1000', { databasePoolSize: 1000 }],
  ['DATABASE_STATEMENT_TIMEOUT_SECONDS', '0', { databaseStatementTimeoutSeconds: 0 }],
  ['DATABASE_STATEMENT_TIMEOUT_SECONDS', '86400', { databaseStatementTimeoutSeconds: 86400 }],
  ['DATABASE_PREPARED_STATEMENTS', 'on', { databasePreparedStatements: 'on' }],
  ['DATABASE_PREPARED_STATEMENTS', 'off', { databasePreparedStatements: 'off' }],
  ['DATA_DIR', '/var/lib/devdata', { dataDirectory: '/var/lib/devdata' }],
  ['SAMPLE_DATA', 'on', { sampleData: true }],
  ['SAMPLE_DATA', 'off', { sampleData: false }],
  ['DEFAULT_RATE_LIMIT', '100/60', { defaultRateLimit: { requests: 100, seconds: 60 } }],
  ['DEFAULT_RATE_LIMIT', '1/1', { defaultRateLimit: { requests: 1, seconds: 1 } }],
  ['DEFAULT_RATE_LIMIT', 'none', { defaultRateLimit: null }],
  ['CHANGES_KEPT_DAYS', '1', { dataset: { ...defaults.dataset, changesKeptDays: 1 } }],
  ['CHANGES_KEPT_DAYS', '3650', { dataset: { ...defaults.dataset, changesKeptDays: 3650 } }],
  [
    'AUTOMATION_ACCOUNTS',
    'Acme-deploys, !jean-ci,x[bot]',
    {
      dataset: {
        ...defaults.dataset,
        automationAccounts: new Map([
          ['acme-deploys', true],
          ['jean-ci', false],
          ['x[bot]', true],
        ]),
      },
    },
  ],
  ['MATCH_CACHE_MB', '1', { matchCacheMb: 1 }],
  ['MATCH_CACHE_MB', '100000', { matchCacheMb: 100_000 }],
  ['SHUTDOWN_DELAY_SECONDS', '0', { shutdownDelaySeconds: 0 }],
  ['SHUTDOWN_DELAY_SECONDS', '600', { shutdownDelaySeconds: 600 }],
  ['RESPONSE_CACHE_MB', '0', { responseCacheMb: 0 }],
  ['RESPONSE_CACHE_MB', '100000', { responseCacheMb: 100_000 }],
  ['COMPRESS_RESPONSES', 'on', { compressResponses: true }],
  ['COMPRESS_RESPONSES', 'off', { compressResponses: false }],
  ['PUBLIC_COVERAGE', 'on', { publicCoverage: true }],
  ['PUBLIC_COVERAGE', 'off', { publicCoverage: false }],
  ['OPERATOR_NAME', 'Example GmbH', { operator: { ...defaults.operator, name: 'Example GmbH' } }],
  [
    'CONTACT_URL',
    'mailto:api@example.com',
    { operator: { ...defaults.operator, contactUrl: 'mailto:api@example.com' } },
  ],
  [
    'SIGNUP_URL',
    'https://example.com/"keys"',
    { operator: { ...defaults.operator, signupUrl: 'https://example.com/%22keys%22' } },
  ],
  [
    'CREDIT_PRICE',
    '0.002 EUR',
    { operator: { ...defaults.operator, creditPrice: { amount: 2n, decimals: 3, currency: 'EUR' } } },
  ],
  ...(['TERMS_URL', 'PRIVACY_URL', 'STATUS_URL'] as const).map((name) => {
    const member = { TERMS_URL: 'termsUrl', PRIVACY_URL: 'privacyUrl', STATUS_URL: 'statusUrl' }[name]
    const url = 'https://example.com/page?a=1#b'
    return [name, url, { operator: { ...defaults.operator, [member]: url } }] as const
  }),
  [
    'TERMS_NOTE',
    'Packs never expire.',
    { operator: { ...defaults.operator, termsNote: 'Packs never expire.' } },
  ],
  ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
  ['LOG_LEVEL', 'info', { logLevel: 'info' }],
  ['LOG_LEVEL', 'warning', { logLevel: 'warning' }],
  ['LOG_LEVEL', 'error', { logLevel: 'error' }],
  ['LOG_FORMAT', 'json', { logFormat: 'json' }],
  ['LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
  ['LOG_FORMAT', 'auto', { logFormat: 'json' }],
  ['LOG_PROBES', 'on', { logProbes: true }],
  ['LOG_PROBES', 'off', { logProbes: false }],
  ['COMMIT', '7f3c2a9', { commit: '7f3c2a9' }],
] as const)('%s=%s is taken', (name, value, expected) => {
  expect(readConfig({ [name]: value })).toEqual({ ...defaults, ...expected })
})

const wholeNumber = (least: number, most: number) => `must be a whole number from ${least} to ${most}`
const httpUrl = 'must be an http or https URL without a query, such as https://api.example.com/public-api'
const logins =
  'must be logins of programs, separated by commas; a ! before a login says that it is a person, as in acme-deploys,!jean-ci'
const rateLimit = 'must be REQUESTS/SECONDS, such as 100/60, or none'

test.each([
  ...['-1', '65536', 'x', '80.5', '1e3', '0x50', '99999999999'].map(
    (value) => ['PORT', value, wholeNumber(0, 65535)] as const,
  ),
  ['HOST', 'two words', 'must be a host name or an IP address'],
  ...[
    'api.example.com',
    'ftp://api.example.com',
    'https://',
    'https://api.example.com/?a=1',
    'https://api.example.com/?',
    'https://api.example.com/#a',
    'https://user@api.example.com',
  ].map((value) => ['BASE_URL', value, httpUrl] as const),
  ['BASE_URL', `https://example.com/${'x'.repeat(240)}`, 'must have at most 255 characters'],
  ...['/a%20b', '/é', '/a b', '/:a', '/a*', '/(a)'].map(
    (path) =>
      [
        'BASE_URL',
        `https://api.example.com${path}`,
        'must have a path of only letters, digits, -, ., _, ~ and /; percent-encoding is not allowed',
      ] as const,
  ),
  ...['0', '1001', 'many'].map((value) => ['DATABASE_POOL_SIZE', value, wholeNumber(1, 1000)] as const),
  ...['-1', '86401', '30s'].map(
    (value) => ['DATABASE_STATEMENT_TIMEOUT_SECONDS', value, wholeNumber(0, 86400)] as const,
  ),
  ...['yes', 'ON', 'true', '1'].map((value) => ['SAMPLE_DATA', value, 'must be on or off'] as const),
  ...['100', '0/60', '100/0', '-1/60', '100/60s', '1.5/60', 'None', '99999999999/1', '/', '1/1/1'].map(
    (value) => ['DEFAULT_RATE_LIMIT', value, rateLimit] as const,
  ),
  ...['0', '3651', '1.5', '90d'].map((value) => ['CHANGES_KEPT_DAYS', value, wholeNumber(1, 3650)] as const),
  ...['a,,b', 'a b', '!', '*-ci', ','].map((value) => ['AUTOMATION_ACCOUNTS', value, logins] as const),
  ...['0', '100001', '1G'].map((value) => ['MATCH_CACHE_MB', value, wholeNumber(1, 100_000)] as const),
  ['DATABASE_PREPARED_STATEMENTS', 'yes', 'must be one of on, off, auto'],
  ...['-1', '601', '5s'].map((value) => ['SHUTDOWN_DELAY_SECONDS', value, wholeNumber(0, 600)] as const),
  ...['-1', '100001', 'none'].map((value) => ['RESPONSE_CACHE_MB', value, wholeNumber(0, 100_000)] as const),
  ...['yes', 'ON', 'gzip'].map((value) => ['COMPRESS_RESPONSES', value, 'must be on or off'] as const),
  ...['yes', 'OFF', 'public'].map((value) => ['PUBLIC_COVERAGE', value, 'must be on or off'] as const),
  ['OPERATOR_NAME', 'x'.repeat(101), 'must have at most 100 characters'],
  ['OPERATOR_NAME', 'Example\n# GmbH', 'must be one line'],
  ['TERMS_NOTE', 'x'.repeat(1_001), 'must have at most 1000 characters'],
  ['TERMS_NOTE', 'Packs\nof 1,000', 'must be one line'],
  ...['api@example.com', 'javascript:alert(1)'].map(
    (value) =>
      ['CONTACT_URL', value, 'must be an http, https or mailto URL, such as mailto:api@example.com'] as const,
  ),
  ...['SIGNUP_URL', 'TERMS_URL', 'PRIVACY_URL', 'STATUS_URL'].flatMap((name) =>
    ['example.com', 'mailto:api@example.com', 'javascript:alert(1)'].map(
      (value) => [name, value, 'must be an http or https URL, such as https://example.com/terms'] as const,
    ),
  ),
  ...[
    '0.002',
    '0 EUR',
    '0.000 EUR',
    '-1 EUR',
    '1e-3 EUR',
    '0.002 XQQ',
    '0.002 eur',
    '0,002 EUR',
    '$0.002',
  ].map(
    (value) =>
      [
        'CREDIT_PRICE',
        value,
        'must be the price of one credit, an amount above 0 and an ISO 4217 currency, such as 0.002 EUR',
      ] as const,
  ),
  ...['trace', 'INFO', 'warn'].map(
    (value) => ['LOG_LEVEL', value, 'must be one of debug, info, warning, error'] as const,
  ),
  ['LOG_FORMAT', 'xml', 'must be json, pretty or auto'],
  ['LOG_PROBES', 'false', 'must be on or off'],
] as const)('%s=%s is refused with its name, its value and its rule', (name, value, rule) => {
  expect(readComplaint({ [name]: value })).toBe(`${name} ${JSON.stringify(value)} is invalid: it ${rule}`)
})

test.each(['mysql://admin:hunter2@db/name', 'admin:hunter2@db', 'postgres:/hunter2@', '//hunter2'])(
  'a wrong DATABASE_URL is refused without showing it, since it may hold a password: %s',
  (value) => {
    const complaint = readComplaint({ DATABASE_URL: value, PORT: 'x' })
    expect(complaint).toContain('DATABASE_URL is invalid: it must be a URL such as postgres://')
    expect(complaint).not.toContain('hunter2')
  },
)

const oneHost =
  'must name one host; instead of several, name one that always leads to the primary, and set DATABASE_REPLICA_URL to ' +
  'streaming replicas'

test.each<[url: string, rule: string]>([
  [
    'postgres://db/name?sslmode=on',
    'must have an sslmode of disable, prefer, require, verify-ca, verify-full',
  ],
  ['postgres://u:hunter2%@db/name', 'must have a literal % written as %25'],
  ...[
    'postgres://db/name?port=abc',
    'postgres://db/name?port=99999',
    'postgres://db/name?port=0',
    'postgres://db:99999/name',
    'postgres://u:hunter2@db:abc/name',
  ].map((url): [string, string] => [
    url,
    'must have a port from 1 to 65535; if .env has the URL and its password has a #, write %23, because a # begins a comment',
  ]),
  ...[
    'postgres://one%2Ctwo/name',
    'postgres:///name?host=one%2Ctwo',
    'postgres:///name?host=one&port=1%2C2',
  ].map((url): [string, string] => [url, oneHost]),
  ...[
    'postgres://u:hunter@2@db/name',
    'postgres://u:hunter/2@db/name',
    'postgres://u:hunter?2@db/name',
    'postgres://u:1/hunter2@db/name',
    'postgres://u:1?hunter=2@db/name',
    'postgres://u:hun@ter/2@db/name',
    'postgres://u:h@unter?2@db/name',
    'postgres://hunter@db?user=2@name',
  ].map((url): [string, string] => [
    url,
    'must have @, / and ? in a user name or password written as %40, %2F and %3F',
  ]),
  [
    'postgres://u:hunter2@d b/name',
    'must have a host that is a name, an IP address, or the folder of a socket',
  ],
  ['postgres://u:hunter%002@db/name', 'must be without %00'],
  ['postgres://db/name?sslmode', 'must have parameters such as connect_timeout=5'],
  ['postgres://db/name?ssl=1', 'must have an sslmode of disable, prefer, require, verify-ca, verify-full'],
  ...[
    'channel_binding=require',
    'client_encoding=LATIN1',
    'gssencmode=require',
    'sslnegotiation=direct',
    'sslsni=0',
    'target_session_attrs=read-write',
  ].map((parameter): [string, string] => [
    `postgres://db/name?${parameter}`,
    `must be without ${parameter}, which is not supported`,
  ]),
  ...(
    [
      ['schema=public', 'write search_path instead'],
      ['currentSchema=public', 'write search_path instead'],
      ['pgbouncer=true', 'the service finds out by itself'],
      ['connection_limit=5', 'set DATABASE_POOL_SIZE'],
      ['statement_timeout=5', 'set DATABASE_STATEMENT_TIMEOUT_SECONDS'],
      ...[
        'hostaddr=::1',
        'passfile=x',
        'require_auth=none',
        'service=x',
        'sslcrl=x',
        'work_mem=5MB',
        'x=',
      ].map((parameter) => [parameter, 'write a setting of the session as options=-c%20NAME%3DVALUE']),
    ] as [string, string][]
  ).map(([parameter, advice]): [string, string] => [
    `postgres://db/name?${parameter}`,
    `must be without the parameter ${parameter.replace(/=.*/, '')}, which is not supported; ${advice}`,
  ]),
  ...['soon', '1.5', '1e3', '9999999'].map((seconds): [string, string] => [
    `postgres://db/name?connect_timeout=${seconds}`,
    'must have a connect_timeout of whole seconds, at most 999999; 0 sets no limit',
  ]),
])('a DATABASE_URL that can’t be read is refused with the reason: %s', (value, rule) => {
  expect(readComplaint({ DATABASE_URL: value })).toBe(`DATABASE_URL is invalid: it ${rule}`)
  expect(readComplaint({ DATABASE_REPLICA_URL: `postgres://one/name,${value}` })).toBe(
    `DATABASE_REPLICA_URL is invalid: it ${rule}`,
  )
})

test('a DATABASE_URL with several hosts is refused with what to set instead', () => {
  for (const hosts of ['one,two', 'one:5432,two:5433', '[::1],[::2]:5433', 'u:hunter2@one,two']) {
    expect(readComplaint({ DATABASE_URL: `postgres://${hosts}/name` })).toBe(
      `DATABASE_URL is invalid: it ${oneHost}`,
    )
  }
})

test('parameters of libpq that can’t weaken anything are accepted, without effect', () => {
  const plain = parseConnectionUrl('postgres://db/name')
  for (const parameter of [
    'fallback_application_name=psql',
    'keepalives=0&keepalives_idle=5&keepalives_interval=5&keepalives_count=5',
    'channel_binding=disable',
    'channel_binding=',
    'client_encoding=UTF8',
    'gssencmode=prefer',
    'load_balance_hosts=random',
    'sslcompression=1',
    'sslnegotiation=postgres',
    'sslsni=1',
    'target_session_attrs=any',
    'tcp_user_timeout=5000',
  ]) {
    expect([parameter, parseConnectionUrl(`postgres://db/name?${parameter}`)]).toEqual([parameter, plain])
  }
})

test('a DATABASE_URL is read as libpq reads it', () => {
  const plain = {
    host: 'localhost',
    port: 5432,
    path: undefined,
    user: undefined,
    password: undefined,
    database: undefined,
    parameters: {},
  }
  const socket = { host: '/run/pg', path: '/run/pg/.s.PGSQL.5432' }
  const urls: [string, Partial<ReturnType<typeof parseConnectionUrl>>][] = [
    ['postgres://', {}],
    ['postgresql:///name', { database: 'name' }],
    ['postgres://u@/name?host=/run/pg', { user: 'u', database: 'name', ...socket }],
    [
      'postgres://u:p@:1/name?host=/run/pg/',
      { user: 'u', password: 'p', database: 'name', host: '/run/pg/', port: 1, path: '/run/pg/.s.PGSQL.1' },
    ],
    ['postgres://%2Frun%2Fpg/a/b', { database: 'a/b', ...socket }],
    [
      'postgres://u:p#:[é]%40%2F@[::1]:1/n',
      { user: 'u', password: 'p#:[é]@/', host: '::1', port: 1, database: 'n' },
    ],
    [
      'postgres://one/n?host=two&port=2&user=u&password=a+b&dbname=m',
      { host: 'two', port: 2, user: 'u', password: 'a+b', database: 'm' },
    ],
    ['postgres://my_db?search_path=a,b&search_path=c', { host: 'my_db', parameters: { search_path: 'c' } }],
    [
      'postgres://db?application_name=me&options=-c%20work_mem%3D5MB',
      { host: 'db', parameters: { application_name: 'me', options: '-c work_mem=5MB' } },
    ],
  ]
  for (const [url, expected] of urls) {
    expect([url, parseConnectionUrl(url)]).toMatchObject([url, { ...plain, ...expected }])
  }
  for (const [url, mode] of [
    ['postgres://db?ssl=true', 'require'],
    ['postgres://db?ssl=true&sslmode=verify-full', 'verify-full'],
    ['postgres:///n?host=/run/pg&sslmode=require', 'disable'], // a Unix socket has no TLS
  ] as const) {
    expect([url, parseConnectionUrl(url).tls.mode]).toEqual([url, mode])
  }
})

test('all wrong settings are named at once, a line each', () => {
  expect(readComplaint({ PORT: 'x', LOG_LEVEL: 'loud', SAMPLE_DATA: 'maybe' }).split('\n').sort()).toEqual([
    'LOG_LEVEL "loud" is invalid: it must be one of debug, info, warning, error',
    `PORT "x" is invalid: it ${wholeNumber(0, 65535)}`,
    'SAMPLE_DATA "maybe" is invalid: it must be on or off',
  ])
})

test('a name that is nearly that of a setting ends the start, unless that setting is there, too', () => {
  const complain = (name: string, meant: string) =>
    `${name} is not a setting; did you mean ${meant}? Rename it. If another program needs it, set ${meant}, too`
  expect(readComplaint({ DATABSE_URL: 'postgres://u:hunter2@db/name' })).toBe(
    complain('DATABSE_URL', 'DATABASE_URL'),
  )
  expect(readComplaint({ DATABASE_URI: 'x', DATADIR: '/data', LOGLEVEL: 'debug' })).toBe(
    `${complain('DATABASE_URI', 'DATABASE_URL')}\n${complain('DATADIR', 'DATA_DIR')}`,
  )
  const url = 'postgres://db/name'
  expect(readConfig({ DATABASE_URL: url, DATABASE_URI: 'x', BASEURL: 'x', PORTS: 'x' }).databaseUrl).toBe(url)
})

test('the base path is the path of BASE_URL', () => {
  expect(readBasePath('https://api.example.com/public-api')).toBe('/public-api')
  expect(readBasePath('https://api.example.com')).toBe('')
  expect(readBasePath(undefined)).toBe('')
})

test('the log is for people on a terminal, unless LOG_FORMAT says otherwise', () => {
  expect(readConfig({}, { terminal: true })).toMatchObject({ logFormat: 'pretty' })
  expect(readConfig({ LOG_FORMAT: 'json' }, { terminal: true })).toMatchObject({ logFormat: 'json' })
  expect(readConfig({ LOG_FORMAT: 'pretty' }, { terminal: false })).toMatchObject({ logFormat: 'pretty' })
})
