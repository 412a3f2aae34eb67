/**
 * `mirror FOLDER`: a copy of everything, as `users.ndjson` and `repos.ndjson`, which each run brings up to date.
 *
 * Changes are fetched into a file of their own. Once all are there, a new copy with the changes is written beside the
 * former one, and takes its place. The next run continues one that was killed, whichever step it was at.
 */
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Change, ChangesState } from '../changes.ts'
import { ChangesExpiredError } from '../errors.ts'
import type { Arguments } from './arguments.ts'
import { budgetExitCode, UsageError } from './exit.ts'
import { type AssertHeld, lock } from './folder-lock.ts'
import { openOutput } from './output.ts'
import type { CommandContext } from './reading.ts'
import { readState, writeState } from './state-file.ts'

/** What `mirror.json` has. */
interface MirrorState {
  /** The version of the dataset that the copy has; undefined: there is none yet. */
  version?: number | undefined
  /** Changes that are being fetched. Without a `state`, all are fetched. */
  changes?: { state?: ChangesState | undefined; bytes: number; items: number; version?: number | undefined }
}

const files = { user: 'users.ndjson', repository: 'repos.ndjson' } as const

/** Brings the copy in a folder up to date. Returns the exit code. */
export async function mirror(context: CommandContext, given: Arguments): Promise<number> {
  const { operand: folder } = given
  mkdirSync(folder, { recursive: true })
  return updateCopy(context, given, await lock(folder, join(folder, 'mirror.lock'), context))
}

async function updateCopy(
  context: CommandContext,
  { operand: folder, budget }: Arguments,
  assertHeld: AssertHeld,
): Promise<number> {
  const stateFile = join(folder, 'mirror.json')
  const changesFile = join(folder, 'changes.ndjson')
  let saved = readState<MirrorState>(stateFile)
  if (saved === undefined && Object.values(files).some((file) => existsSync(join(folder, file)))) {
    throw new UsageError(`${folder} has files that mirror didn't write: name another folder`)
  }
  saved ??= {}
  if (saved.changes === undefined || saved.changes.state !== undefined) {
    const isWhole = await fetchChanges(context, { saved, stateFile, changesFile, budget, assertHeld })
    if (!isWhole) {
      context.progress.note(
        'Stopped by the budget. The copy is unchanged. Run the command again with a larger budget.',
      )
      return budgetExitCode
    }
  }
  const { version } = readState<MirrorState>(stateFile)?.changes ?? {}
  await applyChanges(folder, changesFile, assertHeld)
  assertHeld()
  writeState(stateFile, { version })
  rmSync(changesFile, { force: true })
  context.progress.note(`${folder} is at version ${version}.`)
  return 0
}

/** Fetches changes into a file. False: the budget has stopped it. */
async function fetchChanges(
  { api, progress, signal }: CommandContext,
  {
    saved: { version, changes: begun },
    stateFile,
    changesFile,
    budget,
    assertHeld,
  }: {
    saved: MirrorState
    stateFile: string
    changesFile: string
    budget: number | undefined
    assertHeld: AssertHeld
  },
): Promise<boolean> {
  const changes = api.changes(version, { budget, signal, resume: begun?.state })
  if (begun === undefined) rmSync(changesFile, { force: true })
  const output = openOutput(changesFile, begun?.bytes)
  let items = begun?.items ?? 0
  const save = () => {
    assertHeld()
    const { bytes } = output
    const { state } = changes
    writeState(stateFile, { version, changes: { state, bytes, items, version: changes.version } })
  }
  save()
  try {
    for await (const { type, items: page } of changes.pages()) {
      assertHeld()
      await output.write(page.map((item) => `${JSON.stringify({ type, item })}\n`).join(''))
      items += page.length
      save()
      progress.update({ items, total: undefined, spent: changes.spent, balance: changes.balance })
    }
  } catch (error) {
    if (!(error instanceof ChangesExpiredError)) throw error
    throw new Error(`${error.message}: delete the folder, and run the command again`, { cause: error })
  }
  save()
  output.close()
  progress.update({ items, total: undefined, spent: changes.spent, balance: changes.balance })
  progress.end()
  return changes.stoppedBy === undefined
}

/** Writes a new copy with the changes. A second run makes no difference. */
async function applyChanges(folder: string, changesFile: string, assertHeld: AssertHeld): Promise<void> {
  if (!existsSync(changesFile)) {
    throw new UsageError(`${changesFile} is missing: restore it, or delete the folder to begin again`)
  }
  const isFirst = Object.values(files).every((file) => !existsSync(join(folder, file)))
  const replaced = { user: new Set<number>(), repository: new Set<number>() }
  const removed = { user: new Set<number>(), repository: new Set<number>() }
  for await (const { type, item } of readLines<Change>(changesFile)) {
    if (type === 'removal') removed[item.kind].add(item.forge_rest_id)
    // A first copy may have more items than JavaScript's sets can. If it has two lines of one, the next run replaces both.
    else if (!isFirst) replaced[type].add(item.forge_rest_id)
  }
  for (const [type, name] of [
    ['user', files.user],
    ['repository', files.repository],
  ] as const) {
    const file = join(folder, name)
    rmSync(`${file}.new`, { force: true })
    const output = openOutput(`${file}.new`, undefined)
    const batch: string[] = []
    const flush = () => output.write(batch.splice(0).join(''))
    const add = async (item: object) => {
      if (batch.push(`${JSON.stringify(item)}\n`) >= 100) await flush()
    }
    for await (const item of readLines<{ forge_rest_id: number }>(file)) {
      const { forge_rest_id: id } = item
      if (!replaced[type].has(id) && !removed[type].has(id)) await add(item)
    }
    for await (const change of readLines<Change>(changesFile)) {
      const { forge_rest_id: id } = change.item
      if (change.type !== type || removed[type].has(id)) continue
      // An item that was removed and added again since the first page comes twice. The next run gets its last form.
      if (isFirst || replaced[type].delete(id)) await add(change.item)
    }
    await flush()
    output.close()
    assertHeld()
    renameSync(`${file}.new`, file)
  }
}

/** Reads a file of JSON lines; one that doesn't exist has none. */
async function* readLines<Line>(file: string): AsyncGenerator<Line, void, undefined> {
  if (!existsSync(file)) return
  // Not by readline, which also splits at U+2028: JSON may contain it.
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}
