/**
 * Loads what was found on the forge and in clones.
 *
 * @module
 */
import type { Sql } from '../../database/connect.ts'
import { applyImport, type ImportResult } from '../../dataset/apply-load.ts'
import { type RecordKind, readCreatedRecord, type StagedRow } from '../../dataset/records.ts'
import { withStaging } from '../../dataset/staging.ts'
import { filterForgotten, readForgottenPeople, redactUrl } from '../../people/forgotten-people.ts'
import { GitError } from '../git/git-process.ts'
import { addCounts, readDependencyHistory } from '../git/history.ts'
import { stageHistory } from '../git/staged-history.ts'
import type { Forge } from './ask.ts'
import type { CloneFolder } from './clones.ts'
import { mapRepository } from './forge-records.ts'
import type { Skipped } from './forge-repositories.ts'
import { explainSkip, type Histories } from './histories.ts'
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

/** Stages and applies what was found, as one load: all of it or nothing. A history that git can't read is skipped. */
export function loadFindings(
  sql: Sql,
  { onProgress }: Forge,
  clones: CloneFolder,
  { onBegin, onNote = () => {}, changesKeptDays }: LoadOptions,
  { repositories, histories, people }: Findings,
): Promise<ImportResult & { forgotten: number; skipped: Skipped[]; unread: ReadonlyMap<string, number> }> {
  return withStaging(sql, onBegin, async (staging) => {
    const forgotten = await readForgottenPeople(sql)
    const filtered = filterForgotten(forgotten, staging)
    let position = 0
    async function add(kind: RecordKind, record: object): Promise<void> {
      await filtered.add(kind, position++, readFound(kind, record))
    }
    for (const user of people.users) await add('users', user)
    for (const [forge_rest_id, addresses] of people.addresses)
      await add('identities', { forge_rest_id, addresses })
    const completeUrls: string[] = []
    const skipped: Skipped[] = []
    const unread = new Map<string, number>()
    const readNext = readAhead(
      repositories,
      async ({ id, databaseId, url, defaultBranchRef, nameWithOwner }) => {
        const clone = histories.changed.get(id)
        if (clone === undefined || databaseId === null || defaultBranchRef === null) return undefined
        const read = () => readDependencyHistory(clone)
        return await clones
          .readOrRenew(databaseId, url, defaultBranchRef.name, read)
          .catch((error: unknown) => {
            if (!(error instanceof GitError)) throw error
            skipped.push({ name: nameWithOwner, reason: `without its history: ${explainSkip(error)}` })
          })
      },
    )
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
      addCounts(unread, history.unread)
      const { warnings } = history
      if (warnings.length > 0) {
        onNote(`${record.full_name}: skipped ${warnings.length} versions of manifests that did not parse`)
      }
      await stageHistory(filtered, clone, record, history, {
        nextPosition: () => position++,
        readRepository: (complete) => readFound('repos', complete),
      })
      const url = redactUrl(forgotten, record.url)
      if (url !== undefined) completeUrls.push(url)
    }
    await filtered.flush()
    const result = await applyImport(sql, staging.id, {
      changesKeptDays,
      forgotten,
      completeUrls,
      // Another command may have removed a user since their addresses were staged: these are left out.
      onOrphan: async () => {},
      onStep: (step) => onProgress(step, 0, undefined),
    })
    return { ...result, forgotten: filtered.leftOut, skipped, unread }
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

/** The forge's names obey the rules, so what doesn't is a fault of the forge, or of its version. Throws `ImportError`. */
function readFound(kind: RecordKind, record: object): StagedRow {
  return readCreatedRecord(kind, record, `The forge's description of one of ${kind} can't be loaded`)
}
