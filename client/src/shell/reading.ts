/** The commands that read a list, and those that ask for a few numbers. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../client.ts'
import type { List, ListOptions } from '../list.ts'
import type { ListState } from '../list-state.ts'
import { countedBy } from '../one-request.ts'
import type { Arguments } from './arguments.ts'
import { budgetExitCode, UsageError } from './exit.ts'
import { nameOption, readChoice } from './filter-options.ts'
import { type AssertHeld, lock } from './folder-lock.ts'
import { createFormatter } from './format.ts'
import { openOutput } from './output.ts'
import type { Progress } from './progress.ts'
import { readState, writeState } from './state-file.ts'

/** What commands work with. */
export interface CommandContext {
  api: Client
  progress: Progress
  signal: AbortSignal
}

/** What a state file has. */
interface SavedState {
  /** The command, as text: what it reads, and where and how it writes it. */
  identity: string
  /** Null: all is read. */
  list: ListState | null
  /** Items that were written. */
  items: number
  /** How long the output is, in bytes. */
  bytes: number
}

/** Reads a list to its end, or until the budget stops it. Returns the exit code. */
export async function readList(context: CommandContext, given: Arguments): Promise<number> {
  const { api, progress, signal } = context
  const assertHeld = await lockState(context, given)
  const { list: name, stateFile, outputFile, budget } = given
  const identity = identify(given)
  const saved = stateFile === undefined ? undefined : readState<SavedState>(stateFile)
  if (saved !== undefined && !isSameCommand(saved.identity, identity)) {
    throw new UsageError(`${stateFile} is the state of another command: name another file`)
  }
  if (saved?.list === null) {
    if (saved.items === 0) assertFound(given)
    progress.note(`The list is complete, with ${saved.items} items. To read it again, delete ${stateFile}.`)
    return 0
  }
  const list = openList(api, given, { budget, signal, resume: saved?.list })
  const output = openOutput(outputFile, saved?.bytes)
  const formatItems = createFormatter(given, name)
  let items = saved?.items ?? 0
  const save = () => {
    assertHeld()
    if (stateFile !== undefined)
      writeState(stateFile, { identity, list: list.state ?? null, items, bytes: output.bytes })
  }
  save()
  for await (const page of list.pages()) {
    assertHeld()
    await output.write(formatItems(page.items, items === 0))
    items += page.items.length
    save()
    progress.update({ items, total: page.total, spent: list.spent, balance: list.balance })
  }
  save()
  output.close()
  progress.update({ items, total: list.total, spent: list.spent, balance: list.balance })
  progress.end()
  if (list.stoppedBy !== undefined) {
    progress.note('Stopped by the budget.')
    return budgetExitCode
  }
  if (items === 0) assertFound(given)
  return 0
}

/** Throws an `Error` if one item was to be looked up, of which there is none. */
function assertFound({ command, operand }: Arguments): void {
  if (command === 'user' || command === 'repo') {
    throw new Error(`There is no ${command === 'user' ? 'user' : 'repository'} ${operand}`)
  }
}

/** Locks the state, if one is named. Throws a `UsageError` if another command has it. */
export async function lockState(
  context: CommandContext,
  { stateFile, outputFile }: Arguments,
): Promise<AssertHeld> {
  if (stateFile === undefined) return () => {}
  const lockFile = `${stateFile}.lock`
  // A state is written to a file beside it, which then takes its place.
  const own = [stateFile, `${stateFile}.new`, lockFile].map((file) => resolve(file))
  if (outputFile !== undefined && own.includes(resolve(outputFile))) {
    throw new UsageError('--state and --output must name different files')
  }
  return lock(stateFile, lockFile, context)
}

/** A state is of one output. Otherwise, what is to be continued is cut to a length that another file had. */
function identify(given: Arguments): string {
  const { command: _, budget, stateFile, isQuiet, url, keyFile, names, outputFile, ...identity } = given
  const hash = names && createHash('sha256').update(names.join('\n')).digest('hex')
  return JSON.stringify({ ...identity, names: hash, output: outputFile && resolve(outputFile) })
}

/** Members may have another order in a state of another version of the client. */
function isSameCommand(saved: unknown, identity: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(String(saved)), JSON.parse(identity))
  } catch {
    return false
  }
}

