/** `devdata doctor`: checks an installation, and says what to do when something is wrong. */
import process from 'node:process'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { type Config, ConfigError, findMisspelledSettings, readConfig, readEnvironment } from '../config.ts'
import { checkDatabase, checkDocs, checkService, type Finding, ok, skipped, wrong } from './doctor-checks.ts'

interface DoctorOptions {
  key?: string | undefined
  ledger: boolean
  service: boolean
  json?: true
}

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .summary('Check an installation, and say what to fix')
    .description(
      'Check the settings, the database, the migrations, keys, a sample of the sets, the ledger, the ' +
        'documentation, and the service at BASE_URL (or else at HOST and PORT). Prints a line for each. If ' +
        'something is wrong, its line says what to do, and the command exits with 1. It changes nothing and ' +
        'costs no credits.',
    )
    .option('--key <key>', 'also send requests with this API key; - reads it from standard input')
    .option('--no-ledger', 'skip the ledger check, which reads every entry')
    .option('--no-service', 'send no requests to the service, for example because it is stopped')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata doctor\n  devdata doctor --key 7e1f0c1e-…\n  devdata doctor --key - < key.txt',
    )
    .action(async ({ key, ledger, service, json }: DoctorOptions, command: Command) => {
      if (key !== undefined && !service)
        command.error(
          'error: --key sends requests to the service, so it excludes --no-service; leave out one of them',
        )
      const givenKey = key === '-' ? (await text(process.stdin)).trim() : key
      const findings = await examine({ ledger, service, key: givenKey })
      const healthy = findings.every(({ state }) => state !== 'wrong')
      if (json) console.log(JSON.stringify({ healthy, findings }))
      else {
        for (const { state, subject, message } of findings) {
          console.log(`${state.padEnd(7)}  ${subject.padEnd(10)}  ${message}`)
        }
      }
      if (!healthy) process.exitCode = 1
    })
}

async function examine({ key, ledger, service }: Omit<DoctorOptions, 'json'>): Promise<Finding[]> {
  let config: Config
  let misspelled: string[]
  try {
    config = readConfig(readEnvironment(process.env))
    misspelled = findMisspelledSettings()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').map((message) => wrong('settings', message))
  }
  return [
    ...(misspelled.length === 0
      ? [ok('settings', 'all valid')]
      : misspelled.map((message) => wrong('settings', message))),
    ...(await checkDatabase(config, ledger)),
    await checkDocs(config),
    ...(service
      ? await checkService(config, key)
      : [skipped('url', 'no requests were sent, because of --no-service')]),
  ]
}
