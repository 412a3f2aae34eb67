/**
 * What a first start on the embedded database brings along, so that a newcomer has something to ask and a key to
 * ask with. On a PostgreSQL server none of this happens.
 *
 * @module
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { readDataset } from '../catalog/dataset.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import { dataFiles } from '../database/data-directory.ts'
import { findSources, importNdjson } from '../import/ndjson.ts'
import { findApiKeys, hashSecret, scopes } from '../ledger/api-key.ts'
import { createKey, revokeKey } from '../ledger/keys.ts'
import { localOrigin } from './local-url.ts'

const sampleDirectory = join(import.meta.dirname, '..', '..', 'sample')
/** Credits of the user key that a trial prints. */
export const demoCredits = 10_000

const demoKeysSchema = v.object({ user: v.string(), admin: v.string() })
/** The demo keys that work. One that was revoked or deleted is absent, and stays so. */
export interface DemoKeys {
  user: string | undefined
  admin: string | undefined
}

/**
 * Whether this is somebody trying the service on their own machine: the embedded database, no public URL, and nothing
 * but this machine can reach it. Only a trial has demo keys.
 */
export function isTrial(
  { baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>,
  database: 'embedded' | 'postgresql',
): boolean {
  const isLoopback = /^(localhost|127(\.\d+){3}|::1)$/.test(host)
  return database === 'embedded' && baseUrl === undefined && isLoopback
}

/** Loads the sample data into a database that never held any. */
export async function loadSampleData(sql: Sql): Promise<void> {
  const { version } = await readDataset(sql)
  if (version > 0) return
  console.log('Loading the sample data (once) …')
  await importNdjson(sql, { sources: await findSources([sampleDirectory]) })
}

/**
 * The demo keys of a trial. They are created when the database has never had a key, and kept in a file that only its
 * owner can read, because the database stores no key.
 */
export async function prepareDemoKeys(
  sql: Sql,
  { dataDirectory, defaultRateLimit }: Pick<Config, 'dataDirectory' | 'defaultRateLimit'>,
): Promise<DemoKeys> {
  const [row] = await sql<{ hadKeys: boolean }[]>`select exists (select from api_keys) as "hadKeys"`
  if (row?.hadKeys) {
    const { user, admin } = await findDemoKeys(sql, dataDirectory)
    return { user: user?.secret, admin: admin?.secret }
  }
  const common = { scopes, rateLimit: defaultRateLimit, expiresAt: null }
  const user = await createKey(sql, { ...common, role: 'user', credits: demoCredits, name: 'demo user' })
  const admin = await createKey(sql, { ...common, role: 'admin', credits: 0, name: 'demo admin' })
  const keys = { user: user.secret, admin: admin.secret }
  const path = join(dataDirectory, dataFiles.demoKeys)
  rmSync(path, { force: true }) // a file that is there keeps its mode
  writeFileSync(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  return keys
}

/** Revokes the demo keys of an earlier trial that still work, and returns their numbers. */
export async function revokeDemoKeys(sql: Sql, dataDirectory: string): Promise<number[]> {
  const found = await findDemoKeys(sql, dataDirectory)
  const ids = [found.user, found.admin].flatMap((key) => key?.id ?? [])
  for (const id of ids) await revokeKey(sql, id)
  return ids
}

/** The demo keys that the file of a data folder names, if they work. */
async function findDemoKeys(sql: Sql, dataDirectory: string) {
  const secrets = readDemoKeys(join(dataDirectory, dataFiles.demoKeys))
  if (secrets === undefined) return {}
  const [user, admin] = await findApiKeys(sql, [hashSecret(secrets.user), hashSecret(secrets.admin)])
  return {
    user: user && { id: user.id, secret: secrets.user },
    admin: admin && { id: admin.id, secret: secrets.admin },
  }
}

function readDemoKeys(path: string): v.InferOutput<typeof demoKeysSchema> | undefined {
  try {
    return v.parse(demoKeysSchema, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
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
  const local = localOrigin({ host: config.host, port })
  const base = config.baseUrl ?? local
  const lines = [
    '',
    `devdata is ready at ${base}${config.baseUrl === undefined ? '' : ` (listening on ${local})`}`,
    `  docs     ${base}/docs`,
    `  viewer   ${base}/api-docs`,
    `  data     ${config.databaseUrl === undefined ? config.dataDirectory : 'PostgreSQL (DATABASE_URL)'}`,
  ]
  if (keys?.user !== undefined) lines.push(`  user key ${keys.user}`)
  if (keys?.admin !== undefined) lines.push(`  admin    ${keys.admin}`)
  if (keys?.user !== undefined) {
    const curl = `curl -H 'Authorization: Bearer ${keys.user}' '${base}/users?location=berlin&per_page=2'`
    lines.push('', 'Try it:', `  ${curl}`)
  } else {
    lines.push('  keys     npm run -s devdata -- keys create --credits 1000')
  }
  return `${lines.join('\n')}\n\n`
}
