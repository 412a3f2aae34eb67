/** @module-tag later */
import { once } from 'node:events'
import process from 'node:process'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { confirm } from '../../api/cli/confirm.ts'
import { confirmRemovals } from '../../api/cli/confirm-removals.ts'
import { OperatorError } from '../../api/errors.ts'

/** A terminal at which a person types this when asked. */
function createTerminal(typed: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80 })
  let shown = ''
  output.on('data', (bytes) => {
    shown += bytes
    if (String(bytes).includes('[y/N]')) input.write(typed)
  })
  return { input, output, readShown: () => shown }
}

describe('a command that removes something', () => {
  test.each(['y\n', 'Yes\n', ' YES \n'])('goes on after %j', async (typed) => {
    const terminal = createTerminal(typed)
    await confirm('Remove 3 users?', {}, terminal)
    expect(terminal.readShown()).toContain('Remove 3 users? [y/N] ')
  })

  test.each(['n\n', '\n', 'yep\n', 'y', '\u0004'])('does not after %j', async (typed) => {
    const terminal = createTerminal(typed)
    const asking = confirm('Remove?', {}, terminal)
    terminal.input.end()
    await expect(asking).rejects.toThrow(new OperatorError('Canceled; nothing was changed'))
  })

  test('is interrupted by Ctrl-C at the question', async () => {
    const interrupted = once(process, 'SIGINT')
    await expect(confirm('Remove?', {}, createTerminal('\u0003'))).rejects.toThrow(OperatorError)
    expect(await interrupted).toEqual(['SIGINT'])
  })

  test('does not ask with --yes, or without a terminal', async () => {
    const terminal = createTerminal('n\n')
    await confirm('Remove?', { yes: true }, terminal)
    expect(terminal.readShown()).toBe('')
    const pipe = createTerminal('n\n', false)
    await confirm('Remove?', {}, pipe)
    expect(pipe.readShown()).toBe('')
  })
})

describe('a load that removes what its files lack', () => {
  const none = { users: 0, addresses: 0, repositories: 0, commits: 0 }
  const removals = { missing: { ...none, users: 90 }, stored: { ...none, users: 100 } }

  test('removes as much as a person confirms', async () => {
    const terminal = createTerminal('y\n')
    await confirmRemovals(removals, {}, terminal)
    expect(terminal.readShown()).toContain('Remove them? [y/N] ')
    await expect(confirmRemovals(removals, {}, createTerminal('n\n'))).rejects.toThrow('Canceled')
  })

  test('has a bound where nobody is asked, and where one is given', async () => {
    for (const [options, terminal] of [
      [{}, createTerminal('y\n', false)],
      [{ yes: true }, createTerminal('y\n')],
      [{ maxRemovals: 89 }, createTerminal('y\n')],
    ] as const) {
      await expect(confirmRemovals(removals, options, terminal)).rejects.toThrow('90 of 100 users')
      expect(terminal.readShown()).toBe('')
    }
    await confirmRemovals(removals, { maxRemovals: 90 }, createTerminal('', false))
  })
})
