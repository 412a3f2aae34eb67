/**
 * Loads without forgotten people. What a load shows of them that wasn't known is forgotten with the load, in its
 * transaction: users who turn out to be one of them, and their other addresses.
 */
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { type ApplyOptions, applyImport } from '../dataset/apply-load.ts'
import type { DatasetChangeResult } from '../dataset/dataset-change.ts'
import { identifyForgeId, identifyLogin, isAccount, isLocal, isLogin } from '../names/forge-names.ts'
import { findRepositoryHost } from '../names/repository-url.ts'
import type { LoadItem } from '../staging/records.ts'
import { identifyAddresses, identifyUser } from '../staging/staged-rows.ts'
import type { DroppedRows, Staging } from '../staging/staging.ts'
import type { IsForgotten } from './address-redaction.ts'
import { type Forgetting, forgetPeople, redactLaterEntries } from './forget.ts'
import { type ForgottenPeople, type ForgottenPerson, redactUrl } from './forgotten-people.ts'
import { placeholderOf, redactCommit, redactRepository } from './redaction.ts'

/** Identities that turned out to be those of forgotten people. */
export type FoundIdentities = ReadonlyMap<string, ForgottenPerson>

/** A load without forgotten people. */
export interface FilteredStaging {
  /** Stages a record as `Staging` does, unless it is about forgotten people. */
  add(position: number, item: LoadItem): Promise<'staged' | 'left out'>
  /** Flushes as `Staging` does, without users who were left out because of another of their records. */
  flush(): Promise<Pick<DroppedRows, 'contradicted'>>
  /**
   * Applies the load as `applyImport` does, and forgets what turned out to be of forgotten people. Throws `ImportError`
   * when other people are forgotten now than when they were read.
   */
  apply(sql: Sql, options: Omit<ApplyOptions, 'finish'>): Promise<DatasetChangeResult>
  /** Records that were left out so far. */
  readonly leftOut: number
}

/**
 * Stages records without forgotten people. Leaves out users with one of their identities, and repositories that they
 * own, with their commits. If their repositories stay, gives these another owner. Redacts other commits that name them.
 * `before` are identities that turned out before the load.
 */
export function withoutForgottenPeople(
  people: ForgottenPeople,
  staging: Pick<Staging, 'id' | 'add' | 'flush'>,
  before: FoundIdentities = new Map(),
): FilteredStaging {
  let leftOut = 0
  /**
   * By `forge_rest_id`, with the person, if a record shows who it is. The record of further addresses may name somebody
   * whose own record doesn't, or vice versa.
   */
  const leftOutUsers = new Map<number, ForgottenPerson | undefined>()
  const found = new Map(before)
  const find = (identity: string) => found.get(identity) ?? people.find(identity)
  function addIdentities(person: ForgottenPerson | undefined, identities: readonly string[]): void {
    if (person === undefined) return
    for (const identity of identities) if (find(identity) === undefined) found.set(identity, person)
  }
  return {
    get leftOut() {
      return leftOut
    },
    async add(position, item) {
      const filtered = people.isEmpty ? item : redactItem(find, item)
      if (filtered !== 'left out') {
        await staging.add(position, filtered)
        return 'staged'
      }
      if (item.kind === 'users' || item.kind === 'identities') {
        const { forge_rest_id: id } = item.record
        const person = findPerson(find, item)
        leftOutUsers.set(id, person ?? leftOutUsers.get(id))
        addIdentities(person, listIdentitiesOf(item))
      }
      leftOut++
      return 'left out'
    },
    async flush() {
      const dropped = await staging.flush(leftOutUsers.keys())
      leftOut += dropped.leftOut.length
      for (const row of dropped.leftOut) {
        if (!row.isLocal) addIdentities(leftOutUsers.get(row.forgeRestId), row.identities)
      }
      return dropped
    },
    async apply(sql, options) {
      let logins: string[] = []
      const result = await applyImport(sql, staging.id, {
        ...options,
        async assertValid(tx) {
          await people.assertSame(tx)
          await options.assertValid?.(tx)
        },
        async finish(change) {
          const forgettings = await describeForgettings(change.tx, found)
          if (forgettings.length > 0) logins = (await forgetPeople(change, forgettings)).logins
        },
      })
      if (logins.length > 0) await redactLaterEntries(sql, logins)
      return result
    },
  }
}

type Find = ForgottenPeople['find']

/** Takes forgotten people out of a record, unless the whole record is left out. */
function redactItem(find: Find, item: LoadItem): LoadItem | 'left out' {
  const isForgotten: IsForgotten = (identity) => find(identity) !== undefined
  switch (item.kind) {
    case 'users':
    case 'identities':
      return listIdentitiesOf(item).some(isForgotten) ? 'left out' : item
    case 'repos': {
      const owner = find(identifyLogin(item.record.owner_login))
      if (owner === undefined) return item
      if (!owner.keepsRepositories) return 'left out'
      return { ...item, record: redactRepository(item.record, placeholderOf(owner.id), isForgotten) }
    }
    case 'commits': {
      const repo_url = redactUrl({ find }, item.record.repo_url)
      if (repo_url === undefined) return 'left out'
      const host = findRepositoryHost(repo_url)
      return { ...item, record: { ...redactCommit(item.record, host, isForgotten), repo_url } }
    }
    case 'removals':
      return item
  }
}

/** Lists the identities that a record of a user shows. */
function listIdentitiesOf(item: LoadItem<'users' | 'identities'>): string[] {
  if (item.kind === 'users') return identifyUser(item.record)
  return [identifyForgeId(item.record.forge_rest_id), ...identifyAddresses(item.record).keys()]
}

/**
 * Finds the forgotten person whom a record shows. A login alone doesn't show that the user is the person, because logins
 * change hands. Nor does an address that names another account, or a user whom commits describe, because anybody can
 * write a commit with any address.
 */
function findPerson(find: Find, item: LoadItem<'users' | 'identities'>): ForgottenPerson | undefined {
  if (item.kind === 'users' && isLocal(item.record)) return undefined
  const ownId = identifyForgeId(item.record.forge_rest_id)
  return listIdentitiesOf(item)
    .filter((identity) => identity === ownId || !isAccount(identity))
    .map(find)
    .find((found) => found !== undefined)
}

/** Says whom to forget. A login that somebody else has after the load isn't the person's. */
async function describeForgettings(tx: SqlOrTransaction, found: FoundIdentities): Promise<Forgetting[]> {
  if (found.size === 0) return []
  const identities = [...found.keys()]
  const rows = await tx<{ identity: string }[]>`
    select distinct i.identity from identities i
    where identity = any (${tx.typed.texts(identities.filter(isLogin))}) and not exists (
      select from identities own
      where own.user_id = i.user_id
        and own.identity = any (${tx.typed.texts(identities.filter((identity) => !isLogin(identity)))})
    )`
  const ofOthers = new Set(rows.map(({ identity }) => identity))
  const own = [...found].filter(([identity]) => !ofOthers.has(identity))
  return [...Map.groupBy(own, ([, { id }]) => id)].map(([person, entries]) => ({
    person,
    identities: entries.map(([identity]) => identity),
    keepRepositories: entries.every(([, { keepsRepositories }]) => keepsRepositories),
  }))
}
