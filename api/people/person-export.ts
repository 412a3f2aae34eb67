/** Everything that the database has about a person, for the person: a document that explains itself. */
import { renderMembers, selectMember } from '../catalog/stored-documents.ts'
import { readOneVersion } from '../database/cluster.ts'
import { type Sql, type SqlOrTransaction, selectTime } from '../database/connect.ts'
import { readOrigins, type VersionOrigin } from '../dataset/loads.ts'
import { selectUsesByRepository } from '../dataset/user-dependencies.ts'
import { isCoauthorToken } from '../names/coauthors.ts'
import { removeTrailers } from '../names/trailers.ts'
import { listLogins, namesLogin } from './forget.ts'
import { findForgottenPeople } from './forgotten-people.ts'
import {
  findNames,
  type NamingCommit,
  type PersonNames,
  readCommitsNaming,
  selectOwn,
} from './person-search.ts'
import { identifyPlaceholder } from './redaction.ts'

/** Explains the document to the person. */
const about = [
  "This file has the person's accounts and repositories, and the commits that have one of their addresses " +
    'or logins, as they were at the time of the export. It does not have texts of others that mention the ' +
    'person in other ways.',
  'users: accounts of the person. "record" is what clients of the service can read. "further_addresses" ' +
    'are addresses by which commits are matched to the account. No client can read them. "country" is what ' +
    'the text of the location names. "is_automation_account" is whether the service takes the account for a ' +
    'program, and "last_commit" when the person last wrote a commit. Clients can search by all three. ' +
    '"uses" are packages that repositories declared while the person owned them or committed to them, since ' +
    'the time in "since"; null: the time is unknown. "file" declares the package, and "status" is active if ' +
    'it still does.',
  'repositories: those that the person owns, with the packages that they declare or declared.',
  'commits: those that name the person. "person_is" says in which part: as the author, a co-author or the ' +
    'committer, or in the message.',
  'origin: the version of the dataset that last changed the record, and the load that made this version. ' +
    'Its "source" is the host of the forge, the number of clones, or the kinds of records in files: ask the ' +
    'operator where files are from. Without a load, another command changed the record, for example to ' +
    'forget somebody else.',
  "requests: how many paid requests looked up one of the person's accounts or repositories by its path, " +
    'as far as the ledger goes back. The operator can see which client made them. Lists, and requests that ' +
    'cost nothing, may have returned records of the person, too, and are not counted.',
  'is_forgotten: the person was forgotten. The service only has keyed hashes of their names and ' +
    'addresses, and repositories that were kept under another owner. is_on_deletion_list: the address is ' +
    'only on a deletion list. Loads leave it out.',
  'All times are in UTC.',
]

/** A record, and where it is from. */
interface OriginatedRecord {
  record: object
  origin: VersionOrigin
}

/** What the database has about a person. */
export interface PersonExport {
  about: readonly string[]
  exported_at: Date
  dataset_version: number
  is_forgotten: boolean
  is_on_deletion_list: boolean
  users: (OriginatedRecord & {
    further_addresses: string[]
    country: string | null
    is_automation_account: boolean
    last_commit: string | null
    uses: Use[]
  })[]
  repositories: OriginatedRecord[]
  commits: (OriginatedRecord & { repository: string; person_is: CommitRole[] })[]
  requests: { count: number; first: string | null; last: string | null }
}

/** A dependency that a person uses. */
interface Use {
  name: string
  file: string
  status: string | null
  since: string | null
  repositories: string[]
}

type CommitRole = 'author' | 'co-author' | 'committer' | 'named in the message'

/**
 * Exports what the database has about a person, in one snapshot. `identities` are those that are known of the person.
 */
export function exportPerson(sql: Sql, identities: readonly string[]): Promise<PersonExport> {
  const exportAll = async (tx: SqlOrTransaction) => {
    const [dataset] = await tx<{ version: number }[]>`select version from dataset`
    if (dataset === undefined) throw new Error('the dataset row is missing')
    const names = await findNames(tx, identities)
    const people = [...(await findForgottenPeople(tx, identities)).values()]
    const kept = people.map(({ id }) => identifyPlaceholder(id))
    const all = [...names.identities, ...kept]
    const [users, repositories, commits] = [
      await readUsers(tx, names),
      await readRepositories(tx, all),
      await readCommits(tx, all),
    ]
    const versions = [users, repositories, commits].flat().map(({ version }) => version)
    const origins = await readOrigins(tx, versions)
    const locate = <Row extends { version: number; record: object }>({ version, record, ...row }: Row) => ({
      record: writeTimes(record),
      ...row,
      origin: origins.get(version) ?? { dataset_version: version },
    })
    return {
      about,
      exported_at: new Date(),
      dataset_version: dataset.version,
      is_forgotten: people.some(({ isListedOnly }) => !isListedOnly),
      is_on_deletion_list: people.some(({ isListedOnly }) => isListedOnly),
      users: users.map(locate),
      repositories: repositories.map(locate),
      commits: commits.map(locate),
      requests: await readRequests(tx, all),
    }
  }
  return readOneVersion(sql, exportAll, { readOnly: false }) // it notes what it finds in temporary tables
}

