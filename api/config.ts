/** Every setting: its name, its rule, its default. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import * as v from 'valibot'
import { ConnectionUrlError, parseConnectionUrl } from './database/connection-url.ts'
import { describeFileError, OperatorError, readCode } from './errors.ts'
import { parseRateLimit } from './ledger/api-key.ts'
import { parseCreditPrice } from './ledger/credit-price.ts'
import { forgeNamePattern } from './names/forge-names.ts'
import { isPotentiallyTrustworthy } from './names/loopback.ts'
import { findNearest } from './names/nearest-name.ts'
import { parseWebhookSecrets, secretRule } from './webhooks/signature.ts'

/** Log levels, from the most to the least verbose. */
const logLevels = ['debug', 'info', 'warning', 'error'] as const

/** All settings, validated. */
export type Config = ReturnType<typeof readConfig>

/** Settings break their rules. The message has one line per setting. */
export class ConfigError extends OperatorError {
  override name = 'ConfigError'
}

/** The path of a `BASE_URL`, under which all routes are mounted: empty, or for example `/public-api`. */
export function readBasePath(baseUrl: string | undefined): string {
  return baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '')
}

function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, rule),
    v.transform(Number),
    v.minValue(min, rule),
    v.maxValue(max, rule),
  )
}

function oneLine(maxLength: number) {
  return v.pipe(
    v.string(),
    v.maxLength(maxLength, `must have at most ${maxLength} characters`),
    v.regex(/^\P{Cc}*$/u, 'must be one line'),
  )
}

/** A text that `parse` reads. It returns `'invalid'` if the text breaks the rule. */
export function parsedText<Value>(parse: (text: string) => Value | 'invalid', rule: string) {
  return v.pipe(
    v.string(rule),
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      const result = parse(value)
      if (result !== 'invalid') return result
      addIssue({ message: rule })
      return NEVER
    }),
  )
}

function isHttpUrlWithoutQuery(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, search, hash, username, password } = new URL(value)
  return (
    (protocol === 'http:' || protocol === 'https:') &&
    search + hash + username + password === '' &&
    !/[?#]$/.test(value)
  )
}

/** Routes match the decoded path, and `:` and `*` would be patterns in it. */
function hasPlainPath(value: string): boolean {
  return !URL.canParse(value) || /^[\w.~/-]*$/.test(new URL(value).pathname)
}

const connectionUrl = v.pipe(
  v.string(),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    try {
      parseConnectionUrl(dataset.value)
    } catch (error) {
      if (!(error instanceof ConnectionUrlError)) throw error
      addIssue({ message: error.message })
    }
  }),
)

function link(protocols: readonly string[], rule: string) {
  const isLink = (value: string) => URL.canParse(value) && protocols.includes(new URL(value).protocol)
  return v.pipe(
    v.string(),
    v.check(isLink, rule),
    v.transform((value) => new URL(value).href),
  )
}

const pageUrl = link(['https:', 'http:'], 'must be an http or https URL, such as https://example.com/terms')

function isWebhookUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return isPotentiallyTrustworthy(url) && url.username + url.password + url.hash === ''
}