function openList(
  api: Client,
  { list, operand, names, filter, day, isByDay }: Arguments,
  options: ListOptions,
): List<object> {
  try {
    if (list === 'users') return names ? api.users.getMany(names, options) : api.users.list(filter, options)
    if (list === 'repos') {
      return names ? api.repositories.getMany(names, options) : api.repositories.list(filter, options)
    }
    if (list === 'commits') return api.repositories.commits(operand, options)
    if (list === 'dependencies-of') return api.repositories.dependencies(operand, options)
    if (list === 'blame') return api.repositories.blame(operand, options)
    return isByDay ? api.usageByDay({ day }, options) : api.usage({ day }, options)
  } catch (error) {
    throw toUsageError(error)
  }
}

/** The client throws a `TypeError` for what it can't ask the service for. Its message gets the names of our options. */
export function toUsageError(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error
  const message = error.message
    .replace(/^\w+(?= is | must )/, (member) => `--${nameOption(member)}`)
    .replace('several values are an array', 'to give several, repeat the option')
  return new UsageError(message)
}

/** Prints what a list would cost. Returns the exit code. */
export async function readQuote({ api, signal }: CommandContext, given: Arguments): Promise<number> {
  const { list, filter } = given
  const resource = list === 'users' ? api.users : api.repositories
  const quote = await resource.quote(filter, { signal }).catch((error: unknown) => {
    throw toUsageError(error)
  })
  return print(given, [quote])
}

/** Prints how many items of a list have each value, and says how many have none. Returns the exit code. */
export async function readCounts(
  { api, progress, signal }: CommandContext,
  given: Arguments,
): Promise<number> {
  const { list, by } = given
  const { exclude, ...filter } = given.filter
  if (by === undefined) throw new UsageError('count needs --by, such as --by dependency')
  if (exclude !== undefined) throw new UsageError("count doesn't have --no-dependencies")
  const counting =
    list === 'users'
      ? api.users.count(readChoice('--by', by, countedBy.users) ?? 'dependency', filter, { signal })
      : api.repositories.count(readChoice('--by', by, countedBy.repos) ?? 'dependency', filter, { signal })
  const { values, total, others, none } = await counting.catch((error: unknown) => {
    throw toUsageError(error)
  })
  const rest = others === null ? '' : `, ${others} with other values`
  progress.note(`${total} in all${rest}, ${none} without a value.`)
  return print(given, values)
}

/** Prints the names that contain a text. Returns the exit code. */
export async function readNames({ api, signal }: CommandContext, given: Arguments): Promise<number> {
  const { command, operand: contains, filter } = given
  const find =
    command === 'locations'
      ? api.findLocations
      : command === 'companies'
        ? api.findCompanies
        : api.findDependencies
  const found = find({ contains, dependencyFiles: filter.dependencyFiles }, { signal })
  const names: object[] = await found.catch((error: unknown) => {
    throw toUsageError(error)
  })
  return print(given, names)
}

/** Prints who used a dependency, month by month, and says for how many a date is unknown. Returns the exit code. */
export async function readHistory(
  { api, progress, signal }: CommandContext,
  given: Arguments,
): Promise<number> {
  const { operand: dependencyName, since, until } = given
  const [dependencyFile, ...others] = [given.filter.dependencyFiles ?? []].flat()
  if (others.length > 0) throw new UsageError('history takes one --file')
  const { data, unknown } = await api
    .dependencyHistory({ dependencyName, dependencyFile, since, until }, { signal })
    .catch((error: unknown) => {
      throw toUsageError(error)
    })
  progress.note(`A date is unknown for ${unknown.users} users and ${unknown.repositories} repositories.`)
  return print(given, data)
}

/** Prints the balance of the key, and not the key. Returns the exit code. */
export async function readCredits({ api, signal }: CommandContext, given: Arguments): Promise<number> {
  const { api_key: _, ...status } = await api.credits({ signal })
  return print(given, [status])
}

async function print(given: Arguments, items: readonly object[]): Promise<number> {
  await openOutput(undefined, undefined).write(createFormatter(given, given.command)(items, true))
  return 0
}
