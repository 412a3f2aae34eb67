/** The data that a start loads, and the demo keys of a trial (decisions/0007-operations.md). */
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import * as v from 'valibot'
import { readDataset } from '../catalog/dataset.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import { dataFiles } from '../database/data-directory.ts'
import { devdataCommand } from '../devdata-command.ts'
import { OperatorError } from '../errors.ts'
import { findApiKeys, hashSecret, scopes } from '../ledger/api-key.ts'
import { createKey, revokeKey } from '../ledger/keys.ts'
import { isLoopback } from '../names/loopback.ts'
import { findSources, importNdjson } from '../sources/ndjson/import.ts'

const sampleDirectory = join(import.meta.dirname, '..', '..', 'sample')
/** Credits of the demo user key. */
export const demoCredits = 10_000

const demoKeysSchema = v.object({ user: v.string(), admin: v.string() })

/** The demo keys that work. A revoked or deleted one is undefined, and isn't recreated. */
export interface DemoKeys {
  user: string | undefined
  admin: string | undefined
}

/**
 * Whether a start is a trial on one's own machine: the embedded database, no `BASE_URL`, a `HOST` that only this
 * machine can reach, and not a unit of systemd. Only a trial has demo keys and sample data.
 */
export function isTrial(
  { baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>,
  database: 'embedded' | 'postgresql',
  environment: Record<string, string | undefined> = {},
): boolean {
  return database === 'embedded' && baseUrl === undefined && isLoopback(host) && !isUnit(environment)
}

/**
 * Whether systemd runs this process, or the task runner that has started it, as a unit (systemd.exec(5)).
 * `INVOCATION_ID` doesn't say so: terminals of desktops inherit it.
 */
function isUnit({ SYSTEMD_EXEC_PID: started }: Record<string, string | undefined>): boolean {
  return started !== undefined && [process.pid, process.ppid].map(String).includes(started)
}

/** Loads the sample data into a database that has never had data. Calls `onLoad` before it does. */
export async function loadSampleData(
  sql: Sql,
  { dataset }: Partial<Pick<Config, 'dataset'>> = {},
  onLoad = () => {},
): Promise<void> {
  const { version } = await readDataset(sql)
  if (version > 0) return
  onLoad()
  await importNdjson(sql, { sources: await findSources([sampleDirectory]), settings: dataset })
}

/** Throws `OperatorError` when a start can't load a folder, whatever the database contains. */
export async function checkDataset(
  folder: string,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
): Promise<void> {
  await findSources([folder])
  if (databaseUrl === undefined) return
  throw new OperatorError(
    `--dataset ${folder}: a start loads data only into an embedded database, but DATABASE_URL is set. Start without ` +
      `--dataset, and load the folder with: ${importCommand(folder)}`,
  )
}

/**
 * Loads a folder into an embedded database. Calls `onLoad` before it does. Throws `OperatorError` if the database has
 * ever had data.
 */
export async function loadDataset(
  sql: Sql,
  folder: string,
  { dataDirectory, dataset }: Pick<Config, 'dataDirectory' | 'dataset'>,
  onLoad: () => void,
): Promise<void> {
  const { version } = await readDataset(sql)
  if (version > 0) {
    throw new OperatorError(
      `--dataset ${folder}: DATA_DIR ${dataDirectory} already contains data, so nothing was loaded. To serve that data, start ` +
        `without --dataset. To serve the folder's data alone, set another DATA_DIR. To add the folder's data: ` +
        importCommand(folder),
    )
  }
  onLoad()
  await importNdjson(sql, { sources: await findSources([folder]), settings: dataset })
}

function importCommand(folder: string): string {
  return devdataCommand(`import ndjson ${folder}`)
}

/**
 * Returns the demo keys of a trial. Creates them if the database has never had a key, and writes them to a file that
 * only its owner can read, because the database stores hashes only.
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
  const keys = { user: randomUUID(), admin: randomUUID() }
  const path = join(dataDirectory, dataFiles.demoKeys)
  // Before the keys exist: without their file, nobody would ever know them.
  rmSync(path, { force: true }) // an existing file would keep its mode
  writeFileSync(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  const common = { scopes, rateLimit: defaultRateLimit, expiresAt: null }
  await createKey(sql, { ...common, role: 'user', credits: demoCredits, name: 'demo user' }, keys.user)
  await createKey(sql, { ...common, role: 'admin', credits: 0, name: 'demo admin' }, keys.admin)
  return keys
}

/** Revokes the demo keys of an earlier trial that still work. Returns a message with their ids, if there are any. */
export async function revokeDemoKeys(
  sql: Sql,
  { dataDirectory }: Pick<Config, 'dataDirectory'>,
): Promise<string | undefined> {
  const { user, admin } = await findDemoKeys(sql, dataDirectory)
  const ids = [user, admin].flatMap((key) => key?.id ?? [])
  for (const id of ids) await revokeKey(sql, id)
  if (ids.length === 0) return undefined
  return (
    `Demo keys work only in a trial on this machine. Revoked in this data folder: ${ids.map((id) => `key ${id}`).join(', ')}. ` +
    `Create your own keys with: ${devdataCommand('keys create')}`
  )
}

/** The demo keys in the file of a data folder, as far as they work. */
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
