/** The command line: `npm run -s devdata -- …`, or `deno task devdata …`. */
import process from 'node:process'
import { CommanderError } from 'commander'
import { insufficientPrivilege } from '../database/connection-error.ts'
import { readCode } from '../errors.ts'
import { explainUnhandledRefusals, toOperatorMessage } from '../runtime/operator-message.ts'
import { printIfPossible } from '../telemetry/print-if-possible.ts'
import { createCommands } from './commands.ts'
import { Interruption } from './session.ts'

const usageExitCode = 2

// A command completes even if its log can't be written: a full disk must not end a load. Deno throws what Node emits.
process.stderr.on('error', () => {})
const printError = console.error
console.error = (...values) => printIfPossible(() => printError(...values))
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || process.exitCode) return // `devdata keys list | head -1`, or already reported
  process.exitCode = 1
  console.error(`The output couldn't be written: ${message}; what the command has changed stays changed`)
})

explainUnhandledRefusals()
try {
  await createCommands().parseAsync(process.argv.slice(2), { from: 'user' })
} catch (error) {
  process.exitCode = exitCodeOf(error)
  // Otherwise, what the command waits for, such as standard input, would keep the process running.
  if (error instanceof Interruption) process.exit()
}

/** Prints the error in one line, and returns the exit code. A bug's stack trace is printed as it is. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode // already printed
  if (error instanceof Interruption) {
    console.error(`${process.stderr.isTTY ? '\n' : ''}${error.message}`) // after a progress line
    return error.exitCode
  }
  const message = toOperatorMessage(error)
  console.error(message === undefined ? error : message + adviseOnRole(error))
  return 1
}

/** Names the role that may run the command, if the database has a role for each task. */
function adviseOnRole(error: unknown): string {
  if (readCode(error) !== insufficientPrivilege) return ''
  return (
    '; with three roles, set DATABASE_URL to that of devdata_operator, or for "migrate" and "ledger prune" ' +
    'to that of devdata_owner'
  )
}
