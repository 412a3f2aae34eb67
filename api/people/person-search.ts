/** Where the dataset names a person: users, and commits, whose messages count too. */
import { readMembers } from '../catalog/stored-documents.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { foldText } from '../names/case-folding.ts'
import { isAccount } from '../names/forge-names.ts'
import { findHostInKey } from '../names/repository-url.ts'
import type { CommitRecord } from '../staging/records.ts'
import type { IsForgotten } from './address-redaction.ts'
import { findForgottenPeople } from './forgotten-people.ts'
import { redactCommit } from './redaction.ts'

/** What names a person. */
export interface PersonNames {
  /** Those that were given, and all of the users who have one of them. */
  identities: string[]
  /** Ids and logins among what was searched that a forgotten person had. */
  ofForgotten: string[]
}

/** Finds what names the person who has one of the identities. */
export async function findNames(tx: SqlOrTransaction, given: readonly string[]): Promise<PersonNames> {
  const known = tx`select unnest(${tx.typed.texts(given)}) collate "C" as identity`
  const selectAll = (users: Fragment) => tx`
    ${known} union select identity from ${users} o
    where user_id in (select user_id from ${users} k where identity in (${known}))`
  const candidates = await tx<{ identity: string }[]>`${selectAll(tx`identities`)}`
  const accounts = candidates.map(({ identity }) => identity).filter(isAccount)
  const ofForgotten = [...(await findForgottenPeople(tx, accounts)).keys()]
  const own = await tx<{ identity: string }[]>`${selectAll(selectOwn(tx, ofForgotten))}`
  return { identities: own.map(({ identity }) => identity), ofForgotten }
}

/**
 * SQL: `identity` and `user_id` of what names users as persons. An address can name an account, by its id or login.
 * Commits under it are the user's. The account is somebody else's if another user has it, or a forgotten person had it.
 */
export function selectOwn(sql: SqlOrTransaction, ofForgotten: readonly string[]): Fragment {
  return sql`(
    select i.identity, i.user_id from identities i join users u on u.id = i.user_id
    where i.identity in (('id:' || u.forge_rest_id) collate "C", ('login:' || u.login_key) collate "C")
      or i.identity <> all (${sql.typed.texts(ofForgotten)}) and not exists (
        select from users where i.identity like 'login:%' and login_key = substr(i.identity, 7) collate "default"
      ) and not exists (
        select from users
        where forge_rest_id = case when i.identity ~ '^id:[0-9]{1,15}$' then substr(i.identity, 4)::bigint end
      )
  )`
}

/** Whether an identity is one of these. */
export function includedIn(identities: readonly string[]): IsForgotten {
  const all = new Set(identities)
  return (identity) => all.has(identity)
}

/** A commit that names a person. */
export interface NamingCommit {
  repository_id: number
  commit_hash: string
  author_identity: string | null
  coauthor_identities: string[] | null
  version: number
  commit: Omit<CommitRecord, 'repo_url'>
  /** The commit without the person. */
  redacted: Omit<CommitRecord, 'repo_url'>
}

/** Commits that name people, noted by `noteCommitsNaming`. */
export interface NotedCommits {
  /** A temporary table. */
  table: string
}

/**
 * Reads the commits that name people with these identities. Other statements may run between the batches. If
 * the commits aren't noted, the database looks for texts that may have them.
 */
export async function* readCommitsNaming(
  tx: SqlOrTransaction,
  identities: readonly string[],
  noted?: NotedCommits,
): AsyncGenerator<NamingCommit[]> {
  const commits = noted ?? (await findCommitsNaming(tx, identities))
  yield* searchCommits(
    tx,
    tx`where (repository_id, commit_hash) in (select repository_id, commit_hash from ${tx(commits.table)})`,
    includedIn(identities),
  )
  if (noted === undefined) await tx`drop table ${tx(commits.table)}`
}

/**
 * Notes the commits whose texts may name people with these identities. Unlike a cursor, it can use several processors.
 */
