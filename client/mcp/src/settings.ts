/**
 * Reads the argument and the environment. The key is never an argument: other users of the machine could read it.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { Connection } from './call.ts'

/** How the service is reached, and what may be spent. */
export interface Settings {
  connection: Connection
  /** The limit of what all calls together cost, in credits. Undefined if only the balance of the key limits them. */
  budget: number | undefined
}

/** The program can't be started as it was configured. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** What `devdata-mcp --help` prints. */
export const helpText = `Usage: devdata-mcp [--key-file FILE]

An MCP server that speaks over standard input and output. Assistants start it; see the README.

Environment:
  DEVDATA_URL           base URL of the API, such as https://api.example.com/public-api
  DEVDATA_API_KEY       the API key, unless --key-file names a file that has it
  DEVDATA_BUDGET        credits that may be spent until the program ends; default: all of the key's

  --help, --version
`

/** Reads the arguments. Throws a `SettingsError`. */
export function parseArguments(args: readonly string[]) {
  const options = {
    'key-file': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new SettingsError(
      error instanceof Error ? error.message.replace(/\.? To specify .*/s, '') : String(error),
    )
  }
}

/** Reads where the service is, the key and the budget. Throws a `SettingsError`. */
export function readSettings(keyFile: string | undefined): Settings {
  const { DEVDATA_URL: baseUrl = '', DEVDATA_API_KEY = '', DEVDATA_BUDGET = '' } = process.env
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new SettingsError('DEVDATA_URL must be the base URL of the API')
  }
  const apiKey = (keyFile === undefined ? DEVDATA_API_KEY : readKeyFile(keyFile)).trim()
  if (!/^[!-~]+$/.test(apiKey)) {
    throw new SettingsError('DEVDATA_API_KEY or the file of --key-file must have the API key')
  }
  const budget = DEVDATA_BUDGET === '' ? undefined : Number(DEVDATA_BUDGET)
  if (budget !== undefined && !(/^\d+$/.test(DEVDATA_BUDGET) && Number.isSafeInteger(budget))) {
    throw new SettingsError('DEVDATA_BUDGET must be a whole number of credits')
  }
  const keySource = keyFile === undefined ? 'DEVDATA_API_KEY' : `the file ${keyFile}`
  return { connection: { baseUrl, apiKey, keySource }, budget }
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingsError(
      `The file of --key-file can't be read: ${error instanceof Error ? error.message : error}`,
    )
  }
}
