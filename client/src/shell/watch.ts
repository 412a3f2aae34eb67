/**
 * `watch users|repos`: what is new in a question since the run before. Items are appended to the output, then the state
 * is stored, which says how long the output is. So a run that continues a killed one cuts the output there, and gets
 * the page again, for free.
 */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { WatchState } from '../watch.ts'
import type { Arguments } from './arguments.ts'
import { budgetExitCode, UsageError } from './exit.ts'
import { readWhole } from './filter-options.ts'
import { createFormatter } from './format.ts'
import { openOutput } from './output.ts'
import { type CommandContext, lockState, toUsageError } from './reading.ts'
import { readState, writeState } from './state-file.ts'

/** What the state file has. */
interface SavedWatch {
  watch: WatchState
  /** The output of a run that isn't over, and how long it is, in bytes. */
  output?: { file: string; bytes: number } | undefined
}

/** Reads what is new. Returns the exit code. */
export async function watch(context: CommandContext, given: Arguments): Promise<number> {
  const { stateFile } = given
  if (stateFile === undefined) throw new UsageError('watch needs --state FILE, which knows what was given')
  const assertHeld = await lockState(context, given)
  const { progress } = context
  const saved = readState<SavedWatch>(stateFile)
  const news = openWatch(context, given, saved && (saved.watch ?? {}))
  const file = given.outputFile && resolve(given.outputFile)
  if (saved?.output !== undefined && saved.output.file !== file) {
    throw new UsageError(
      `The last run was stopped while it wrote ${saved.output.file}: name it with --output`,
    )
  }
  const size = file !== undefined && existsSync(file) ? statSync(file).size : 0
  const output = openOutput(file, saved?.output?.bytes ?? (size || undefined))
  const formatItems = createFormatter(given, given.list)
  const save = (isRunning: boolean) => {
    assertHeld()
    const { bytes } = output
    writeState(stateFile, { watch: news.state, output: isRunning && file ? { file, bytes } : undefined })
  }
  let count = 0
  save(true)
  for await (const { items } of news.pages()) {
    assertHeld()
    if (items.length > 0) await output.write(formatItems(items, output.bytes === 0))
    count += items.length
    save(true)
    progress.update({ items: count, total: undefined, spent: news.spent, balance: news.balance })
  }
  output.close()
  save(false)
  progress.update({ items: count, total: undefined, spent: news.spent, balance: news.balance })
  progress.end()
  if (news.stoppedBy === undefined) return 0
  progress.note('Stopped by the budget. The next run continues here.')
  return budgetExitCode
}

function openWatch({ api, signal }: CommandContext, given: Arguments, resume: WatchState | undefined) {
  const { list, filter, budget, stateFile } = given
  const since = readWhole('--since', given.since)
  // The same command is run each time, so it may begin at a version that is long past.
  const options = { budget, signal, resume, ...(resume === undefined && { since }) }
  try {
    return list === 'users' ? api.users.watch(filter, options) : api.repositories.watch(filter, options)
  } catch (error) {
    if (!(error instanceof TypeError && error.message.startsWith('resume'))) throw toUsageError(error)
    throw new UsageError(`${stateFile} is the state of another command: name another file`)
  }
}
