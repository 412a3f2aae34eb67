/**
 * `devdata doctor`
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { readDataset } from '../catalog/dataset.ts'
import type { Config } from '../config.ts'
import { toOperatorMessage } from '../service/operator-message.ts'
import {
  checkDatabase,
  checkDocs,
  checkLedger,
  checkSettings,
  type Finding,
  ok,
  skipped,
  wrong,
} from './doctor-checks.ts'
import { print, printJson } from './output.ts'
import { checkRequests } from './request-check.ts'
import { Interruption, withDatabase } from './session.ts'

interface DoctorOptions {
  key?: string
  ledger: boolean
  json?: true
}

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .summary('check an installation, and say what to fix')
    .description(
      `Checks the settings, the database (version, round trip, pooler, clock, migrations), the ledger, the documentation,
and whether the service responds at BASE_URL (without it: at HOST and PORT, if a service runs there). Prints a line for
each, with what to do if something is wrong; in that case it exits with 1. It changes nothing, and its requests cost no
credits.`,
    )
    .option('--key <key>', 'send a complete request with this API key; - reads it from standard input')
    .option('--no-ledger', 'skip the ledger, which is read as a whole')
    .option('--json', 'print {"healthy", "findings": [{"state", "subject", "message"}, …]}')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata doctor\n  devdata doctor --key 7e1f0c1e-…\n  devdata doctor --key - < key.txt',
    )
    .action(async (options: DoctorOptions) => {
      const key = options.key === '-' ? (await text(process.stdin)).trim() : options.key
      const findings = await check({ ...options, ...(key !== undefined && { key }) })
      const healthy = findings.every(({ state }) => state !== 'wrong')
      if (options.json) printJson({ healthy, findings })
      else for (const finding of findings) print(formatFinding(finding))
      if (!healthy) process.exitCode = 1
    })
}

function formatFinding({ state, subject, message }: Finding): string {
  return `${state.padEnd(7)}  ${subject.padEnd(10)}  ${message}`
}

async function check({ key, ledger }: DoctorOptions): Promise<Finding[]> {
  const config = checkSettings(process.env)
  if (Array.isArray(config)) return config
  const { findings, datasetVersion } = await checkDatabaseAndLedger(config, { ledger })
  return [
    ok('settings', 'all valid'),
    ...findings,
    await checkDocs(config),
    ...(await checkRequests({ config, key, datasetVersion })),
  ]
}

/** Only the ledger's statements may exceed the statement timeout. */
async function checkDatabaseAndLedger(config: Config, { ledger }: { ledger: boolean }) {
  const { databaseUrl, dataDirectory } = config
  const findings: Finding[] = []
  let datasetVersion: number | undefined
  if (databaseUrl === undefined && !existsSync(join(dataDirectory, 'database'))) {
    findings.push(
      skipped('database', `none in ${dataDirectory} yet; the first start creates it, or set DATABASE_URL`),
    )
    return { findings, datasetVersion }
  }
  try {
    const isMigrated = await withDatabase({ anySchema: true }, async ({ sql }) => {
      const database = await checkDatabase(sql, config)
      findings.push(...database.findings)
      if (database.isMigrated) datasetVersion = (await readDataset(sql)).version
      return database.isMigrated
    })
    if (!isMigrated) findings.push(skipped('ledger', 'not read, because migrations are missing'))
    else if (!ledger) findings.push(skipped('ledger', 'not read, because of --no-ledger'))
    else {
      const options = { anySchema: true, longStatements: true }
      findings.push(await withDatabase(options, ({ sql }) => checkLedger(sql)))
    }
  } catch (error) {
    if (error instanceof Interruption) throw error
    const reason = toOperatorMessage(error)
    if (reason === undefined) throw error
    findings.push(wrong('database', reason))
  }
  return { findings, datasetVersion }
}