const settings = {
  PORT: v.optional(wholeNumber(0, 65535), '8000'),
  HOST: v.optional(v.pipe(v.string(), v.regex(/^\S+$/, 'must be a host name or an IP address')), '127.0.0.1'),
  BASE_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        isHttpUrlWithoutQuery,
        'must be an http or https URL without a query, such as https://api.example.com/public-api',
      ),
      v.maxLength(255, 'must have at most 255 characters'),
      v.check(
        hasPlainPath,
        'must have a path of only letters, digits, -, ., _, ~ and /; percent-encoding is not allowed',
      ),
      v.transform((value) => new URL(value).href.replace(/\/+$/, '')),
    ),
  ),
  DATABASE_URL: v.optional(connectionUrl),
  DATABASE_REPLICA_URL: v.optional(
    v.pipe(
      v.string(),
      v.transform((value) => value.split(',').map((url) => url.trim())),
      v.array(connectionUrl),
    ),
  ),
  DATABASE_POOL_SIZE: v.optional(wholeNumber(1, 1000), '10'),
  DATABASE_STATEMENT_TIMEOUT_SECONDS: v.optional(wholeNumber(0, 86400), '30'),
  DATABASE_PREPARED_STATEMENTS: v.optional(
    v.picklist(['on', 'off', 'auto'], 'must be one of on, off, auto'),
    'auto',
  ),
  DATA_DIR: v.optional(v.pipe(v.string(), v.nonEmpty('must be a path')), '.data'),
  SAMPLE_DATA: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'on'),
  DEFAULT_RATE_LIMIT: v.optional(
    parsedText(parseRateLimit, 'must be REQUESTS/SECONDS, such as 100/60, or none'),
    'none',
  ),
  CHANGES_KEPT_DAYS: v.optional(wholeNumber(1, 3650), '90'),
  AUTOMATION_ACCOUNTS: v.optional(
    v.pipe(
      v.string(),
      v.transform((value) => value.split(',').map((entry) => entry.trim().toLowerCase())),
      v.array(
        v.pipe(
          v.string(),
          v.check(
            (entry) => forgeNamePattern.test(entry.replace(/^!/, '')),
            'must be logins of programs, separated by commas; a ! before a login says that it is a person, as in acme-deploys,!jean-ci',
          ),
        ),
      ),
      v.transform(
        (entries) => new Map(entries.map((entry) => [entry.replace(/^!/, ''), !entry.startsWith('!')])),
      ),
    ),
  ),
  MATCH_CACHE_MB: v.optional(wholeNumber(1, 100_000), '64'),
  SHUTDOWN_DELAY_SECONDS: v.optional(wholeNumber(0, 600), '5'),
  RESPONSE_CACHE_MB: v.optional(wholeNumber(0, 100_000), '32'),
  COMPRESS_RESPONSES: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'on'),
  PUBLIC_COVERAGE: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'on'),
  OPERATOR_NAME: v.optional(oneLine(100)),
  CONTACT_URL: v.optional(
    link(
      ['https:', 'http:', 'mailto:'],
      'must be an http, https or mailto URL, such as mailto:api@example.com',
    ),
  ),
  SIGNUP_URL: v.optional(pageUrl),
  CREDIT_PRICE: v.optional(
    parsedText(
      parseCreditPrice,
      'must be the price of one credit, an amount above 0 and an ISO 4217 currency, such as 0.002 EUR',
    ),
  ),
  TERMS_URL: v.optional(pageUrl),
  TERMS_NOTE: v.optional(oneLine(1_000)),
  PRIVACY_URL: v.optional(pageUrl),
  STATUS_URL: v.optional(pageUrl),
  SIGN_IN: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'off'),
  WEBHOOK_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        isWebhookUrl,
        'must be an https URL, or an http URL of this machine, without a user name and a fragment',
      ),
    ),
  ),
  WEBHOOK_SECRET: v.optional(parsedText(parseWebhookSecrets, secretRule)),
  LOG_LEVEL: v.optional(v.picklist(logLevels, `must be one of ${logLevels.join(', ')}`), 'info'),
  LOG_FORMAT: v.optional(v.picklist(['json', 'pretty', 'auto'], 'must be json, pretty or auto'), 'auto'),
  LOG_PROBES: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'on'),
  COMMIT: v.optional(v.string()),
}
const schema = v.object(settings)

/** Names of all settings. */
export const settingNames = Object.keys(settings)

/** Settings whose values messages must not show, because they may contain a password or another secret. */
const secretSettings = new Set(['DATABASE_URL', 'DATABASE_REPLICA_URL', 'WEBHOOK_URL', 'WEBHOOK_SECRET'])

/**
 * Adds the variables of a `.env` file in `directory` to an environment, whose own variables win unless they are empty.
 * Throws `ConfigError` if the file exists and can't be read.
 */
