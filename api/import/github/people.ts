/**
 * Asks the forge for people: which accounts the authors of commits are, and the profiles of accounts.
 *
 * @module
 */
import type { UserRecord } from '../records.ts'
import { mapAccount } from './mapping.ts'
import {
  type AuthoredCommit,
  type CommitAuthors,
  type ForgeAccount,
  maxItems,
  type Nodes,
  queryAccounts,
  queryAuthors,
} from './queries.ts'
import { ask, batchesOf, type Forge, inParallel } from './repositories.ts'

/** An account that an author is. */
export interface AuthorAccount {
  id: string
  databaseId: number | null
}

/**
 * Asks whose the commits are. `commits` has one for each address, since the account depends on the address alone.
 * Returns the accounts by address. An address that no account has is not among them.
 */
export async function findAuthors(
  forge: Forge,
  commits: ReadonlyMap<string, AuthoredCommit>,
): Promise<Map<string, AuthorAccount>> {
  const accounts = new Map<string, AuthorAccount>()
  let done = 0
  await inParallel(batchesOf([...commits], maxItems), forge.concurrency, async (batch) => {
    const query = queryAuthors(batch.map(([, commit]) => commit))
    const { data } = await ask<CommitAuthors>(forge, query)
    for (const [index, [address]] of batch.entries()) {
      const user = data[`c${index}`]?.object?.author?.user
      if (user != null) accounts.set(address, user)
    }
    done += batch.length
    forge.onProgress('asking for authors', done, commits.size)
  })
  return accounts
}

/** Asks for the profiles of accounts, by their GraphQL ids. Accounts that were deleted are not among them. */
export async function findAccounts(forge: Forge, ids: readonly string[]): Promise<Map<string, UserRecord>> {
  const users = new Map<string, UserRecord>()
  let done = 0
  await inParallel(batchesOf(ids, maxItems), forge.concurrency, async (batch) => {
    const { data } = await ask<Nodes<ForgeAccount>>(forge, queryAccounts(batch))
    for (const [index, id] of batch.entries()) {
      const node = data.nodes[index] ?? null
      const user = node !== null && 'login' in node ? mapAccount(node as ForgeAccount) : undefined
      if (user !== undefined) users.set(id, user)
    }
    done += batch.length
    forge.onProgress('asking for profiles', done, ids.length)
  })
  return users
}
