/** The people of repositories: who owns them, and who made the new commits. */

import { batchesOf } from '../../concurrency/batches.ts'
import type { Sql } from '../../database/connect.ts'
import { identifyAddress, identifyForgeId, identifyLogin } from '../../names/forge-names.ts'
import type { FoundIdentities } from '../../people/filtered-load.ts'
import {
  type ForgottenPeople,
  type ForgottenPerson,
  readForgottenPeople,
} from '../../people/forgotten-people.ts'
import { maxAddresses, type UserRecord } from '../../staging/records.ts'
import { identifyUser } from '../../staging/staged-rows.ts'
import type { Forge } from './ask.ts'
import { findAccounts, findAuthors, type Profiles } from './forge-accounts.ts'
import type { Histories } from './histories.ts'
import {
  type KnownItem,
  type KnownUser,
  readFurtherAddresses,
  readIdentities,
  readKnownIdentities,
  readPresentUsers,
} from './known.ts'
import type { AuthorAccount, ForgeRepository } from './queries.ts'
import type { Skipped } from './skipped.ts'

/** Who owns repositories, and who committed. */
export interface People {
  users: UserRecord[]
  /** All further addresses of users who have a new one, by `forge_rest_id`. */
  addresses: Map<number, string[]>
  authors: { found: number; unknown: number }
  /** Who was forgotten, and which further identities the forge has of them. The load forgets these. */
  forgotten: ForgottenPeople
  found: FoundIdentities
  /** Users whose accounts were deleted, and whose login or address another account has now. The load removes them. */
  replaced: KnownItem[]
  skipped: Skipped[]
}

/** The users of the dataset that were asked for again. */
export interface KnownPeople {
  profiles: Pick<Profiles, 'users' | 'skipped'>
  /** Those whose accounts were deleted. */
  deleted: readonly KnownItem[]
}

/**
 * Asks for known users again. One whom the forge doesn't have any more may be of another forge: the host of the avatar
 * shows it.
 */
export async function findKnownPeople(forge: Forge, users: readonly KnownUser[]): Promise<KnownPeople> {
  const profiles = await findAccounts(forge, new Map(users.map(({ id, name }) => [id, name])))
  const hosts = new Set([...profiles.users.values()].flatMap(({ avatar_url }) => findHost(avatar_url)))
  const deleted = users.filter(
    ({ id, avatarUrl }) => profiles.deleted.has(id) && findHost(avatarUrl).some((host) => hosts.has(host)),
  )
  return { profiles, deleted }
}

function findHost(url: string | null): string[] {
  const host = url === null ? undefined : URL.parse(url)?.host
  return host === undefined ? [] : [host]
}

/** Finds out who owns the repositories and who committed. Requests the profiles of accounts that aren't known. */
export async function findPeople(
  sql: Sql,
  forge: Forge,
  {
    repositories,
    histories,
    known: { profiles: known, deleted },
    removable,
  }: {
    repositories: readonly ForgeRepository[]
    histories: Histories
    known: KnownPeople
    /** Counts down how many users may be removed: a forge in trouble must not empty the dataset. */
    removable: { users: number }
  },
): Promise<People> {
  const { authors } = histories
  const knownIdentities = new Set<string>()
  for (const batch of batchesOf([...authors.keys()], 10_000)) {
    const ofKnown = await readKnownIdentities(
      sql,
      batch,
      deleted.map(({ forgeRestId }) => forgeRestId),
    )
    for (const identity of ofKnown) knownIdentities.add(identity)
  }
  const unknown = [...authors].filter(([identity]) => !knownIdentities.has(identity))
  const { accounts, skipped } = await findAuthors(
    forge,
    new Map(unknown.map(([identity, { commit }]) => [identity, commit])),
  )

  const forgotten = await readForgottenPeople(sql)
  const people = [
    ...new Map(repositories.map(({ owner }) => [owner.id, owner])).values(),
    ...accounts.values(),
  ]
  const logins = new Map<string, string>()
  const present = await readPresentUsers(
    sql,
    people.flatMap(({ databaseId }) => databaseId ?? []),
  )
  for (const account of people) {
    const { id, databaseId, login } = account
    // Under another login a known one is asked for again: repositories name their owner by it.
    const isKnown = known.users.has(id) || (databaseId !== null && present.get(databaseId)?.login === login)
    if (!isKnown && findForgotten(forgotten, account) === undefined) logins.set(id, login)
  }
  const profiles = await findAccounts(forge, logins)
  const users = new Map([...known.users, ...profiles.users])
  const addresses = await gatherAddresses(sql, unknown, accounts, users)
  const found = await findReplaced(sql, deleted, [
    ...[...users.values()].flatMap(identifyUser),
    ...[...addresses.values()].flat().flatMap((address) => identifyAddress(address) ?? []),
  ])
  const replaced = found.length > removable.users ? [] : found
  removable.users -= replaced.length
  return {
    users: [...users.values()],
    addresses,
    authors: { found: authors.size, unknown: unknown.length - accounts.size },
    forgotten,
    found: findIdentities(forgotten, people, accounts),
    replaced,
    skipped: [
      ...skipped,
      ...known.skipped.filter(({ name }) => replaced.every((each) => each.name !== name)),
      ...profiles.skipped,
      ...replaced.map(({ name }) => ({ name, reason: replacedReason })),
    ],
  }
}

