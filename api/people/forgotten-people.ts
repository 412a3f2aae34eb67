/**
 * Keeps forgotten people out of loads. The database has their identities only as keyed hashes.
 *
 * @module
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { SqlOrTransaction } from '../database/connect.ts'
import { ImportError } from '../dataset/import-error.ts'
import { OperatorError } from '../errors.ts'
import { identifyLogin } from '../names/forge-names.ts'
import { findOwnerInUrl, placeholderOf, replaceOwnerInUrl } from './redaction.ts'

/** Identities whose hashes are kept in memory. */
const maxCached = 100_000

/** A person who was forgotten. */
export interface ForgottenPerson {
  id: number
  /** Whether their repositories stay, under another owner. */
  keepsRepositories: boolean
  /** Whether only a deletion list names them: nothing in the dataset did so far. */
  isListedOnly: boolean
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
      const person = [identity, identifyHash(identity)]
        .map((each) => (each === undefined ? undefined : people.get(hashIdentity(key, each))))
        .find((each) => each !== undefined)
      cached.set(identity, person)
      return person
    },
    assertSame,
  }
}

function readRows(sql: SqlOrTransaction): Promise<Row[]> {
  return sql<Row[]>`
    select p.id, p.keeps_repositories as "keepsRepositories", encode(i.hash, 'hex') as hash, encode(k.key, 'hex') as key,
      bool_and(i.of_hash) over (partition by p.id) as "isListedOnly"
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

/** Begins an identity that is the SHA-256 of an address, in hexadecimal digits. Deletion lists have them. */
export const hashPrefix = 'sha256:'

/**
 * The identity that a deletion list has for the identity of an address: the SHA-256 of the trimmed address in lowercase. Undefined:
 * it isn't that of an address.
 */
export function identifyHash(identity: string): string | undefined {
  const [, address] = /^email:(.*)$/s.exec(identity) ?? []
  if (address === undefined) return undefined
  return hashPrefix + createHash('sha256').update(address.trim().toLowerCase()).digest('hex')
}

/** Adds identities of forgotten people, which loads leave out from now on, and what deletion lists have for them. */
export async function blockIdentities(
  tx: SqlOrTransaction,
  blocked: readonly { person: number; identities: readonly string[] }[],
): Promise<void> {
  await tx`insert into forgotten_identities_key (key) values (${randomBytes(32)}) on conflict do nothing`
  const [stored] = await tx<{ key: Buffer }[]>`select key from forgotten_identities_key`
  if (stored === undefined) throw new Error('the key of forgotten people is missing')
  const rows = blocked.flatMap(({ person, identities }) =>
    identities
      .flatMap((identity) => [identity, identifyHash(identity) ?? []].flat())
      .map((identity) => ({
        person_id: person,
        hash: hashIdentity(stored.key, identity),
        of_hash: identity.startsWith(hashPrefix),
      })),
  )
  await tx`
    insert into forgotten_identities (hash, person_id, of_hash)
    select decode(hash, 'hex'), person_id, of_hash
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (hash text, person_id integer, of_hash boolean)
    on conflict do nothing`
}

/** Replaces a forgotten owner in a repository's URL. Undefined: the owner's repositories don't stay. */
export function redactUrl({ find }: Pick<ForgottenPeople, 'find'>, url: string): string | undefined {
  const login = findOwnerInUrl(url, (identity) => find(identity) !== undefined)
  const person = login === undefined ? undefined : find(identifyLogin(login))
  if (login === undefined || person === undefined) return url
  return person.keepsRepositories ? replaceOwnerInUrl(url, login, placeholderOf(person.id)) : undefined
}
