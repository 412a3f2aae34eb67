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
} from './checkup.ts'
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
    .summary('say what is wrong with an installation, and what to do')
    .description(
      `Checks the settings, the database (version, way to it, pooler, clock, migrations, extensions, tables, indexes),
the ledger, the documentation, and that requests are answered at BASE_URL (without it: at HOST and PORT, if a service
answers there). Prints a line for each, and what to do where something is wrong; then it exits with 1. It changes
nothing, and what it sends costs no credits.`,
    )
    .option('--key <key>', 'send a whole request with this API key; - reads it from standard input')
    .option('--no-ledger', 'do not read the whole ledger')
    .option('--json', 'print {"healthy", "findings": [{"state", "subject", "message"}, …]}')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata doctor\n  devdata doctor --key 7e1f0c1e-…\n  devdata doctor --key - < key.txt',
    )
    .action(async (options: DoctorOptions) => {
      const key = options.key === '-' ? (await text(process.stdin)).trim() : options.key
      const findings = await examine({ ...options, ...(key !== undefined && { key }) })
      const healthy = findings.every(({ state }) => state !== 'wrong')
      if (options.json) printJson({ healthy, findings })
      else for (const finding of findings) print(formatFinding(finding))
      if (!healthy) process.exitCode = 1
    })
}

function formatFinding({ state, subject, message }: Finding): string {
  return `${state.padEnd(7)}  ${subject.padEnd(10)}  ${message}`
}

async function examine({ key, ledger }: DoctorOptions): Promise<Finding[]> {
  const config = checkSettings(process.env)
  if (Array.isArray(config)) return config
  const { findings, datasetVersion } = await examineDatabase(config, { ledger })
  return [
    ok('settings', 'each follows its rule'),
    ...findings,
    await checkDocs(config),
    ...(await checkRequests({ config, key, datasetVersion })),
  ]
}

/** Statements that look at the database stop after their time like any other; only the ledger's may take long. */
async function examineDatabase(config: Config, { ledger }: { ledger: boolean }) {
  const { databaseUrl, dataDirectory } = config
  const findings: Finding[] = []
  let datasetVersion: number | undefined
  if (databaseUrl === undefined && !existsSync(join(dataDirectory, 'database'))) {
    findings.push(
      skipped('database', `none in ${dataDirectory} yet; the first start makes it, or set DATABASE_URL`),
    )
    return { findings, datasetVersion }
  }
  try {
    const isReadable = await withDatabase({ anySchema: true }, async ({ sql }) => {
      findings.push(...(await checkDatabase(sql, config)))
      const isReadable = findings.some(({ state, subject }) => subject === 'schema' && state === 'ok')
      if (isReadable) datasetVersion = (await readDataset(sql)).version
      return isReadable
    })
    if (!isReadable) findings.push(skipped('ledger', 'not read before the schema is in order'))
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