const replacedReason = 'removed: the account was deleted, and another one has its login or an address'

/** Finds the users who have one of the identities, which are those of others. */
async function findReplaced(
  sql: Sql,
  deleted: readonly KnownItem[],
  identities: readonly string[],
): Promise<KnownItem[]> {
  if (deleted.length === 0) return []
  const taken = new Set(identities)
  const own = await readIdentities(
    sql,
    deleted.map(({ forgeRestId }) => forgeRestId),
  )
  const ids = new Set(own.filter(({ identity }) => taken.has(identity)).map(({ forgeRestId }) => forgeRestId))
  return deleted.filter(({ forgeRestId }) => ids.has(forgeRestId))
}

/**
 * Finds the forgotten person with the account's id, or else with its login, if no id of theirs is known: logins change
 * hands.
 */
function findForgotten(
  { find }: ForgottenPeople,
  { databaseId, login }: Pick<AuthorAccount, 'databaseId' | 'login'>,
): ForgottenPerson | undefined {
  const byLogin = find(identifyLogin(login))
  if (databaseId === null) return byLogin
  return find(identifyForgeId(databaseId)) ?? (byLogin?.isKnownById ? undefined : byLogin)
}

/** Lists the identities of an account. */
function identify({ databaseId, login }: Pick<AuthorAccount, 'databaseId' | 'login'>): string[] {
  return [...(databaseId === null ? [] : [identifyForgeId(databaseId)]), identifyLogin(login)]
}

/**
 * Finds identities of forgotten people that weren't known: both id and login, so that loads recognize them and their
 * repositories after a rename, and the addresses under which they commit.
 */
function findIdentities(
  forgotten: ForgottenPeople,
  people: readonly Pick<AuthorAccount, 'databaseId' | 'login'>[],
  accounts: ReadonlyMap<string, AuthorAccount>,
): FoundIdentities {
  const shown = [
    ...people.flatMap((account) => identify(account).map((identity) => ({ account, identity }))),
    ...[...accounts].map(([identity, account]) => ({ account, identity })),
  ]
  const found = new Map<string, ForgottenPerson>()
  for (const { account, identity } of forgotten.isEmpty ? [] : shown) {
    const person = findForgotten(forgotten, account)
    if (person !== undefined && forgotten.find(identity) === undefined) found.set(identity, person)
  }
  return found
}

/**
 * Adds the addresses of commits to the addresses of their users. Also keeps addresses that profiles no longer have,
 * because commits are linked by them.
 */
async function gatherAddresses(
  sql: Sql,
  unknown: readonly (readonly [string, { address: string }])[],
  accounts: ReadonlyMap<string, AuthorAccount>,
  users: ReadonlyMap<string, UserRecord>,
): Promise<Map<number, string[]>> {
  const profiles = [...users.values()]
  const ids = [
    ...profiles.map(({ forge_rest_id: id }) => id),
    ...[...accounts.values()].flatMap(({ databaseId }) => databaseId ?? []),
  ]
  const present = await readPresentUsers(sql, ids)
  const found = new Map<number, string[]>()
  function add(id: number, address: string): void {
    found.set(id, [...(found.get(id) ?? []), address])
  }
  for (const { forge_rest_id: id, email } of profiles) {
    const before = present.get(id)?.email ?? ''
    const identity = identifyAddress(before)
    if (identity !== null && identity !== identifyAddress(email ?? '')) add(id, before)
  }
  for (const [identity, { address }] of unknown) {
    const account = accounts.get(identity)
    const id = account && (users.get(account.id)?.forge_rest_id ?? account.databaseId)
    if (account === undefined || id == null || !(users.has(account.id) || present.has(id))) continue
    if (identity !== identifyForgeId(id)) add(id, address)
  }
  const before = await readFurtherAddresses(sql, [...found.keys()])
  return new Map(
    [...found].map(([id, added]) => [id, [...(before.get(id) ?? []), ...added].slice(0, maxAddresses)]),
  )
}
