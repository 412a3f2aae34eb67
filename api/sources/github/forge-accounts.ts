/**
 * Asks the forge for people: which accounts the authors of commits are, and the profiles of accounts.
 *
 * @module
 */
import type { UserRecord } from '../../dataset/records.ts'
import { askInBatches, type Forge } from './ask.ts'
import { mapAccount } from './forge-records.ts'
import type { Skipped } from './forge-repositories.ts'
import {
  type AuthoredCommit,
  type CommitAuthors,
  type ForgeAccount,
  maxItems,
  type Nodes,
  queryAccounts,
  queryAuthors,
} from './queries.ts'

/** An account that an author is. */
export interface AuthorAccount {
  id: string
  databaseId: number | null
  login: string
}

/**
 * Asks for the authors of commits. `commits` has one commit for each address, because the account depends on the address
 * alone.
 * Returns the accounts by address. An address that no account has is not among them.
 */
export async function findAuthors(
  forge: Forge,
  commits: ReadonlyMap<string, AuthoredCommit>,
): Promise<{ accounts: Map<string, AuthorAccount>; skipped: Skipped[] }> {
  const accounts = new Map<string, AuthorAccount>()
  const skipped: Skipped[] = []
  await askInBatches<[string, AuthoredCommit], CommitAuthors>(forge, [...commits], {
    size: maxItems,
    createQuery: (batch) => queryAuthors(batch.map(([, commit]) => commit)),
    read([address], index, { data }) {
      const user = data[`c${index}`]?.object?.author?.user
      if (user != null) accounts.set(address, user)
    },
    giveUp: ([, { hash }], reason) => skipped.push({ name: `the author of commit ${hash}`, reason }),
    onProgress: (done) => forge.onProgress('asking for authors', done, commits.size),
  })
  return { accounts, skipped }
}

/**
 * Asks for the profiles of accounts. `logins` has their logins by their GraphQL ids. Accounts that were deleted are among
 * `skipped`.
 */
export async function findAccounts(
  forge: Forge,
  logins: ReadonlyMap<string, string>,
): Promise<{ users: Map<string, UserRecord>; skipped: Skipped[] }> {
  const users = new Map<string, UserRecord>()
  const skipped: Skipped[] = []
  await askInBatches<[string, string], Nodes<ForgeAccount>>(forge, [...logins], {
    size: maxItems,
    createQuery: (batch) => queryAccounts(batch.map(([id]) => id)),
    read([id, login], index, { data }) {
      const node = data.nodes[index] ?? null
      if (node === null || !('login' in node)) {
        skipped.push({ name: login, reason: 'not found: the account was deleted' })
        return
      }
      const mapped = mapAccount(node as ForgeAccount)
      if (mapped.outcome === 'mapped') users.set(id, mapped.record)
      else skipped.push({ name: login, reason: mapped.reason })
    },
    giveUp: ([, login], reason) => skipped.push({ name: login, reason }),
    onProgress: (done) => forge.onProgress('asking for profiles', done, logins.size),
  })
  return { users, skipped }
}
