/**
 * Deletion lists: addresses of people who must be forgotten, or the hashes of their addresses, as regulators publish them
 * (California's DROP: the Base64 of the SHA-256 of the trimmed address in lowercase).
 *
 * @module
 */
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { copyRows } from '../database/copy.ts'
import {
  changeDataset,
  type DatasetChangeOptions,
  type DatasetChangeResult,
} from '../dataset/dataset-change.ts'
import { dropDeadLoads } from '../dataset/staging.ts'
import { OperatorError } from '../errors.ts'
import { identifyAddress } from '../names/forge-names.ts'
import { type Forgetting, forgetPeople, redactLaterEntries } from './forget.ts'
import {
  blockIdentities,
  findForgottenPeople,
  hashPrefix,
  identifyHash,
  listForms,
} from './forgotten-people.ts'
import { includedIn, type NotedCommits, noteCommitsNaming, selectIdentities } from './person-search.ts'

/** An entry of a list. */
export interface ListEntry {
  /** From 1. */
  line: number
  /** As the list has it. */
  text: string
  /** The identity of the hash. A no-reply address of the forge has that of the account. */
  identity: string
}

/** What became of an entry: the dataset had it, and it was forgotten; nothing has it; or the person was forgotten before. */
export type EntryResult = 'found' | 'not found' | 'already forgotten'

/** Identities that aren't hashed again. */
const maxRemembered = 100_000
/** Lines of a list that a message names. */
const maxNamed = 5

/**
 * Reads a list, with an address or a hash in each line. Empty lines and those that begin with `#` don't count. Throws
 * `OperatorError` with the lines that are neither. It doesn't repeat them, because they may be personal data.
 */
export function parseDeletionList(text: string): ListEntry[] {
  const lines = text
    .split(/\r?\n/)
    .map((each, index) => ({ line: index + 1, text: each.replace(/^\uFEFF/, '').trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
  const entries = lines.map((each) => ({ ...each, identity: identifyEntry(each.text) }))
  const wrong = entries.filter(({ identity }) => identity === undefined).map(({ line }) => line)
  if (wrong.length > 0) {
    const named = wrong.slice(0, maxNamed).join(', ')
    throw new OperatorError(
      `${wrong.length === 1 ? 'Line' : 'Lines'} ${named}${wrong.length > maxNamed ? ` and ${wrong.length - maxNamed} more` : ''}: ` +
        'each must be an email address, or the SHA-256 of one in hexadecimal digits or Base64. Nobody was forgotten',
    )
  }
  if (entries.length === 0) throw new OperatorError('The list has no entry. Nobody was forgotten')
  return entries.flatMap(({ identity, ...entry }) => (identity === undefined ? [] : [{ ...entry, identity }]))
}

function identifyEntry(text: string): string | undefined {
  if (text.includes('@')) {
    // Not a row of a table: it would be taken for one address that nobody has.
    const identity = /[\s,;"<>]/.test(text) ? null : identifyAddress(text)
    return identity === null ? undefined : (identifyHash(identity) ?? identity)
  }
  if (/^[0-9a-f]{64}$/i.test(text)) return hashPrefix + text.toLowerCase()
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined
  return hashPrefix + Buffer.from(text, 'base64').toString('hex')
}

/** What an import of a list did. */
export interface ListImportResult extends DatasetChangeResult {
  /** Of each entry, in their order. */
  results: EntryResult[]
  ledgerEntries: number
}

/**
 * Forgets everybody whom a list names, in one transaction, and keeps the other entries: later loads leave out whoever has
 * one of these addresses.
 */
export async function importDeletionList(
  sql: Sql,
  {
    entries,
    keepRepositories,
    ...options
  }: DatasetChangeOptions & { entries: readonly ListEntry[]; keepRepositories: boolean },
): Promise<ListImportResult> {
  await dropDeadLoads(sql) // their tables may have rows of people of the list
  let logins: string[] = []
  let ledgerEntries = 0
  let results: EntryResult[] = []
  const result = await changeDataset(sql, options, async (change) => {
    const { tx } = change
    const before = await findForgottenPeople(
      tx,
      entries.map(({ identity }) => identity),
    )
    const others = new Set(
      entries.flatMap(({ identity }) => (before.get(identity)?.isListedOnly === false ? [] : identity)),
    )
    const { found, namingCommits } = await findEntries(tx, others)
    const forgettings = [...found].map(([entry, identities]): Forgetting => {
      return { identities: [...identities], keepRepositories, person: before.get(entry)?.id }
    })
    const forgotten =
      forgettings.length === 0 ? undefined : await forgetPeople(change, forgettings, namingCommits)
    logins = forgotten?.logins ?? []
    ledgerEntries = forgotten?.ledgerEntries ?? 0
    await keepEntries(
      tx,
      [...others].filter((identity) => !before.has(identity) && !found.has(identity)),
      keepRepositories,
    )
    results = entries.map(({ identity }) =>
      found.has(identity) ? 'found' : others.has(identity) ? 'not found' : 'already forgotten',
    )
    return forgotten?.rows ?? {}
  })
  ledgerEntries += await redactLaterEntries(sql, logins)
  return { ...result, results, ledgerEntries }
}

/** Entries that the dataset has. */
interface FoundEntries {
  /** By entry, the identities in the dataset that match it. */
  found: Map<string, Set<string>>
  /** Commits that name these people, by any of their identities. */
  namingCommits: NotedCommits | undefined
}

/**
 * Finds which entries the dataset has. It reads all commits, because their committers and the addresses in their messages count,
 * too.
 */
async function findEntries(tx: SqlOrTransaction, entries: ReadonlySet<string>): Promise<FoundEntries> {
  const found = new Map<string, Set<string>>()
  if (entries.size === 0) return { found, namingCommits: undefined }
  const unnamed = new Set<string>()
  const isEntry = (identity: string): boolean => {
    if (unnamed.has(identity)) return false
    const entry = listForms(identity).find((form) => entries.has(form))
    if (entry === undefined) {
      if (unnamed.size >= maxRemembered) unnamed.clear()
      unnamed.add(identity)
      return false
    }
    const identities = found.get(entry)
    if (identities === undefined) found.set(entry, new Set([identity]))
    else identities.add(identity)
    return true
  }
  for await (const [identity] of copyRows(tx, 'select identity from identities')) isEntry(String(identity))
  // Somebody without a user has no other identity.
  const ofUsers = [...found.values()].flatMap((identities) => [...identities])
  const rows = await tx<{ identity: string }[]>`${selectIdentities(tx, ofUsers)}`
  const isOfUsers = includedIn(rows.map(({ identity }) => identity))
  const namingCommits = await noteCommitsNaming(tx, (identity) => isOfUsers(identity) || isEntry(identity))
  return { found, namingCommits }
}

/** Keeps entries that nothing in the dataset has, each as a person. */
async function keepEntries(
  tx: SqlOrTransaction,
  identities: readonly string[],
  keepsRepositories: boolean,
): Promise<void> {
  if (identities.length === 0) return
  const people = await tx<{ id: number }[]>`
    insert into forgotten_people (keeps_repositories)
    select ${keepsRepositories}::boolean from generate_series(1, ${identities.length}::integer)
    returning id`
  await blockIdentities(
    tx,
    people.map(({ id }, index) => ({ person: id, identities: identities.slice(index, index + 1) })),
  )
}
