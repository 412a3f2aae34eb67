/** Loads what was found on the forge and in clones. */

import type { Sql } from '../../database/connect.ts'
import type { DatasetChangeResult, DatasetSettings } from '../../dataset/dataset-change.ts'
import { type LoadedHistory, noteLoadedHistories } from '../../dataset/loaded-histories.ts'
import type { LoadOrigin } from '../../dataset/loads.ts'
import { withoutForgottenPeople } from '../../people/filtered-load.ts'
import { redactUrl } from '../../people/forgotten-people.ts'
import type { LoadItem } from '../../staging/records.ts'
import { withStaging } from '../../staging/staging.ts'
import { GitError } from '../git/git-process.ts'
import {
  addHistoryCounts,
  type DependencyHistory,
  type HistoryCounts,
  readDependencyHistory,
} from '../git/history.ts'
import { stageHistory } from '../git/staged-history.ts'
import type { Forge } from './ask.ts'
import type { CloneFolder } from './clones.ts'
import type { FoundRepository } from './forge-repositories.ts'
import { explainError, type Histories, skipHistory, wholeHistory } from './histories.ts'
import { type Departures, noteRepositories } from './missing-repositories.ts'
import type { People } from './people.ts'
import type { Skipped } from './skipped.ts'

/** What an import loads. */
export interface Findings {
  repositories: readonly FoundRepository[]
  histories: Histories
  people: People
  departures: Pick<Departures, 'missing' | 'gone'>
}

/** How it is loaded. */
export interface LoadOptions {
  /** Says what the load is, once it is known what was skipped. */
  describeOrigin: (skipped: readonly Skipped[]) => LoadOrigin
  settings?: DatasetSettings | undefined
  onBegin?: ((importId: number) => void) | undefined
  onNote?: ((message: string) => void) | undefined
}

/** Stages and applies what was found, as one load: all of it or nothing. A history that git can't read is skipped. */
export function loadFindings(
  sql: Sql,
  { onProgress }: Forge,
  clones: CloneFolder,
  { describeOrigin, onBegin, onNote = () => {}, settings }: LoadOptions,
  { repositories, histories, people, departures }: Findings,
): Promise<DatasetChangeResult & { forgotten: number; skipped: Skipped[]; manifests: HistoryCounts }> {
  return withStaging(sql, { onBegin, settings }, async (staging) => {
    const { forgotten } = people
    const filtered = withoutForgottenPeople(forgotten, staging, people.found)
    let position = 0
    async function add(item: LoadItem): Promise<void> {
      await filtered.add(position++, item)
    }
    for (const { forgeRestId } of departures.gone) {
      await add({ kind: 'removals', record: { kind: 'repository', forge_rest_id: forgeRestId } })
    }
    for (const { forgeRestId } of people.replaced) {
      await add({ kind: 'removals', record: { kind: 'user', forge_rest_id: forgeRestId } })
    }
    for (const record of people.users) await add({ kind: 'users', record })
    for (const [forge_rest_id, addresses] of people.addresses)
      await add({ kind: 'identities', record: { forge_rest_id, addresses } })
    const completeUrls: string[] = []
    const loaded: LoadedHistory[] = []
    const skipped: Skipped[] = [...histories.skipped, ...people.skipped]
    let manifests = addHistoryCounts()
    const readNext = readAhead(repositories, (each) => readHistory(each, histories, clones, skipped))
    for (const [index, repository] of repositories.entries()) {
      onProgress('reading histories', index, repositories.length)
      const history = await readNext()
      const clone = histories.changed.get(repository.id)
      const { record } = repository
      if (clone === undefined || history === undefined) {
        await add({ kind: 'repos', record })
        continue
      }
      manifests = addHistoryCounts(manifests, history.manifests)
      const { warnings } = history
      if (warnings.length > 0) {
        onNote(`${record.full_name}: ${warnings.length} versions of manifests are skipped or incomplete`)
      }
      const staged = await stageHistory(filtered, clone, record, history, { nextPosition: () => position++ })
      const url = redactUrl(forgotten, record.url)
      if (url !== undefined) completeUrls.push(url)
      if (staged.isLeftOut) continue
      loaded.push({
        ...{ url: record.url, forgeRestId: record.forge_rest_id, branch: clone.branch, head: clone.head },
        canContinue: staged.canContinue,
        isRepeatable: true, // what takes too long isn't tried again every night
        continued: undefined,
      })
    }
    await filtered.flush()
    const result = await filtered.apply(sql, {
      origin: describeOrigin(skipped),
      settings,
      completeUrls,
      // Another command may have removed a user since their addresses were staged: these are left out.
      onOrphan: async () => {},
      async onApplied(tx) {
        const found = repositories.map(({ record }) => record.forge_rest_id)
        await noteRepositories(tx, found, departures.missing)
        await noteLoadedHistories(tx, loaded, wholeHistory)
      },
      onStep: (step) => onProgress(step, 0, undefined),
    })
    return { ...result, forgotten: filtered.leftOut, skipped, manifests }
  })
}

/** Reads a history that has changed. Returns undefined if it hasn't, or if git can't read it: then it is skipped. */
async function readHistory(
  { id, databaseId, url, defaultBranchRef, nameWithOwner }: FoundRepository,
  { changed }: Histories,
  clones: CloneFolder,
  skipped: Skipped[],
): Promise<DependencyHistory | undefined> {
  const clone = changed.get(id)
  if (clone === undefined || databaseId === null || defaultBranchRef === null) return undefined
  const read = () => readDependencyHistory(clone, { url })
  try {
    return await clones.readOrRenew(databaseId, url, defaultBranchRef.name, read)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    skipped.push(skipHistory(nameWithOwner, explainError(error)))
    return undefined
  }
}

/** Returns a function that reads the next item. While the caller works on it, the one after it is read, too. */
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
