/**
 * Forgets people: takes them out of the dataset and the ledger, and blocks their identities, so that loads leave them
 * out.
 */
import { readMembers } from '../catalog/stored-documents.ts'
import { type Fragment, type Sql, type SqlOrTransaction, selectTime } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'
import { changeLock } from '../database/migrate.ts'
import { updateAuthors } from '../dataset/contributions.ts'
import {
  changeDataset,
  type DatasetChangeOptions,
  type DatasetChangeResult,
} from '../dataset/dataset-change.ts'
import { noteChanged } from '../dataset/item-terms.ts'
import { dropLoadedHistories } from '../dataset/loaded-histories.ts'
import { analyzeTables, type DatasetChange } from '../dataset/pending-change.ts'
import { removeRepositories, removeUsers } from '../dataset/removal.ts'
import { noteNewUrls } from '../dataset/repository-changes.ts'
import { pruneLock } from '../ledger/prune.ts'
import { identifyLogin } from '../names/forge-names.ts'
import { textTables } from '../names/searchable-texts.ts'
import type { RepositoryRecord } from '../staging/records.ts'
import { createCommitColumns, createRepositoryColumns } from '../staging/staged-rows.ts'
import { dropDeadLoads } from '../staging/staging.ts'
import type { IsForgotten } from './address-redaction.ts'
import { blockIdentities, findForgottenPeople } from './forgotten-people.ts'
import {
  fetchBatches,
  findNames,
  includedIn,
  type NotedCommits,
  type PersonNames,
  readCommitsNaming,
  selectOwn,
} from './person-search.ts'
import { identifyPlaceholder, placeholderOf, redactRepository } from './redaction.ts'

/** Tables whose names and addresses can be samples in the planner's statistics. */
const tablesWithNames = [
  'users',
  'identities',
  'user_addresses',
  ...textTables,
  'repositories',
  'commits',
  'contributions',
  'ledger',
]

/** Whom to forget. */
export interface ForgetOptions extends DatasetChangeOptions {
  /**
   * Known identities of the person (see `identifyAddress`). If a user has one of them, the user's others count, too.
   */
  identities: readonly string[]
  /** Whether the person's repositories stay, under another owner. */
  keepRepositories: boolean
}

/** What was forgotten. */
export interface ForgetResult extends DatasetChangeResult {
  /** The person's number. */
  person: number
  /** Whether the person was forgotten before. */
  wasForgotten: boolean
  /** Identities that loads leave out, of this person. */
  identities: number
  /** Ledger entries that named the person. */
  ledgerEntries: number
}

/**
 * Forgets a person, in one transaction. Removes the user, redacts commits that name the person, and removes the
 * person's repositories, or gives them another owner. Paths in the ledger that name the person become patterns. If the
 * person is forgotten already, blocks further identities.
 */
export async function forgetPerson(
  sql: Sql,
  { identities, keepRepositories, ...options }: ForgetOptions,
): Promise<ForgetResult> {
  await dropDeadLoads(sql) // their tables may have the person's rows
  let blocked: BlockedPerson | undefined
  let logins: string[] = []
  let ledgerEntries = 0
  const result = await changeDataset(sql, options, async (change) => {
    const { people, ...forgotten } = await forgetPeople(change, [{ identities, keepRepositories }])
    ;[blocked] = people
    logins = forgotten.logins
    ledgerEntries = forgotten.ledgerEntries
  })
  if (blocked === undefined) throw new Error('the person was not forgotten')
  ledgerEntries += await redactLaterEntries(sql, logins)
  return { ...result, ...blocked, ledgerEntries }
}

/** A person to forget as a part of a change. */
export interface Forgetting extends Pick<ForgetOptions, 'identities' | 'keepRepositories'> {
  /** The person's number, if it is known that the person is forgotten. */
  person?: number | undefined
}

/** A person to forget, with all names. */
type NamedForgetting = Forgetting & PersonNames

/** A person whose identities loads leave out from now on. */
type BlockedPerson = Pick<ForgetResult, 'person' | 'wasForgotten' | 'identities'>

/** What forgetting people as a part of a change did. */
export interface Forgotten {
  people: BlockedPerson[]
  /** For `redactLaterEntries`. */
  logins: string[]
  ledgerEntries: number
}

/**
 * Does what `forgetPerson` promises, for several people, as a part of a change. `redactLaterEntries` completes it.
 * `namingCommits` are the commits that name them, if these are known.
 */
