/** The arguments of a start: `npm start -- --dataset FOLDER`. Everything else is a setting (api/config.ts). */
import { parseArgs } from 'node:util'
import { isInstalled } from '../devdata-command.ts'
import { getMessage, OperatorError } from '../errors.ts'

const start = isInstalled() ? 'devdata start' : 'npm start --'
const usage = `Usage: ${start} [--dataset FOLDER], or with Deno: deno task start [--dataset FOLDER]
--dataset loads an export, or other files that "import ndjson" reads, into a new embedded database, in place of the sample
data. Settings are environment variables; .env.example lists them.`

/** What the arguments of a start say. */
export interface StartArguments {
  /** The folder to load into a new embedded database. */
  dataset: string | undefined
}

/** Throws `OperatorError` with the usage if an argument is unknown or incomplete. */
export function readStartArguments(parameters: readonly string[]): StartArguments {
  try {
    const { values } = parseArgs({ args: [...parameters], options: { dataset: { type: 'string' } } })
    if (values.dataset === '') throw new Error("Option '--dataset <value>' argument missing")
    return { dataset: values.dataset }
  } catch (error) {
    const [problem] = getMessage(error).split(/\.\s|\n/)
    throw new OperatorError(`${problem}\n${usage}`)
  }
}