export function readEnvironment(
  environment: Record<string, string | undefined>,
  directory = '.',
): Record<string, string | undefined> {
  const file = readEnvFile(directory)
  const given = Object.entries(environment).filter(([, value]) => value?.trim())
  return { ...environment, ...file, ...Object.fromEntries(given) }
}

/** Returns undefined if there is no file. */
function readEnvFile(directory: string) {
  try {
    return parseEnv(readFileSync(join(directory, '.env'), 'utf8').replace(/^\uFEFF/, '')) // Windows' editors write one
  } catch (error) {
    if (readCode(error) === 'ENOENT') return undefined
    throw new ConfigError(`.env can't be read: ${describeFileError(error)}`)
  }
}

/**
 * Finds names in the `.env` file of `directory` that look like misspelled settings, and returns a message for each.
 * Other programs may read the file, too, so other unknown names are theirs. Throws `ConfigError` as `readEnvironment`
 * does.
 */
export function findMisspelledSettings(directory = '.'): string[] {
  const names = Object.keys(readEnvFile(directory) ?? {})
  return findMisspelled(names, knownNames).map(
    ({ name, meant }) => `${name} in .env is not a setting; did you mean ${meant}?`,
  )
}

/** Settings with shorter names may be nearly those of other programs. */
const minMisspelledLetters = 8

/**
 * Throws `ConfigError` if the environment has a name that looks like a misspelled setting which isn't set: a service
 * without its database would serve another one.
 */
function assertSpelled(environment: Record<string, string | undefined>): void {
  const missing = settingNames.filter(
    (name) =>
      !environment[name] &&
      !name.startsWith('LOG_') && // other programs read LOGLEVEL
      (name === 'DATA_DIR' || name.replaceAll('_', '').length >= minMisspelledLetters),
  )
  const wrong = findMisspelled(Object.keys(environment), missing).map(
    ({ name, meant }) =>
      `${name} is not a setting; did you mean ${meant}? Rename it. If another program needs it, set ${meant}, too`,
  )
  if (wrong.length > 0) throw new ConfigError(wrong.join('\n'))
}

const knownNames = [...settingNames, 'GITHUB_TOKEN'] // of `import github`

function findMisspelled(
  names: readonly string[],
  known: readonly string[],
): { name: string; meant: string }[] {
  return names
    .filter((name) => !knownNames.includes(name))
    .flatMap((name) => {
      const meant = findNearest(name, known)
      return meant === undefined ? [] : [{ name, meant }]
    })
}

/** Throws `ConfigError` if others could read what is sent to the service. */
function assertTrustworthy(baseUrl: string | undefined): void {
  if (baseUrl !== undefined && isPotentiallyTrustworthy(new URL(baseUrl))) return
  throw new ConfigError(
    'SIGN_IN=on needs a BASE_URL that is an https URL, or an http URL of this machine, because people enter their keys on its page. Set BASE_URL, or remove SIGN_IN.',
  )
}

/**
 * Reads the settings from an environment. An empty value counts as unset, because `.env` files write it so.
 * Throws a `ConfigError` that names each wrong setting, its value and its rule.
 * It is long because it names each setting.
 */
