/**
 * The command line: `npm run -s devdata -- …`, or `deno task devdata …`.
 *
 * @module
 */
import process from 'node:process'
import { CommanderError } from 'commander'
import { explainUnhandledRefusals, toOperatorMessage } from '../service/operator-message.ts'
import { createCommands } from './commands.ts'
import { Interruption } from './session.ts'

/** Wrong usage; a command that failed ends with 1. */
const usageExitCode = 2

// Whoever reads the output may stop early (`devdata keys list | head -1`): what was asked for is done all the same.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

explainUnhandledRefusals()
try {
  await createCommands().parseAsync(process.argv.slice(2), { from: 'user' })
} catch (error) {
  process.exitCode = exitCodeOf(error)
  // What the work was waiting for, standard input for one, would keep the process.
  if (error instanceof Interruption) process.exit()
}

/** Says what went wrong in a line on standard error, and tells the exit code. A defect of ours keeps its stack trace. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode // it has spoken already
  if (error instanceof Interruption) {
    console.error(`${process.stderr.isTTY ? '\n' : ''}${error.message}`) // a progress line may stand there
    return error.exitCode
  }
  console.error(toOperatorMessage(error) ?? error)
  return 1
}