/** Users of the identities. */
function selectUsers(tx: SqlOrTransaction, { identities, ofForgotten }: PersonNames) {
  return tx`
    select user_id from ${selectOwn(tx, ofForgotten)} o where identity = any (${tx.typed.texts(identities)})`
}

async function readUsers(tx: SqlOrTransaction, names: PersonNames) {
  const users = await tx<
    {
      id: number
      version: number
      record: object
      further_addresses: string[]
      country: string | null
      is_automation_account: boolean
      last_commit: number | null
    }[]
  >`
    select id, version, document::json as record, is_bot as is_automation_account,
      (select last_date from user_activity where user_id = u.id) as last_commit,
      (select country from locations l where l.id = any (u.term_ids)) as country,
      coalesce((select document::json -> 'addresses' from user_addresses where user_id = u.id), '[]') as further_addresses
    from users u where id in (${selectUsers(tx, names)}) order by id`
  const uses = await tx<(Omit<Use, 'since'> & { user_id: number; since: number | null })[]>`
    select user_id, name, file, status,
      case when count(begin) = count(*) and min(begin) % 2 = 0 then min(begin) / 2 end as since,
      json_agg(distinct ${selectMember(tx, tx`members`, 'full_name')}) as repositories
    from (${selectUsesByRepository(
      tx,
      users.map(({ id }) => id),
    )}) u
      join repositories r on r.id = repository_id
    group by user_id, name, file, status order by name, file, status`
  return users.map(({ id, last_commit, ...user }) => ({
    ...user,
    last_commit: writeTime(last_commit),
    uses: uses
      .filter(({ user_id }) => user_id === id)
      .map(({ user_id: _same, since, ...use }) => ({ ...use, since: writeTime(since) })),
  }))
}

function readRepositories(tx: SqlOrTransaction, identities: readonly string[]) {
  const record = renderMembers(tx, tx`members`, { internalId: tx`id`, dependencies: tx`dependencies` })
  return tx<{ version: number; record: object }[]>`
    select version, ${record}::json as record
    from repositories where id in (
      select repository_id from contributions where kind = 'owner' and identity = any (${tx.typed.texts(identities)})
    ) order by id`
}

async function readCommits(tx: SqlOrTransaction, identities: readonly string[]) {
  const found: NamingCommit[] = []
  for await (const batch of readCommitsNaming(tx, identities)) found.push(...batch)
  const ids = [...new Set(found.map(({ repository_id }) => repository_id))]
  const repositories = await tx<{ id: number; url: string }[]>`
    select id, ${selectMember(tx, tx`members`, 'url')} as url
    from repositories where id = any (${tx.typed.bigints(ids)})`
  const urls = new Map(repositories.map(({ id, url }) => [id, url]))
  return found.map(({ version, repository_id, commit, ...rest }) => ({
    version,
    repository: urls.get(repository_id) ?? '',
    person_is: listRoles({ commit, ...rest }, identities),
    record: commit,
  }))
}

function listRoles(
  { coauthor_identities, commit, redacted }: Omit<NamingCommit, 'version' | 'repository_id'>,
  identities: readonly string[],
): CommitRole[] {
  const isCoauthor = coauthor_identities?.some((identity) => identities.includes(identity)) === true
  return [
    ...(commit.author_email === redacted.author_email ? [] : (['author'] as const)),
    ...(isCoauthor ? (['co-author'] as const) : []),
    ...(commit.committer_email === redacted.committer_email ? [] : (['committer'] as const)),
    ...(cutCoauthors(commit.message) === cutCoauthors(redacted.message)
      ? []
      : (['named in the message'] as const)),
  ]
}

/** A message without the trailers that name co-authors. */
function cutCoauthors(message: string): string {
  return removeTrailers(message, ({ token }) => isCoauthorToken(token)).trimEnd()
}

async function readRequests(
  tx: SqlOrTransaction,
  identities: readonly string[],
): Promise<PersonExport['requests']> {
  const logins = listLogins(identities)
  const [requests] =
    logins.length === 0
      ? []
      : await tx<PersonExport['requests'][]>`
          select count(*) as count, ${selectTime(tx, tx`min(created_at)`)} as first, ${selectTime(tx, tx`max(created_at)`)} as last
          from ledger where ${namesLogin(tx, logins)}`
  return requests ?? { count: 0, first: null, last: null }
}

function writeTime(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1_000).toISOString()
}

/**
 * Writes Unix seconds in fields such as `pushed_at` and `author_date` as ISO 8601, also in what the record contains.
 */
function writeTimes(record: object): object {
  return JSON.parse(JSON.stringify(record), (name, value) =>
    typeof value === 'number' && /_(?:at|date)$/.test(name) ? writeTime(value) : value,
  )
}
