/** Asks before a command removes something. */
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { OperatorError } from '../errors.ts'

/** The terminal that asks. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean | undefined }
  output: NodeJS.WritableStream & { isTTY?: boolean | undefined }
}

const processTerminal: Terminal = { input: process.stdin, output: process.stderr }

/** Whether `confirm` asks: on a terminal, without `yes`. */
export function canAsk(
  { yes }: { yes?: true | undefined },
  { input, output }: Terminal = processTerminal,
): boolean {
  return !yes && input.isTTY === true && output.isTTY === true
}

/**
 * Asks on a terminal whether to go on; without a terminal, or with `yes`, goes on. Throws `OperatorError` when the
 * person declines; then nothing may have been changed. Ctrl-C at the question is a SIGINT like at any other time.
 */
export async function confirm(
  question: string,
  { yes }: { yes?: true | undefined },
  { input, output }: Terminal = processTerminal,
): Promise<void> {
  if (!canAsk({ yes }, { input, output })) return
  const terminal = createInterface({ input, output })
  // While a line is read, the terminal sends Ctrl-C as a character.
  terminal.once('SIGINT', () => {
    process.emit('SIGINT', 'SIGINT')
    terminal.close()
  })
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const answered = terminal.question(`${question} [y/N] `).catch(() => {
    output.write('\n') // closed by Ctrl-C or Ctrl-D, which end no line
    return ''
  })
  const answer = await Promise.race([answered, closed]).finally(() => terminal.close())
  if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Canceled; nothing was changed')
}
