/**
 * Loads what was found on the forge and in clones.
 *
 * @module
 */
import type { Sql } from '../../database/connect.ts'
import { applyImport, type ImportResult } from '../apply.ts'
import { filterForgotten, readForgottenPeople, redactUrl } from '../forgotten.ts'
import { readDependencyHistory } from '../git/history.ts'
import { stageHistory } from '../git/staged-history.ts'
import { ImportError } from '../import-error.ts'
import { RecordError, type RecordKind, readRecord } from '../records.ts'
import { withStaging } from '../staging.ts'
import type { Forge } from './ask.ts'
import type { Histories } from './histories.ts'
import { mapRepository } from './mapping.ts'
import type { People } from './people.ts'
import type { ForgeRepository } from './queries.ts'

/** What an import loads. */
export interface Findings {
  repositories: readonly ForgeRepository[]
  histories: Histories
  people: People
}

/** How it is loaded. */
export interface LoadOptions {
  changesKeptDays?: number | undefined
  onBegin?: ((importId: number) => void) | undefined
  onNote?: ((message: string) => void) | undefined
}

/** Stages and applies what was found, as one load: all of it or nothing. */
export function loadFindings(
  sql: Sql,
  { onProgress }: Forge,
  { onBegin, onNote = () => {}, changesKeptDays }: LoadOptions,
  { repositories, histories, people }: Findings,
): Promise<ImportResult & { forgotten: number }> {
  return withStaging(sql, onBegin, async (staging) => {
    const forgotten = await readForgottenPeople(sql)
    const filtered = filterForgotten(forgotten, staging)
    let position = 0
    async function add(kind: RecordKind, record: object): Promise<void> {
      await filtered.add(kind, position++, readChecked(kind, record))
    }
    for (const user of people.users) await add('users', user)
    for (const [forge_rest_id, addresses] of people.addresses)
      await add('identities', { forge_rest_id, addresses })
    const completeUrls: string[] = []
    const readNext = readAhead(repositories, async ({ id }) => {
      const clone = histories.changed.get(id)
      return clone && (await readDependencyHistory(clone))
    })
    for (const [index, repository] of repositories.entries()) {
      onProgress('reading histories', index, repositories.length)
      const history = await readNext()
      const clone = histories.changed.get(repository.id)
      const record = mapRepository(repository)
      if (record === undefined) continue
      if (clone === undefined || history === undefined) {
        await add('repos', { ...record, dependencies: null })
        continue
      }
      const { warnings } = history
      if (warnings.length > 0) {
        onNote(`${record.full_name}: skipped ${warnings.length} versions of manifests that did not parse`)
      }
      await stageHistory(filtered, clone, record, history, {
        nextPosition: () => position++,
        readRepository: (complete) => readChecked('repos', complete),
      })
      const url = redactUrl(forgotten, record.url)
      if (url !== undefined) completeUrls.push(url)
    }
    await filtered.flush()
    const result = await applyImport(sql, staging.id, {
      changesKeptDays,
      forgotten,
      completeUrls,
      onStep: (step) => onProgress(step, 0, undefined),
    })
    return { ...result, forgotten: filtered.leftOut }
  })
}

/** Returns a function that reads the next item. Meanwhile the one after it is read, so that git and the load share the time. */
function readAhead<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): () => Promise<Result | undefined> {
  const left = items.values()
  async function begin(): Promise<Result | undefined> {
    const { value, done } = left.next()
    return done ? undefined : read(value)
  }
  let next = begin()
  return () => {
    const current = next
    next = current.then(begin)
    next.catch(() => {}) // the next call reports it
    return current
  }
}

/** The forge's names obey the rules, so that what doesn't is a fault of the forge, or of its version. */
function readChecked(kind: RecordKind, record: object) {
  try {
    return readRecord(kind, JSON.stringify(record))
  } catch (error) {
    if (!(error instanceof RecordError)) throw error
    throw new ImportError(
      `The forge describes one of ${kind} in a way that can't be loaded: ${error.message}`,
    )
  }
}
