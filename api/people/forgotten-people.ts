/**
 * Keeps forgotten people out of loads. The database has their identities only as keyed hashes.
 *
 * @module
 */
import { createHmac } from 'node:crypto'
import type { SqlOrTransaction } from '../database/connect.ts'
import { ImportError } from '../dataset/import-error.ts'
import type { LoadItem } from '../dataset/records.ts'
import { identifyAddresses, identifyUser } from '../dataset/staged-rows.ts'
import type { DroppedRows, Staging } from '../dataset/staging.ts'
import { OperatorError } from '../errors.ts'
import { identifyForgeId, identifyLogin } from '../names/forge-names.ts'
import {
  findOwnerInUrl,
  type IsForgotten,
  placeholderOf,
  redactCommit,
  redactRepository,
  replaceOwnerInUrl,
} from './redaction.ts'

/** Identities whose hashes are kept in memory. */
const maxCached = 100_000

/** A person who was forgotten. */
export interface ForgottenPerson {
  id: number
  /** Whether their repositories stay, under another owner. */
  keepsRepositories: boolean
}

/** The people who were forgotten when they were read. */
export interface ForgottenPeople {
  /** Whether nobody was forgotten. Then loads don't look for anybody. */
  isEmpty: boolean
  /** Finds who has an identity. */
  find(identity: string): ForgottenPerson | undefined
  /** Throws `ImportError` when other people are forgotten now. */
  assertSame(tx: SqlOrTransaction): Promise<void>
}

interface Row extends ForgottenPerson {
  /** In hexadecimal digits. */
  hash: string
  key: string | null
}

/** Reads who was forgotten. Throws `OperatorError` when the key of the hashes is missing. */
export async function readForgottenPeople(sql: SqlOrTransaction): Promise<ForgottenPeople> {
  const rows = await readRows(sql)
  const state = describeRows(rows)
  async function assertSame(tx: SqlOrTransaction): Promise<void> {
    if (describeRows(await readRows(tx)) === state) return
    throw new ImportError(
      'The list of forgotten people has changed since this load began. Nothing was changed; run the import again',
    )
  }
  const [first] = rows
  if (first === undefined) return { isEmpty: true, find: () => undefined, assertSame }
  if (first.key === null) {
    throw new OperatorError(
      "The key of forgotten people is missing (table forgotten_identities_key), so loads can't recognize them; " +
        'restore the table from a backup',
    )
  }
  const key = Buffer.from(first.key, 'hex')
  const people = new Map(rows.map((row) => [row.hash, row]))
  const cached = new Map<string, ForgottenPerson | undefined>()
  return {
    isEmpty: false,
    find(identity) {
      if (cached.has(identity)) return cached.get(identity)
      if (cached.size >= maxCached) cached.clear()
      const person = people.get(hashIdentity(key, identity))
      cached.set(identity, person)
      return person
    },
    assertSame,
  }
}

function readRows(sql: SqlOrTransaction): Promise<Row[]> {
  return sql<Row[]>`
    select p.id, p.keeps_repositories as "keepsRepositories", encode(i.hash, 'hex') as hash, encode(k.key, 'hex') as key
    from forgotten_identities i join forgotten_people p on p.id = i.person_id
      left join forgotten_identities_key k on true
    order by i.hash`
}

function describeRows(rows: readonly Row[]): string {
  return rows.map(({ hash, id, keepsRepositories }) => `${hash} ${id} ${keepsRepositories}`).join('\n')
}

/** The hash of an identity, in hexadecimal digits. */
function hashIdentity(key: Buffer, identity: string): string {
  return createHmac('sha256', key).update(identity).digest('hex')
}

/** Adds identities of a forgotten person, which loads leave out from now on. */
export async function blockIdentities(
  tx: SqlOrTransaction,
  person: number,
  identities: readonly string[],
): Promise<void> {
  const [stored] = await tx<{ key: Buffer }[]>`select key from forgotten_identities_key`
  if (stored === undefined) throw new Error('the key of forgotten people is missing')
  const hashes = identities.map((identity) => hashIdentity(stored.key, identity))
  await tx`
    insert into forgotten_identities (hash, person_id)
    select decode(hash, 'hex'), ${person}::integer from unnest(${tx.typed.texts(hashes)}) as n(hash)
    on conflict do nothing`
}

/** A load without forgotten people. */
export interface FilteredStaging {
  /** Stages a record as `Staging` does, unless it is about forgotten people. */
  add(position: number, item: LoadItem): Promise<'staged' | 'left out'>
  /** Flushes as `Staging` does, without users who were left out because of another of their records. */
  flush(): Promise<Pick<DroppedRows, 'contradicted'>>
  /** Records that were left out so far. */
  readonly leftOut: number
}

/**
 * Stages records without forgotten people. Leaves out users with one of their identities, and repositories that they own,
 * with their commits. If their repositories stay, gives these another owner. Redacts other commits that name them.
 */
export function withoutForgottenPeople(
  people: ForgottenPeople,
  staging: Pick<Staging, 'add' | 'flush'>,
): FilteredStaging {
  let leftOut = 0
  /** By `forge_rest_id`. The record of further addresses may name somebody whose own record doesn't, or vice versa. */
  const leftOutUsers = new Set<number>()
  return {
    get leftOut() {
      return leftOut
    },
    async add(position, item) {
      const filtered = people.isEmpty ? item : redactItem(people, item)
      if (filtered !== 'left out') {
        await staging.add(position, filtered)
        return 'staged'
      }
      if (item.kind === 'users' || item.kind === 'identities') leftOutUsers.add(item.record.forge_rest_id)
      leftOut++
      return 'left out'
    },
    async flush() {
      const dropped = await staging.flush(leftOutUsers)
      leftOut += dropped.leftOut
      return dropped
    },
  }
}

/** Takes forgotten people out of a record, unless the whole record is left out. */
function redactItem({ find }: ForgottenPeople, item: LoadItem): LoadItem | 'left out' {
  const isForgotten: IsForgotten = (identity) => find(identity) !== undefined
  switch (item.kind) {
    case 'users':
      return identifyUser(item.record).some(isForgotten) ? 'left out' : item
    case 'identities': {
      const { record } = item
      const identities = [identifyForgeId(record.forge_rest_id), ...identifyAddresses(record).keys()]
      return identities.some(isForgotten) ? 'left out' : item
    }
    case 'repos': {
      const owner = find(identifyLogin(item.record.owner_login))
      if (owner === undefined) return item
      if (!owner.keepsRepositories) return 'left out'
      return { ...item, record: redactRepository(item.record, placeholderOf(owner.id), isForgotten) }
    }
    case 'commits': {
      const repo_url = redactUrl({ find }, item.record.repo_url)
      if (repo_url === undefined) return 'left out'
      return { ...item, record: { ...redactCommit(item.record, isForgotten), repo_url } }
    }
    case 'removals':
      return item
  }
}

/** Replaces a forgotten owner in a repository's URL. Undefined: the owner's repositories don't stay. */
export function redactUrl({ find }: Pick<ForgottenPeople, 'find'>, url: string): string | undefined {
  const login = findOwnerInUrl(url, (identity) => find(identity) !== undefined)
  const person = login === undefined ? undefined : find(identifyLogin(login))
  if (login === undefined || person === undefined) return url
  return person.keepsRepositories ? replaceOwnerInUrl(url, login, placeholderOf(person.id)) : undefined
}
