/**
 * The people of repositories: who owns them, and who made the new commits.
 *
 * @module
 */
import { identifyAddress, identifyForgeId } from '../../catalog/forge-names.ts'
import type { Sql } from '../../database/connect.ts'
import {
  blockIdentities,
  type ForgottenPeople,
  type ForgottenPerson,
  readForgottenPeople,
} from '../forgotten.ts'
import { maxAddresses, type UserRecord } from '../records.ts'
import { type AuthorAccount, findAccounts, findAuthors } from './accounts.ts'
import { batchesOf, type Forge } from './ask.ts'
import type { Histories } from './histories.ts'
import {
  type KnownItem,
  readFurtherAddresses,
  readKnownIdentities,
  readKnownUsers,
  readPresentUsers,
} from './known.ts'
import type { ForgeRepository } from './queries.ts'
import type { Skipped } from './repositories.ts'

/** Who owns repositories, and who committed. */
export interface People {
  users: UserRecord[]
  /** All further addresses of users who have a new one, by `forge_rest_id`. */
  addresses: Map<number, string[]>
  authors: { found: number; unknown: number }
  skipped: Skipped[]
}

/**
 * Finds out who owns the repositories and who committed, and asks for profiles of those that aren't known, and again for
 * those of `users`.
 */
export async function findPeople(
  sql: Sql,
  forge: Forge,
  {
    repositories,
    histories,
    users: again,
  }: { repositories: readonly ForgeRepository[]; histories: Histories; users: readonly KnownItem[] },
): Promise<People> {
  const { authors } = histories
  const knownIdentities = new Set<string>()
  for (const batch of batchesOf([...authors.keys()], 10_000)) {
    for (const identity of await readKnownIdentities(sql, batch)) knownIdentities.add(identity)
  }
  const unknown = [...authors].filter(([identity]) => !knownIdentities.has(identity))
  const { accounts, skipped } = await findAuthors(
    forge,
    new Map(unknown.map(([identity, { commit }]) => [identity, commit])),
  )

  const forgotten = await readForgottenPeople(sql)
  await blockAddresses(sql, forgotten, accounts)

  const knownIds = new Set((await readKnownUsers(sql)).map(({ id }) => id))
  const logins = new Map(again.map(({ id, name }) => [id, name]))
  for (const { owner } of repositories) if (!knownIds.has(owner.id)) logins.set(owner.id, owner.login)
  const present = await readPresentUsers(
    sql,
    [...accounts.values()].flatMap(({ databaseId }) => databaseId ?? []),
  )
  for (const { id, databaseId, login } of accounts.values()) {
    const isKnown = databaseId !== null && present.has(databaseId)
    if (!isKnown && findForgotten(forgotten, databaseId) === undefined) logins.set(id, login)
  }
  const profiles = await findAccounts(forge, logins)
  const addresses = await gatherAddresses(sql, unknown, accounts, profiles.users, present)
  return {
    users: [...profiles.users.values()],
    addresses,
    authors: { found: authors.size, unknown: unknown.length - accounts.size },
    skipped: [...skipped, ...profiles.skipped],
  }
}

function findForgotten({ find }: ForgottenPeople, databaseId: number | null): ForgottenPerson | undefined {
  return databaseId === null ? undefined : find(identifyForgeId(databaseId))
}

/** Commits under other addresses of forgotten people are theirs too: this load redacts them, and so do later ones. */
async function blockAddresses(
  sql: Sql,
  forgotten: ForgottenPeople,
  accounts: ReadonlyMap<string, AuthorAccount>,
): Promise<void> {
  for (const [identity, { databaseId }] of accounts) {
    const person = findForgotten(forgotten, databaseId)
    if (person !== undefined) await blockIdentities(sql, person.id, [identity])
  }
}

/** Adds the addresses of commits to those that their users have. */
async function gatherAddresses(
  sql: Sql,
  unknown: readonly (readonly [string, { address: string }])[],
  accounts: ReadonlyMap<string, AuthorAccount>,
  users: ReadonlyMap<string, UserRecord>,
  present: ReadonlySet<number>,
): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  for (const [identity, { address }] of unknown) {
    const account = accounts.get(identity)
    if (account === undefined) continue
    const user = users.get(account.id)
    const id = user?.forge_rest_id ?? account.databaseId
    if (id === null || (user === undefined && !present.has(id))) continue
    const own = [identifyForgeId(id), identifyAddress(user?.email ?? '')]
    if (!own.includes(identity)) found.set(id, [...(found.get(id) ?? []), address])
  }
  const before = await readFurtherAddresses(sql, [...found.keys()])
  return new Map(
    [...found].map(([id, added]) => [id, [...(before.get(id) ?? []), ...added].slice(0, maxAddresses)]),
  )
}
