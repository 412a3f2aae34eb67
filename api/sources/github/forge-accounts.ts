/** Asks the forge for people: which accounts the authors of commits are, and the profiles of accounts. */

import { identifyAddress } from '../../names/forge-names.ts'
import type { UserRecord } from '../../staging/records.ts'
import { askInBatches, type Forge } from './ask.ts'
import { mapAccount } from './forge-records.ts'
import {
  type AuthorAccount,
  type AuthoredCommit,
  authorsOfCommit,
  forgeAccount,
  maxItems,
  queryAccounts,
  queryAuthors,
} from './queries.ts'
import { readItem } from './reply-items.ts'
import type { Skipped } from './skipped.ts'

/**
 * Asks for the authors and co-authors of commits. `commits` has one commit for each identity, because the account
 * depends on the address alone. Returns the accounts by identity. An identity that no account has is not among them.
 */
export async function findAuthors(
  forge: Forge,
  commits: ReadonlyMap<string, AuthoredCommit>,
): Promise<{ accounts: Map<string, AuthorAccount>; skipped: Skipped[] }> {
  const accounts = new Map<string, AuthorAccount>()
  const skipped: Skipped[] = []
  function skip({ hash }: AuthoredCommit, reason: string): void {
    skipped.push({ name: `the author of commit ${hash}`, reason })
  }
  await askInBatches(forge, [...commits], {
    size: maxItems,
    createQuery: (batch) => queryAuthors(batch.map(([, commit]) => commit)),
    read([identity, commit], index, reply) {
      const found = readItem(reply, [`c${index}`, 'object'], authorsOfCommit, 'the commit was not found')
      if (found.outcome !== 'given') return skip(commit, found.reason)
      const { author, authors } = found.item
      const named = authors?.nodes.find((each) => identifyAddress(each?.email ?? '') === identity) ?? author
      if (named?.user != null) accounts.set(identity, named.user)
    },
    giveUp: ([, commit], reason) => skip(commit, reason),
    onProgress: (done) => forge.onProgress('asking for authors', done, commits.size),
  })
  return { accounts, skipped }
}

/** Profiles of accounts, by their GraphQL ids. */
export interface Profiles {
  users: Map<string, UserRecord>
  /** Accounts that the forge doesn't have any more. They are among `skipped`, too. */
  deleted: Set<string>
  skipped: Skipped[]
}

/** Asks for the profiles of accounts. `logins` has their logins by their GraphQL ids. */
export async function findAccounts(forge: Forge, logins: ReadonlyMap<string, string>): Promise<Profiles> {
  const users = new Map<string, UserRecord>()
  const deleted = new Set<string>()
  const skipped: Skipped[] = []
  await askInBatches(forge, [...logins], {
    size: maxItems,
    createQuery: (batch) => queryAccounts(batch.map(([id]) => id)),
    read([id, login], index, reply) {
      const found = readItem(reply, ['nodes', index], forgeAccount, 'not found: the account was deleted')
      const mapped = found.outcome === 'given' ? mapAccount(found.item) : found
      if (mapped.outcome === 'not_found') deleted.add(id)
      if (mapped.outcome === 'mapped') users.set(id, mapped.record)
      else skipped.push({ name: login, reason: mapped.reason })
    },
    giveUp: ([, login], reason) => skipped.push({ name: login, reason }),
    onProgress: (done) => forge.onProgress('asking for profiles', done, logins.size),
  })
  return { users, deleted, skipped }
}
