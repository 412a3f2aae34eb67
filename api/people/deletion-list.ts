/**
 * Deletion lists: addresses of people who must be forgotten, or the hashes of their addresses, as regulators publish
 * them (California's DROP: the Base64 of the SHA-256 of the trimmed address in lowercase).
 */
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { copyRows } from '../database/copy.ts'
import {
  changeDataset,
  type DatasetChangeOptions,
  type DatasetChangeResult,
} from '../dataset/dataset-change.ts'
import { OperatorError } from '../errors.ts'
import { identifyGivenAddress } from '../names/forge-names.ts'
import { detectEncoding } from '../names/text-encoding.ts'
import { dropDeadLoads } from '../staging/staging.ts'
import { type Forgetting, forgetPeople, redactLaterEntries } from './forget.ts'
import { countChanges, type ForgetPreview, previewChange } from './forget-preview.ts'
import {
  blockIdentities,
  type FoundPerson,
  findForgottenPeople,
  hashPrefix,
  identifyHash,
  listForms,
} from './forgotten-people.ts'
import { findNames, includedIn, type NotedCommits, noteCommitsNaming } from './person-search.ts'

/** An entry of a list. */
export interface ListEntry {
  /** From 1. */
  line: number
  /** As the list has it. */
  text: string
  /** The identity of the hash. A no-reply address of the forge has that of the account. */
  identity: string
}

/**
 * What became of an entry: the dataset had it, and it was forgotten; nothing has it; or the person was forgotten
 * before.
 */
export type EntryResult = 'found' | 'not found' | 'already forgotten'

/** Identities that aren't hashed again. */
const maxRemembered = 100_000
/** Lines of a list that a message names. */
const maxNamed = 5

const lineBreak = /\r\n?|\n/

/**
 * Decodes a list: UTF-8, or UTF-16 with a byte order mark. Throws `OperatorError` with the first line that isn't in
 * this encoding.
 */
export function decodeDeletionList(bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes)
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    const valid = new TextDecoder(encoding).decode(bytes).split('\uFFFD', 1)[0] ?? ''
    throw new OperatorError(
      `Line ${valid.split(lineBreak).length}: the list isn't valid ${encoding.toUpperCase()}; save it as UTF-8. Nobody was forgotten`,
    )
  }
}

/**
 * Reads a list, with an address or a hash in each line. Empty lines and those that begin with `#` don't count. Throws
 * `OperatorError` with the lines that are neither. It doesn't repeat them, because they may be personal data.
 */
export function parseDeletionList(text: string): ListEntry[] {
  const lines = text
    .split(lineBreak)
    .map((each, index) => ({ line: index + 1, text: each.trim() }))
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
    const identity = identifyGivenAddress(text)
    return identity === null ? undefined : (identifyHash(identity) ?? identity)
  }
  if (/^[0-9a-f]{64}$/i.test(text)) return hashPrefix + text.toLowerCase()
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined
  return hashPrefix + Buffer.from(text, 'base64').toString('hex')
}

/** How a list is imported. */
export interface ListImportOptions extends DatasetChangeOptions {
  entries: readonly ListEntry[]
  keepRepositories: boolean
  /** Called with what will become of each entry, before the commit. What it throws rolls everything back. */
  onResults?: ((results: readonly EntryResult[]) => Promise<void>) | undefined
  /** Called once everybody is forgotten, before entries that the ledger got since are redacted. */
  onCommit?: (() => Promise<void>) | undefined
}

/** What an import of a list did. */
export interface ListImportResult extends DatasetChangeResult {
  /** Of each entry, in their order. */
  results: EntryResult[]
  ledgerEntries: number
}

/**
 * Forgets everybody whom a list names, in one transaction, and keeps the other entries: later loads leave out whoever
 * has one of these addresses.
 */
export async function importDeletionList(
  sql: Sql,
  { entries, keepRepositories, onResults, onCommit, ...options }: ListImportOptions,
): Promise<ListImportResult> {
  await dropDeadLoads(sql) // their tables may have rows of people of the list
  let logins: string[] = []
  let ledgerEntries = 0
  let results: EntryResult[] = []
  const result = await changeDataset(sql, options, async (change) => {
    const { tx } = change
    const { before, found, namingCommits } = await findEntries(tx, entries)
    const forgettings = listForgettings({ before, found }, keepRepositories)
    const forgotten =
      forgettings.length === 0 ? undefined : await forgetPeople(change, forgettings, namingCommits)
    logins = forgotten?.logins ?? []
    ledgerEntries = forgotten?.ledgerEntries ?? 0
    const others = new Set(entries.map(({ identity }) => identity))
    await keepEntries(
      tx,
      [...others].filter((identity) => !before.has(identity) && !found.has(identity)),
      keepRepositories,
    )
    results = listResults(entries, { before, found })
    await onResults?.(results)
  })
  await onCommit?.()
  ledgerEntries += await redactLaterEntries(sql, logins)
  return { ...result, results, ledgerEntries }
}

/** What importing a list would do. */
export interface ListPreview extends ForgetPreview {
  /** Of each entry, in their order. */
  results: EntryResult[]
}

/** Counts what `importDeletionList` would change. Reads what it would read. */
export function previewDeletionList(
  sql: Sql,
  { entries, keepRepositories }: { entries: readonly ListEntry[]; keepRepositories: boolean },
): Promise<ListPreview> {
  return previewChange(sql, async (tx) => {
    const { before, found, namingCommits } = await findEntries(tx, entries)
    const changes = await countChanges(
      tx,
      listForgettings({ before, found }, keepRepositories),
      namingCommits,
    )
    return { ...changes, results: listResults(entries, { before, found }) }
  })
}

/** Entries that the dataset or the list of forgotten people has. */
interface FoundEntries {
  /** By entry, who was forgotten before. */
  before: Map<string, FoundPerson>
  /** By entry, the identities in the dataset that match it. */
  found: Map<string, Set<string>>
  /** Commits that name these people, by any of their identities. */
  namingCommits: NotedCommits
}

/** Lists whom to forget. For people who were forgotten before, the earlier choice about their repositories stays. */
function listForgettings(
  { before, found }: Pick<FoundEntries, 'before' | 'found'>,
  keepRepositories: boolean,
): Forgetting[] {
  return [...found].map(([entry, identities]) => {
    const person = before.get(entry)
    const isForgotten = person?.isListedOnly === false
    return {
      identities: [...identities],
      keepRepositories: isForgotten ? person.keepsRepositories : keepRepositories,
      person: person?.id,
    }
  })
}

function listResults(
  entries: readonly ListEntry[],
  { before, found }: Pick<FoundEntries, 'before' | 'found'>,
): EntryResult[] {
  return entries.map(({ identity }) => {
    if (before.get(identity)?.isListedOnly === false) return 'already forgotten'
    return found.has(identity) ? 'found' : 'not found'
  })
}

/**
 * Finds which entries the dataset has. It reads all commits, because their committers and the addresses in their
 * messages count, too. Those of forgotten people count again: an earlier version may have missed an address.
 */
async function findEntries(tx: SqlOrTransaction, list: readonly ListEntry[]): Promise<FoundEntries> {
  const entries = new Set(list.map(({ identity }) => identity))
  const before = await findForgottenPeople(tx, [...entries])
  const found = new Map<string, Set<string>>()
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
  const { identities } = await findNames(tx, ofUsers)
  const isOfUsers = includedIn(identities)
  const namingCommits = await noteCommitsNaming(tx, (identity) => isOfUsers(identity) || isEntry(identity))
  return { before, found, namingCommits }
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
    { isListedOnly: true },
  )
}
