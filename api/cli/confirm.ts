/**
 * Asks before a command removes something.
 *
 * @module
 */
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { OperatorError } from '../errors.ts'

/**
 * Asks on a terminal whether to go on; without a terminal, or with `yes`, goes on. Throws `OperatorError` when the person
 * declines; then nothing may have been changed.
 */
export async function confirm(question: string, { yes }: { yes?: true | undefined }): Promise<void> {
  if (yes || !process.stdin.isTTY || !process.stderr.isTTY) return
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close())
  if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Declined; nothing was changed')
}