async function findCommitsNaming(tx: SqlOrTransaction, identities: readonly string[]): Promise<NotedCommits> {
  const names = tx.typed.texts(identities)
  await tx`
    create temporary table possible_commits on commit drop as
    select repository_id, commit_hash from commits m
    where author_identity = any (${names}) or coauthor_identities && ${names}
      or lower(members collate "C") like any (${tx.typed.texts(listPatterns(identities))})
      or octet_length(members) > length(members) and members collate "C" ~ ${matchOtherForms(identities)}`
  await tx`analyze possible_commits`
  return { table: 'possible_commits' }
}

/**
 * Notes the commits that name somebody in a temporary table, which lasts until the transaction ends. It reads all
 * commits, and asks `isNamed` about every address and login in them.
 */
export async function noteCommitsNaming(tx: SqlOrTransaction, isNamed: IsForgotten): Promise<NotedCommits> {
  await tx`
    create temporary table naming_commits (
      repository_id integer, commit_hash text collate "C", primary key (repository_id, commit_hash)
    ) on commit drop`
  for await (const batch of searchCommits(tx, tx``, isNamed)) {
    if (batch.length === 0) continue
    const keys = batch.map(({ repository_id, commit_hash }) => ({ repository_id, commit_hash }))
    await tx`
      insert into naming_commits
      select * from json_populate_recordset(null::naming_commits, ${JSON.stringify(keys)}::text::json)`
  }
  return { table: 'naming_commits' }
}

interface CommitRow extends Omit<NamingCommit, 'commit' | 'redacted'> {
  members: string
  url_key: string
}

async function* searchCommits(
  tx: SqlOrTransaction,
  where: Fragment,
  isNamed: IsForgotten,
): AsyncGenerator<NamingCommit[]> {
  await tx`
    declare naming no scroll cursor for
    select repository_id, commit_hash, author_identity, to_json(coauthor_identities) as coauthor_identities, m.version, m.members,
      url_key
    from commits m join repositories r on r.id = repository_id ${where}`
  for await (const batch of fetchBatches<CommitRow>(tx, 'naming')) {
    yield batch.flatMap(({ members, url_key, ...row }) => {
      const commit = readMembers<NamingCommit['commit']>(members)
      const redacted = redactCommit(commit, findHostInKey(url_key), isNamed)
      return redacted === commit ? [] : [{ ...row, commit, redacted }]
    })
  }
}

/** Rows that a batch reads and writes. A repository with its dependencies may have some hundred KB. */
const batchSize = 100

/** Reads the rows of a cursor. Other statements may run between the batches. */
export async function* fetchBatches<Row extends object>(
  tx: SqlOrTransaction,
  cursor: string,
): AsyncGenerator<Row[]> {
  for (;;) {
    const rows = await tx.unsafe<Row[]>(`fetch ${batchSize} from ${cursor}`)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) break
  }
  await tx.unsafe(`close ${cursor}`)
}

/** Characters beyond ASCII that are folded to letters of ASCII. */
const otherForms = [...'ßẞſıİ\u212aŉǰẖẗẘẙẚﬀﬁﬂﬃﬄﬅﬆ']

/**
 * A regular expression for texts that `listPatterns` misses: `groß@example.com` has the identity of
 * `GROSS@EXAMPLE.COM`.
 */
function matchOtherForms(identities: readonly string[]): string {
  const found = otherForms.filter((form) => identities.some((identity) => identity.includes(foldText(form))))
  return `[\x01${found.join('')}]` // JSON has no control character, and an empty set is invalid
}

/**
 * Lists `like` patterns of lowercase texts that may have one of the identities. They match too much: other letters than
 * those of ASCII have several forms, and JSON escapes some characters.
 */
function listPatterns(identities: readonly string[]): string[] {
  return identities.map((identity) => {
    const [, kind, name = ''] = /^(\w+):(.*)$/s.exec(identity) ?? []
    const text = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9@.+_-]/g, '%')
      .replaceAll('_', '\\_')
    return kind === 'id' ? `%${text}+%` : `%${text}%`
  })
}