export function readConfig(environment: Record<string, string | undefined>, { terminal = false } = {}) {
  assertSpelled(environment)
  const given = Object.fromEntries(settingNames.map((name) => [name, environment[name]?.trim() || undefined]))
  const result = v.safeParse(schema, given)
  if (!result.success) {
    const lines = result.issues.map((issue) => {
      const name = String(issue.path?.[0].key)
      const value = secretSettings.has(name) ? '' : ` ${JSON.stringify(given[name])}`
      return `${name}${value} is invalid: it ${issue.message}`
    })
    throw new ConfigError([...new Set(lines)].join('\n'))
  }
  const { output } = result
  if (output.DATABASE_REPLICA_URL !== undefined && output.DATABASE_URL === undefined) {
    throw new ConfigError('DATABASE_REPLICA_URL requires DATABASE_URL, the URL of the primary')
  }
  const { WEBHOOK_URL: webhookUrl, WEBHOOK_SECRET: secrets } = output
  if ((webhookUrl === undefined) !== (secrets === undefined)) {
    throw new ConfigError('WEBHOOK_URL and WEBHOOK_SECRET require each other: set both, or neither')
  }
  const { SIGN_IN: signIn, BASE_URL: baseUrl } = output
  if (signIn === 'on') assertTrustworthy(baseUrl)
  return {
    /** TCP port to listen on; 0 takes a free one. */
    port: output.PORT,
    /** Host name or address to listen on. */
    host: output.HOST,
    /** Public URL with the path prefix, without a final slash; undefined: no prefix, and the request's host. */
    baseUrl,
    /** PostgreSQL connection URL; undefined: the embedded database. */
    databaseUrl: output.DATABASE_URL,
    /** Connection URLs of streaming replicas. */
    databaseReplicaUrls: output.DATABASE_REPLICA_URL ?? [],
    /** Maximum number of database connections. */
    databasePoolSize: output.DATABASE_POOL_SIZE,
    /** Time limit of a statement; 0: none. */
    databaseStatementTimeoutSeconds: output.DATABASE_STATEMENT_TIMEOUT_SECONDS,
    /** Whether statements are prepared; `auto`: unless a pooler is in front of the server. */
    databasePreparedStatements: output.DATABASE_PREPARED_STATEMENTS,
    /** Folder of the embedded database and the demo keys. */
    dataDirectory: output.DATA_DIR,
    /** Whether the first start of an embedded database loads the sample data. */
    sampleData: output.SAMPLE_DATA === 'on',
    /** Rate limit of keys created without one. */
    defaultRateLimit: output.DEFAULT_RATE_LIMIT,
    /** What changes of the dataset need. */
    dataset: { changesKeptDays: output.CHANGES_KEPT_DAYS, automationAccounts: output.AUTOMATION_ACCOUNTS },
    /** Maximum size in memory of the matches of filters, in MiB. */
    matchCacheMb: output.MATCH_CACHE_MB,
    /** How long requests are still accepted after SIGTERM, while load balancers notice. */
    shutdownDelaySeconds: output.SHUTDOWN_DELAY_SECONDS,
    /** Maximum size of the response cache in memory, in MiB; 0: no cache. */
    responseCacheMb: output.RESPONSE_CACHE_MB,
    /** Whether responses are compressed for clients that accept it; false: a proxy does that. */
    compressResponses: output.COMPRESS_RESPONSES === 'on',
    /** Whether everybody can read what the dataset covers. */
    publicCoverage: output.PUBLIC_COVERAGE === 'on',
    /** What the portal says about who runs the service. */
    operator: {
      name: output.OPERATOR_NAME,
      contactUrl: output.CONTACT_URL,
      signupUrl: output.SIGNUP_URL,
      creditPrice: output.CREDIT_PRICE,
      termsUrl: output.TERMS_URL,
      termsNote: output.TERMS_NOTE,
      privacyUrl: output.PRIVACY_URL,
      statusUrl: output.STATUS_URL,
    },
    /** Whether people can connect assistants on a page, which asks for their key. */
    signIn: signIn === 'on',
    /** Where notices go; undefined: nowhere. */
    webhook: webhookUrl === undefined || secrets === undefined ? undefined : { url: webhookUrl, secrets },
    logLevel: output.LOG_LEVEL,
    /** `json`: standard output has only one object per line; `pretty`: for people. */
    logFormat: output.LOG_FORMAT === 'auto' ? (terminal ? 'pretty' : 'json') : output.LOG_FORMAT,
    /** Whether the log has probes and scrapes that succeed. */
    logProbes: output.LOG_PROBES === 'on',
    /** The running commit, for `/version`. */
    commit: output.COMMIT,
  } as const
}
