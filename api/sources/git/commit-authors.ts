/** Users from commits: the forge's no-reply addresses name an account by its id. */
import { isLocalDocument } from '../../catalog/document-lookup.ts'
import type { Sql } from '../../database/connect.ts'
import { findAccount, identifyAddress, listIdentities, localPrefix } from '../../names/forge-names.ts'
import type { ForgottenPeople } from '../../people/forgotten-people.ts'
import type { UserRecord } from '../../staging/records.ts'
import type { Clone } from './clone.ts'
import { readCommitAuthors } from './commit-log.ts'

/** What the commits of clones say about their authors. */
export interface Authors {
  /** Of all authors. */
  identities: Set<string>
  /** Those that no-reply addresses name, by id. */
  accounts: Map<number, Account>
}

/** An account. `login` and `name` are those of its newest commit. */
interface Account {
  login: string
  name: string
  /** Unix seconds of its first and last commit. */
  first: number
  last: number
}

/** Adds the authors of a clone. Forgotten people are not among them. `hostname` is that of the forge. */
export async function addAuthors(
  { identities, accounts }: Authors,
  clone: Clone,
  { hostname, forgotten }: { hostname: string; forgotten: ForgottenPeople },
): Promise<void> {
  for await (const { address, name, date } of readCommitAuthors(clone)) {
    const identity = identifyAddress(address)
    if (identity === null || listIdentities(address).some((each) => forgotten.find(each) !== undefined))
      continue
    identities.add(identity)
    const named = findAccount(address, hostname)
    if (named === undefined || date === null) continue
    const found = { login: named.login, name, first: date, last: date }
    accounts.set(named.id, mergeAccounts(accounts.get(named.id), found))
  }
}

function mergeAccounts(a: Account | undefined, b: Account): Account {
  if (a === undefined) return b
  const { login, name } = b.last > a.last ? b : a
  return { login, name, first: Math.min(a.first, b.first), last: Math.max(a.last, b.last) }
}

/**
 * Creates the users, in the order of their ids. A user whom an earlier load created from commits keeps the earliest and
 * the latest date.
 */
export async function createUsers(sql: Sql, { accounts }: Authors): Promise<UserRecord[]> {
  const known = await sql<{ document: string }[]>`
    select document from users
    where forge_rest_id = any (${sql.typed.bigints([...accounts.keys()])})
      and ${isLocalDocument(sql, sql`document`)}`
  const before = new Map(known.map(({ document }) => readAccount(JSON.parse(document))))
  return [...accounts]
    .sort(([a], [b]) => a - b)
    .map(([id, account]) => createUser(id, mergeAccounts(before.get(id), account)))
}

function readAccount({ forge_rest_id, login, name, created_at, updated_at }: UserRecord): [number, Account] {
  const [first, last] = [created_at, updated_at].map((time) => Date.parse(time) / 1000)
  return [forge_rest_id, { login, name: name ?? '', first: first ?? 0, last: last ?? 0 }]
}

/** What commits don't say is null, or the default of every importer. */
function createUser(id: number, { login, name, first, last }: Account): UserRecord {
  return {
    forge_rest_id: id,
    forge_graphql_id: `${localPrefix}${id}`,
    login,
    name: name === '' ? null : name,
    email: null,
    avatar_url: null,
    company: null,
    location: null,
    bio: null,
    followers: 0,
    following: 0,
    type: /\[bot\]$/i.test(login) ? 'Bot' : 'User',
    created_at: formatTime(first),
    updated_at: formatTime(last),
  }
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

/** Counts the authors who aren't users of the dataset. */
export async function countUnknown(sql: Sql, { identities }: Authors): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from unnest(${sql.typed.texts([...identities])}) as a(identity)
    where not exists (select from identities i where i.identity = a.identity collate "C")`
  return row?.count ?? 0
}