export async function forgetPeople(
  change: DatasetChange,
  forgettings: readonly Forgetting[],
  namingCommits?: NotedCommits,
): Promise<Forgotten> {
  const { tx } = change
  const people: BlockedPerson[] = []
  const identities: string[] = []
  // Once for all of them: the locks of a transaction's tables would not do for thousands of people.
  await tx`create temporary table person (identity text collate "C" primary key) on commit drop`
  await tx`create temporary table taken_users (id integer primary key) on commit drop`
  await tx`create temporary table taken_repositories (id integer primary key) on commit drop`
  // All names are found before the first person is blocked, so the order of the people makes no difference.
  const named: NamedForgetting[] = []
  for (const each of forgettings) named.push({ ...each, ...(await findNames(tx, each.identities)) })
  for (const each of named) {
    const taken = await takeOut(change, each)
    people.push(taken.blocked)
    identities.push(...taken.identities)
    change.rows.repositories.updated += taken.repositories
  }
  await removeUsers(change, tx`select id from taken_users`)
  await removeRepositories(change, tx`select id from taken_repositories`)
  await tx`drop table person, taken_users, taken_repositories`
  // Once for all of them, because it may read all commits.
  change.rows.commits.updated += await redactCommits(change, identities, namingCommits)
  const logins = listLogins(identities)
  const ledgerEntries = await redactLedger(tx, logins)
  change.isLarge = true // the planner's statistics may name them
  await analyzeTables(change, tablesWithNames)
  return { people, logins, ledgerEntries }
}

/** Redacts the entries of requests that were charged while the change was made. Returns their number. */
export function redactLaterEntries(sql: Sql, logins: readonly string[]): Promise<number> {
  return beginLong(sql, (tx) => redactLedger(tx, logins))
}

/**
 * Blocks a person, and notes their user and their repositories in `taken_users` and `taken_repositories`, or gives
 * these another owner.
 */
async function takeOut(
  change: DatasetChange,
  { identities, ofForgotten, keepRepositories, person: forgotten }: NamedForgetting,
): Promise<{ blocked: BlockedPerson; identities: string[]; repositories: number }> {
  const { tx } = change
  await tx`delete from person`
  await tx`insert into person select unnest(${tx.typed.texts(identities)})`
  const { person, people, wasForgotten } = await blockPerson(tx, identities, keepRepositories, forgotten)
  await tx`
    insert into taken_users select distinct user_id from ${selectOwn(tx, ofForgotten)} o join person using (identity)
    on conflict do nothing`
  // Repositories that an earlier forgetting kept are the person's, too.
  await tx`insert into person select unnest(${tx.typed.texts(people.map(identifyPlaceholder))}) on conflict do nothing`
  let repositories = 0
  if (keepRepositories)
    repositories = await replaceOwner(change, placeholderOf(person), includedIn(identities))
  else
    await tx`insert into taken_repositories select distinct repository_id from (${selectOwned(tx)}) o on conflict do nothing`
  const blocked = { person, wasForgotten, identities: identities.length }
  return { blocked, identities, repositories }
}

/**
 * Blocks identities. Returns the person's number: the lowest of `forgotten` and those who have one of the identities
 * already, if there are any. These are one person from now on. Returns all their numbers, too, and whether the person
 * was forgotten, not only on a deletion list.
 */
async function blockPerson(
  tx: SqlOrTransaction,
  identities: readonly string[],
  keepsRepositories: boolean,
  forgotten: number | undefined,
): Promise<{ person: number; people: number[]; wasForgotten: boolean }> {
  const found = [...(await findForgottenPeople(tx, identities)).values()]
  const people = [...new Set([...(forgotten === undefined ? [] : [forgotten]), ...found.map(({ id }) => id)])]
  const [person] =
    people.length > 0
      ? await tx<{ id: number }[]>`
          update forgotten_people set keeps_repositories = ${keepsRepositories}
          where id = ${Math.min(...people)} returning id`
      : await tx<{ id: number }[]>`
          insert into forgotten_people (keeps_repositories) values (${keepsRepositories}) returning id`
  if (person === undefined) throw new Error('the person was not recorded')
  await blockIdentities(tx, [{ person: person.id, identities }])
  const others = tx.typed.bigints(people.filter((id) => id !== person.id))
  await tx`update forgotten_identities set person_id = ${person.id} where person_id = any (${others})`
  await tx`delete from forgotten_people where id = any (${others})`
  return { person: person.id, people, wasForgotten: found.some(({ isListedOnly }) => !isListedOnly) }
}

/** SQL: the ids of the repositories that the table `person` owns. */
function selectOwned(tx: SqlOrTransaction) {
  return tx`select repository_id from contributions join person using (identity) where kind = 'owner'`
}

/** Gives the repositories of the table `person` another owner. Returns the number of those that it changed. */
async function replaceOwner(change: DatasetChange, owner: string, isForgotten: IsForgotten): Promise<number> {
  const { tx, version } = change
  await tx`create temporary table given_repositories (id integer primary key, has_new_url boolean) on commit drop`
  await tx`
    declare owned no scroll cursor for
    select r.id, r.members, r.dependencies
    from repositories r where id in (${selectOwned(tx)})`
  let count = 0
  for await (const batch of fetchBatches<RepositoryRow>(tx, 'owned')) {
    const rows = batch.flatMap(({ id, members, dependencies }) => {
      const record = readMembers<RepositoryRecord>(members, dependencies)
      const redacted = redactRepository(record, owner, isForgotten)
      const row = createRepositoryColumns(redacted)
      if (row.members === members && row.dependencies === dependencies) return []
      return [{ id, ...row, has_new_url: redacted.url !== record.url }]
    })
    count += rows.length
    await tx`
      with changed as (
        select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as c (
          id integer, full_name_key text, url_key text, members text, dependencies text, has_new_url boolean
        )
      ), noted as (
        insert into given_repositories select id, has_new_url from changed
      )
      update repositories r set
        full_name_key = c.full_name_key, url_key = c.url_key, version = ${version}, members = c.members,
        dependencies = c.dependencies
      from changed c where r.id = c.id`
  }
  await noteChanged(change, 'repositories', tx`select id from given_repositories`)
  await noteNewUrls(change, tx`select id from given_repositories where has_new_url`)
  await tx`drop table given_repositories`
  await tx`
    update contributions c set identity = ${identifyLogin(owner)}
    from person p where c.identity = p.identity and c.kind = 'owner'`
  return count
}

