/** What PostgreSQL alone can do: pgbench runs the same work as one prepared statement. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgresBinaries, postgresMissing } from '../test/support/postgres-binaries.ts'

const run = promisify(execFile)

/** What pgbench did. */
export interface PgbenchResult {
  transactions: number
  perSecond: number
}

/** What pgbench runs. */
export interface PgbenchOptions {
  /** SQL texts. Each connection runs scripts one after another, picked at random. */
  scripts: readonly string[]
  connections: number
  seconds: number
  /** Of the scripts. */
  variables?: Record<string, number>
}

/** Runs scripts. `perSecond` excludes the time to open connections. Throws when a transaction failed. */
export async function runPgbench(
  databaseUrl: string,
  { scripts, connections, seconds, variables = {} }: PgbenchOptions,
): Promise<PgbenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'devdata-pgbench-'))
  try {
    const files = scripts.map((_, index) => join(folder, `${index}.sql`))
    for (const [index, script] of scripts.entries()) await writeFile(files[index] ?? '', script)
    const parameters = [
      ...['--no-vacuum', '--protocol=prepared', ...files.map((file) => `--file=${file}`)],
      ...[
        `--client=${connections}`,
        '--jobs=2',
        seconds < 1 ? '--transactions=2' : `--time=${Math.ceil(seconds)}`,
      ],
      ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
      databaseUrl,
    ]
    // Compiling a short statement takes longer than running it, so whoever tunes a server for them turns that off.
    const env = { ...process.env, PGOPTIONS: '-c jit=off' }
    const { stdout, stderr } = await run(findBinary('pgbench'), parameters, { env })
    const find = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN)
    const transactions = find(/transactions actually processed: (\d+)/)
    const perSecond = transactions === 0 ? 0 : find(/tps = ([\d.]+)/)
    if (find(/failed transactions: (\d+)/) !== 0 || Number.isNaN(transactions + perSecond)) {
      throw new Error(`pgbench failed:\n${stdout}${stderr}`)
    }
    return { transactions, perSecond }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Runs commands with psql, one after the other on one connection. */
export async function runPsql(databaseUrl: string, commands: readonly string[]): Promise<void> {
  const parameters = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1']
  await run(findBinary('psql'), [
    ...parameters,
    ...commands.map((command) => `--command=${command}`),
    databaseUrl,
  ])
}

function findBinary(name: string): string {
  const binaries = findPostgresBinaries()
  if (binaries === undefined) throw new Error(postgresMissing)
  return join(binaries.directory, name)
}

/** Sets the variable `key` of `writeRequest`. The variable `keys` is the number of keys to pick from. */
export const pickKey = '\\set key random(1, :keys)\n'

/**
 * Writes the statement of a request: authentication, reading, and a debit with its entry. `found` is SQL: the column
 * `count`, which is the price, and what the response has. `path` is SQL too: what the ledger records. The variable
 * `key` is the id of the key.
 */
export function writeRequest({ found, path }: { found: string; path: string }): string {
  return `with key as (
  select k.id from api_key_secrets s join peers.api_keys k on k.id = s.api_key_id
  where s.hash = sha256(('00000000-0000-4000-8000-' || lpad(:key::text, 12, '0'))::bytea)
    and k.deleted_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and (s.expires_at is null or s.expires_at > now())
), found as (
  ${found}
), debit as (
  update peers.api_keys k
  set credits = credits - count, last_position = last_position + 1, last_used_at = now(), last_entry_at = now()
  from key, found where k.id = key.id and k.credits >= count
  returning k.id, k.credits, k.last_position, k.last_entry_at, count
), entry as (
  insert into peers.ledger (api_key_id, position, created_at, kind, granted, cost, balance, items, request_id, path)
  select id, last_position, last_entry_at, 'charge', 0, count, credits, count, gen_random_uuid(), ${path} from debit
)
select debit.credits, found.* from debit, found`
}
