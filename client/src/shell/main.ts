#!/usr/bin/env node
/** The command line: `devdata-client --help`. */
import process from 'node:process'
import { AuthenticationError, createClient, isAboutUrl, type Wait } from '../client.ts'
import { type Arguments, parseArguments, readSettings, type Settings } from './arguments.ts'
import { listExitCode, UsageError } from './exit.ts'
import { helpText } from './help.ts'
import { hideKeys } from './hidden-keys.ts'
import { mirror } from './mirror.ts'
import { createProgress, type Progress } from './progress.ts'
import { readCounts, readCredits, readHistory, readList, readNames, readQuote } from './reading.ts'
import { version } from './version.ts'
import { watch } from './watch.ts'

/** Commands that read no list. */
const others: Partial<Record<Arguments['command'], typeof readList>> = {
  credits: readCredits,
  quote: readQuote,
  count: readCounts,
  dependencies: readNames,
  locations: readNames,
  companies: readNames,
  history: readHistory,
  mirror,
  watch,
}

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort(signal))
process.stdout.on('error', (error: Error & { code?: string }) => {
  const hasReaderLeft = error.code === 'EPIPE' // such as `head`
  process.exit(hasReaderLeft ? 141 : fail(error))
})

async function run(given: Arguments): Promise<number> {
  if (given.command === 'help') return print(helpText)
  if (given.command === 'version') return print(`${version}\n`)
  const settings = readSettings(given)
  const { baseUrl, apiKey } = settings
  const progress = createProgress(process.stderr, given.isQuiet)
  const api = createClient({ baseUrl, apiKey, onWait: (wait) => progress.note(describeWait(wait)) })
  const context = { api, progress, signal: interruption.signal }
  try {
    return await (others[given.command] ?? readList)(context, given)
  } catch (error) {
    return fail(error, progress, settings)
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function fail(error: unknown, progress?: Progress, settings?: Settings): number {
  const message = interruption.signal.aborted
    ? `stopped by ${interruption.signal.reason}`
    : [describe(error), settings && describeSource(error, settings)].filter(Boolean).join('. ')
  progress?.end()
  const { requestId } = (error ?? {}) as { requestId?: string }
  const suffix = requestId === undefined ? '' : ` (request ${requestId})`
  process.stderr.write(`devdata-client: ${hideKeys(message, settings?.apiKey)}${suffix}\n`)
  return listExitCode(interruption.signal.aborted ? interruption.signal.reason : error)
}

function describe(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}; see devdata-client --help`
  return error instanceof Error ? error.message : String(error)
}

/** Says where the setting is from that may be wrong. */
function describeSource(error: unknown, { keySource, urlSource }: Settings): string | undefined {
  if (error instanceof AuthenticationError) return `The key is from ${keySource}`
  return isAboutUrl(error) ? `The URL is from ${urlSource}` : undefined
}

function describeWait({ delayMs, error }: Wait): string {
  const seconds = Math.ceil(delayMs / 1000)
  return `waiting ${seconds} s: ${error?.message ?? 'the rate limit is used up'}`
}

try {
  process.exitCode = await run(parseArguments(process.argv.slice(2)))
} catch (error) {
  process.exitCode = fail(error)
}
