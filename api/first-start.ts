/**
 * What a first start on the embedded database brings along, so that a newcomer has something to ask and a key to
 * ask with. On a PostgreSQL server none of this happens.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { readDataset } from './catalog/dataset.ts'
import type { Config } from './config.ts'
import type { Sql } from './database/connect.ts'
import { findSources, importNdjson } from './import/ndjson.ts'
import { findApiKeys, hashSecret, type Role, scopes } from './ledger/api-key.ts'
import { createKey } from './ledger/keys.ts'
import type { RateLimit } from './ledger/rate-limit.ts'
import { formatOrigin } from './local-address.ts'

const sampleDirectory = join(import.meta.dirname, '..', 'sample')
const demoCredits = 10_000

const demoKeysSchema = v.object({ user: v.string(), admin: v.string() })
/** The keys of a local start: for this data folder only, and of no use elsewhere. */
export type DemoKeys = v.InferOutput<typeof demoKeysSchema>

/**
 * Whether this is somebody trying the service on their own machine: the sample data in the embedded database, no public
 * address, and nothing but this machine can reach it. Only then the viewer offers the demo key.
 */
export function isTrial(
  { sampleData, baseUrl, host }: Pick<Config, 'sampleData' | 'baseUrl' | 'host'>,
  database: 'embedded' | 'postgresql',
): boolean {
  const isLoopback = /^(localhost|127(\.\d+){3}|::1)$/.test(host)
  return database === 'embedded' && sampleData && baseUrl === undefined && isLoopback
}

/** Loads the sample data into a database that never held any. */
export async function loadSampleData(sql: Sql): Promise<void> {
  const { version } = await readDataset(sql)
  if (version > 0) return
  console.log('Loading the sample data (once) …')
  await importNdjson(sql, { sources: await findSources([sampleDirectory]) })
}

/**
 * The demo keys of a data folder; made anew if they are not there, or do not work any more. They lie in a file that
 * only its owner can read, since the database keeps no key.
 */
export async function createDemoKeys(
  sql: Sql,
  { dataDirectory, defaultRateLimit }: Pick<Config, 'dataDirectory' | 'defaultRateLimit'>,
): Promise<DemoKeys> {
  const path = join(dataDirectory, 'demo-keys.json')
  const known = readDemoKeys(path)
  const keys: DemoKeys = {
    user: await keepOrCreate(sql, 'user', known?.user, defaultRateLimit),
    admin: await keepOrCreate(sql, 'admin', known?.admin, defaultRateLimit),
  }
  if (keys.user !== known?.user || keys.admin !== known?.admin) {
    writeFileSync(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  }
  return keys
}

function readDemoKeys(path: string): DemoKeys | undefined {
  try {
    return v.parse(demoKeysSchema, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

async function keepOrCreate(
  sql: Sql,
  role: Role,
  known: string | undefined,
  rateLimit: RateLimit | null,
): Promise<string> {
  if (known !== undefined) {
    const [key] = await findApiKeys(sql, [hashSecret(known)])
    if (key !== undefined) return known
  }
  const { secret } = await createKey(sql, {
    role,
    scopes,
    credits: role === 'user' ? demoCredits : 0,
    rateLimit,
    expiresAt: null,
    name: `demo ${role}`,
  })
  return secret
}

/** What a person who started the service wants to know. */
export function describeStart({
  config,
  port,
  keys,
}: {
  config: Config
  port: number
  keys: DemoKeys | undefined
}): string {
  const local = formatOrigin({ host: config.host, port })
  const base = config.baseUrl ?? local
  const lines = [
    '',
    `devdata is ready at ${base}${config.baseUrl === undefined ? '' : ` (listening on ${local})`}`,
    `  docs     ${base}/docs`,
    `  viewer   ${base}/api-docs`,
  ]
  if (keys === undefined) {
    lines.push(
      '  data     PostgreSQL (DATABASE_URL)',
      '  keys     npm run -s devdata -- keys create --credits 1000',
    )
  } else {
    lines.push(
      `  data     ${config.dataDirectory}`,
      `  user key ${keys.user}`,
      `  admin    ${keys.admin}`,
      '',
      'Try it:',
      `  curl -H 'Authorization: Bearer ${keys.user}' '${base}/users?location=berlin&per_page=2'`,
    )
  }
  return `${lines.join('\n')}\n`
}
