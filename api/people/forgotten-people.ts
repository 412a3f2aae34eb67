/** Keeps forgotten people out of loads. The database has their identities only as keyed hashes. */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { batchesOf } from '../concurrency/batches.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { beginLong } from '../database/long-transaction.ts'
import { OperatorError } from '../errors.ts'
import { identifyLogin, isForgeId } from '../names/forge-names.ts'
import { ImportError } from '../staging/import-error.ts'
import { findOwnerInUrl, placeholderOf, replaceOwnerInUrl } from './redaction.ts'

/** Identities whose hashes are kept in memory. */
const maxCached = 100_000
/** Identities that a statement reads or adds. */
const batchSize = 10_000

/** A person who was forgotten. */
export interface ForgottenPerson {
  id: number
  /** Whether their repositories stay, under another owner. */
  keepsRepositories: boolean
  /** Whether the forge's id of their account is known. Then an account with their login and another id isn't theirs. */
  isKnownById: boolean
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

/** Reads who was forgotten, for a load. Throws `OperatorError` when the key of the hashes is missing. */
export async function readForgottenPeople(sql: Sql): Promise<ForgottenPeople> {
  const { people, digest } = await beginLong(sql, readAll)
  async function assertSame(tx: SqlOrTransaction): Promise<void> {
    if ((await readAll(tx)).digest === digest) return
    throw new ImportError(
      'The list of forgotten people has changed since this load began. Nothing was changed; run the import again',
    )
  }
  if (people.size === 0) return { isEmpty: true, find: () => undefined, assertSame }
  const key = await readKey(sql)
  const cached = new Map<string, ForgottenPerson | undefined>()
  return {
    isEmpty: false,
    find(identity) {
      if (cached.has(identity)) return cached.get(identity)
      if (cached.size >= maxCached) cached.clear()
      const person = hashForms(key, identity)
        .map((hash) => people.get(hash))
        .find((each) => each !== undefined)
      cached.set(identity, person)
      return person
    },
    assertSame,
  }
}

/** Reads everybody, by the hashes of their identities. There may be as many as the lists of regulators have. */
async function readAll(
  sql: SqlOrTransaction,
): Promise<{ people: ReadonlyMap<string, ForgottenPerson>; digest: string }> {
  const people = new Map<string, ForgottenPerson>()
  const digest = createHash('sha256')
  const rows = copyRows(
    sql,
    `select hash, p.id, p.keeps_repositories::integer,
      (p.id in (select person_id from forgotten_identities where is_forge_id))::integer
    from forgotten_identities i join forgotten_people p on p.id = i.person_id order by hash`,
  )
  for await (const fields of rows) {
    for (const field of fields) digest.update(field)
    const [hash, id, keepsRepositories, isKnownById] = fields
    people.set(String(hash?.toString(hashEncoding)), {
      id: readInteger(id),
      keepsRepositories: readInteger(keepsRepositories) === 1,
      isKnownById: readInteger(isKnownById) === 1,
    })
  }
  return { people, digest: digest.digest('base64') }
}

/** A forgotten person whom an identity names. */
export interface FoundPerson extends ForgottenPerson {
  /** Whether only a deletion list names them: nothing in the dataset did so far. */
  isListedOnly: boolean
}

/**
 * Finds the forgotten people who have one of the identities, by identity. Throws `OperatorError` when the key of the
 * hashes is missing.
 */
export async function findForgottenPeople(
  sql: SqlOrTransaction,
  identities: readonly string[],
): Promise<Map<string, FoundPerson>> {
  const [any] = await sql`select 1 from forgotten_identities limit 1`
  if (any === undefined) return new Map()
  const key = await readKey(sql)
  const found = new Map<string, FoundPerson>()
  for (const batch of batchesOf(identities, batchSize)) {
    const forms = batch.flatMap((identity) => hashForms(key, identity).map((hash) => ({ identity, hash })))
    const rows = await sql<(FoundPerson & { identity: string })[]>`
      select distinct on (identity) identity, p.id, p.keeps_repositories as "keepsRepositories",
        not exists (select from forgotten_identities o where o.person_id = p.id and not o.of_hash) as "isListedOnly",
        exists (select from forgotten_identities o where o.person_id = p.id and o.is_forge_id) as "isKnownById"
      from unnest(
        ${sql.typed.texts(forms.map(({ identity }) => identity))}, ${sql.typed.texts(forms.map(({ hash }) => hash))}
      ) with ordinality as f (identity, hash, position)
        join forgotten_identities i on i.hash = decode(f.hash, 'base64') join forgotten_people p on p.id = i.person_id
      order by identity, position`
    for (const { identity, ...person } of rows) found.set(identity, person)
  }
  return found
}

/** Reads the key of the hashes. */
async function readKey(sql: SqlOrTransaction): Promise<Buffer> {
  const [stored] = await sql<
    { key: string }[]
  >`select encode(key, 'hex') as key from forgotten_identities_key`
  if (stored !== undefined) return Buffer.from(stored.key, 'hex')
  throw new OperatorError(
    "The key of forgotten people is missing (table forgotten_identities_key), so loads can't recognize them; " +
      'restore the table from a backup',
  )
}

/** The hashes by which an identity may be stored. */
function hashForms(key: Buffer, identity: string): string[] {
  return listForms(identity).map((form) => hashIdentity(key, form))
}

/** Lists the forms of an identity: itself, and for an address also the form that deletion lists have. */
export function listForms(identity: string): string[] {
  const ofHash = identifyHash(identity)
  return ofHash === undefined ? [identity] : [identity, ofHash]
}

const hashEncoding = 'base64'

/** The hash of an identity. */
function hashIdentity(key: Buffer, identity: string): string {
  return createHmac('sha256', key).update(identity).digest(hashEncoding)
}

/** Begins an identity that is the SHA-256 of an address, in hexadecimal digits. Deletion lists have them. */
export const hashPrefix = 'sha256:'

/**
 * The identity that a deletion list has for the identity of an address: the SHA-256 of the trimmed address in
 * lowercase. Undefined: it isn't that of an address.
 */
export function identifyHash(identity: string): string | undefined {
  const [, address] = /^email:(.*)$/s.exec(identity) ?? []
  if (address === undefined) return undefined
  return hashPrefix + createHash('sha256').update(address.trim().toLowerCase()).digest('hex')
}

/**
 * Adds identities of forgotten people, which loads leave out from now on, and what deletion lists have for them.
 * `isListedOnly`: they are entries of a list that nothing in the dataset has.
 */
export async function blockIdentities(
  tx: SqlOrTransaction,
  blocked: readonly { person: number; identities: readonly string[] }[],
  { isListedOnly = false } = {},
): Promise<void> {
  await tx`insert into forgotten_identities_key (key) values (${randomBytes(32)}) on conflict do nothing`
  const key = await readKey(tx)
  const all = blocked.flatMap(({ person, identities }) =>
    identities.map((identity) => ({ person, identity })),
  )
  for (const batch of batchesOf(all, batchSize)) {
    const rows = batch.flatMap(({ person, identity }) =>
      hashForms(key, identity).map((hash, form) => ({
        person_id: person,
        hash,
        of_hash: isListedOnly || form > 0 || identity.startsWith(hashPrefix),
        is_forge_id: isForgeId(identity),
      })),
    )
    await tx`
      insert into forgotten_identities as i (hash, person_id, of_hash, is_forge_id)
      select decode(hash, 'base64'), min(person_id), bool_and(of_hash), bool_or(is_forge_id)
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as r (hash text, person_id integer, of_hash boolean, is_forge_id boolean)
      group by hash
      on conflict (hash) do update set
        of_hash = i.of_hash and excluded.of_hash, is_forge_id = i.is_forge_id or excluded.is_forge_id`
  }
}

/** Replaces a forgotten owner in a repository's URL. Undefined: the owner's repositories don't stay. */
export function redactUrl({ find }: Pick<ForgottenPeople, 'find'>, url: string): string | undefined {
  const login = findOwnerInUrl(url, (identity) => find(identity) !== undefined)
  const person = login === undefined ? undefined : find(identifyLogin(login))
  if (login === undefined || person === undefined) return url
  return person.keepsRepositories ? replaceOwnerInUrl(url, login, placeholderOf(person.id)) : undefined
}