/** Redacts the commits that name people with these identities. Returns their number. */
async function redactCommits(
  change: DatasetChange,
  identities: readonly string[],
  namingCommits: NotedCommits | undefined,
): Promise<number> {
  const { tx, version } = change
  await tx`create temporary table lost_authors (repository_id integer not null) on commit drop`
  let count = 0
  for await (const batch of readCommitsNaming(tx, identities, namingCommits)) {
    const rows = batch.map(({ redacted, author_identity, coauthor_identities, ...key }) => {
      const columns = createCommitColumns(redacted)
      const has_lost =
        columns.author_identity !== author_identity ||
        JSON.stringify(columns.coauthor_identities) !== JSON.stringify(coauthor_identities)
      return { repository_id: key.repository_id, commit_hash: key.commit_hash, ...columns, has_lost }
    })
    count += rows.length
    await tx`
      with changed as (
        select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as c (
          repository_id integer, commit_hash text, author_identity text, coauthor_identities text[], has_lost boolean,
          members text
        )
      ), lost as (
        insert into lost_authors
        select distinct repository_id from changed where has_lost
      )
      update commits m set author_identity = c.author_identity, coauthor_identities = c.coauthor_identities,
        version = ${version}, members = c.members
      from changed c where m.repository_id = c.repository_id and m.commit_hash = c.commit_hash`
  }
  await updateAuthors(change, tx`select repository_id from lost_authors`)
  return count
}

interface RepositoryRow {
  id: number
  members: string
  dependencies: string
}

/** Replaces paths that name a login with the endpoint's pattern. Returns the number of entries. */
async function redactLedger(tx: SqlOrTransaction, logins: readonly string[]): Promise<number> {
  if (logins.length === 0) return 0
  await tx`select pg_advisory_xact_lock(${pruneLock})` // pruning changes the same rows in another order
  const { count } = await tx`update ledger set path = endpoint where ${namesLogin(tx, logins)}`
  return count
}

/** SQL: whether the path of a ledger entry names one of these logins. Paths are stored without escapes. */
export function namesLogin(sql: SqlOrTransaction, logins: readonly string[]): Fragment {
  return sql`
    path <> endpoint and split_part(path, '/', 2) in ('users', 'repos')
    and lower(split_part(path, '/', 3) collate "C") in (
      select lower(login collate "C") from unnest(${sql.typed.texts(logins)}) as login
    )`
}

/** Lists the logins among identities, folded. */
export function listLogins(identities: readonly string[]): string[] {
  return identities.flatMap((identity) => /^login:(.*)$/s.exec(identity)?.[1] ?? [])
}

/** A person who is forgotten. */
export interface ForgottenEntry {
  person: number
  /** ISO 8601. */
  forgottenAt: string
  identities: number
  keepsRepositories: boolean
}

/**
 * Lists who is forgotten, without names: there are none. `listed` is the number of entries of deletion lists that
 * nothing in the dataset has had so far.
 */
export async function listForgotten(sql: Sql): Promise<{ people: ForgottenEntry[]; listed: number }> {
  const people = await sql<ForgottenEntry[]>`
    select p.id as person, ${selectTime(sql, sql`forgotten_at`)} as "forgottenAt", keeps_repositories as "keepsRepositories", count(*) as identities
    from forgotten_people p join forgotten_identities i on i.person_id = p.id and not of_hash
    group by p.id order by p.id`
  const [others] = await sql<{ count: number }[]>`
    select count(*) as count from forgotten_people p where not exists (
      select from forgotten_identities i where i.person_id = p.id and not of_hash
    )`
  return { people, listed: others?.count ?? 0 }
}

/** Lifts the block of people with these identities or numbers. Returns their numbers. */
export async function undoForgetting(
  sql: Sql,
  { identities, people }: { identities: readonly string[]; people: readonly number[] },
): Promise<number[]> {
  const found = await findForgottenPeople(sql, identities)
  const ids = [...people, ...[...found.values()].map(({ id }) => id)]
  return beginLong(sql, async (tx) => {
    // Waits for a load that is being applied: it left these people out, so what it notes of histories must be deleted,
    // too.
    await tx`select pg_advisory_xact_lock(${changeLock})`
    const rows = await tx<{ id: number }[]>`
      delete from forgotten_people where id = any (${tx.typed.bigints(ids)}) returning id`
    if (rows.length > 0) await dropLoadedHistories(tx)
    return rows.map(({ id }) => id).sort((a, b) => a - b)
  })
}
