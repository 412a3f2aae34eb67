/**
 * The rows that records become in the staging tables (see `staging.ts`).
 *
 * @module
 */
import { writeMembers } from '../catalog/stored-documents.ts'
import { isBot, type NamedAccounts } from '../names/automation-accounts.ts'
import { foldLocation, foldText } from '../names/case-folding.ts'
import { listCoauthors } from '../names/coauthors.ts'
import { keyDependencyName } from '../names/dependency-names.ts'
import { identifyAddress, identifyForgeId, identifyLogin } from '../names/forge-names.ts'
import { keyRepositoryUrl } from '../names/repository-url.ts'
import { createRepositoryAttributes, createUserAttributes } from './attribute-terms.ts'
import type {
  AddressesRecord,
  CommitRecord,
  DependencyRecord,
  LoadItem,
  RepositoryRecord,
  UserRecord,
} from './records.ts'

/** A row of a staging table, by column. */
export type StagedRow = Record<string, string | number | boolean | null | readonly (string | number | null)[]>

/** Creates the row of a record. `named`: what the operator says of accounts. */
export function createRow(item: LoadItem, named: NamedAccounts): StagedRow {
  switch (item.kind) {
    case 'users':
      return createUserRow(item.record, named)
    case 'identities':
      return createAddressesRow(item.record)
    case 'repos':
      return createRepositoryRow(item.record)
    case 'commits':
      return createCommitRow(item.record)
    case 'removals': {
      const { forge_rest_id, kind } = item.record
      return { forge_rest_id, kind }
    }
  }
}

/** Lists how commits and repositories may name a user. */
export function identifyUser({ forge_rest_id, login, email }: UserRecord): string[] {
  const byEmail = identifyAddress(email ?? '')
  const identities = [identifyForgeId(forge_rest_id), identifyLogin(login)]
  return byEmail === null || identities.includes(byEmail) ? identities : [...identities, byEmail]
}

function createUserRow(user: UserRecord, named: NamedAccounts): StagedRow {
  const is_bot = isBot(user, named)
  return {
    forge_rest_id: user.forge_rest_id,
    login_key: foldText(user.login),
    is_bot,
    identities: identifyUser(user),
    location: user.location,
    location_key: user.location === null ? null : foldLocation(user.location),
    ...createUserAttributes(user, is_bot),
    document: JSON.stringify(user),
  }
}

/** Maps further addresses by identity: in order, and each once, whatever its case. */
export function identifyAddresses({ addresses }: Pick<AddressesRecord, 'addresses'>): Map<string, string> {
  const byIdentity = new Map<string, string>()
  for (const address of [...addresses].sort(compareBytes)) {
    const identity = identifyAddress(address)
    if (identity !== null && !byIdentity.has(identity)) byIdentity.set(identity, address)
  }
  return byIdentity
}

function createAddressesRow(record: AddressesRecord): StagedRow {
  const { forge_rest_id } = record
  const byIdentity = identifyAddresses(record)
  return {
    forge_rest_id,
    identities: [...byIdentity.keys()],
    document: JSON.stringify({ forge_rest_id, addresses: [...byIdentity.values()] }),
  }
}

/** Creates the row of a repository. */
export function createRepositoryRow(repository: RepositoryRecord): StagedRow {
  const { internal_id: _ours, dependencies, ...fields } = repository
  const sorted = dependencies && sortDependencies(dependencies, fields.url)
  return {
    forge_rest_id: fields.forge_rest_id,
    full_name_key: foldText(`${fields.owner_login}/${fields.name}`),
    url_key: keyRepositoryUrl(fields.url),
    owner_identity: identifyLogin(fields.owner_login),
    pushed_at: fields.pushed_at,
    ...createRepositoryAttributes(fields),
    members: writeMembers(fields),
    dependencies: sorted && JSON.stringify(sorted),
    ...createDependencyColumns(sorted ?? []),
  }
}

/** Describes dependencies by columns that are parallel to each other. */
function createDependencyColumns(dependencies: readonly DependencyRecord[]): StagedRow {
  const pairs = dependencies.map(({ dependency }) => dependency)
  return {
    names: pairs.map(({ dependency_name }) => dependency_name),
    name_keys: pairs.map((pair) => keyDependencyName(pair.dependency_name, pair.dependency_file)),
    files: pairs.map(({ dependency_file }) => dependency_file),
    statuses: dependencies.map(({ status }) => status),
    first_use_dates: dependencies.map(({ first_use_date }) => first_use_date),
    // What is declared has no last use yet, whatever the record says.
    last_use_dates: dependencies.map(({ status, last_use_date }) =>
      status === 'active' ? null : last_use_date,
    ),
  }
}

/**
 * Sorts dependencies as they are listed: by name, then file, byte by byte. All get the repository's URL. Theirs may be
 * another spelling of it.
 */
function sortDependencies(dependencies: readonly DependencyRecord[], url: string): DependencyRecord[] {
  return dependencies
    .map((use) => (use.url === url ? use : { ...use, url }))
    .sort(
      ({ dependency: a }, { dependency: b }) =>
        compareBytes(a.dependency_name, b.dependency_name) ||
        compareBytes(a.dependency_file, b.dependency_file),
    )
}

const surrogate = /[\ud800-\udfff]/

/** JavaScript compares UTF-16 code units. Without surrogates, their order is that of the UTF-8 bytes. */
function compareBytes(a: string, b: string): number {
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : Number(a > b)
}

function createCommitRow({ repo_url, ...commit }: CommitRecord): StagedRow {
  return {
    url_key: keyRepositoryUrl(repo_url),
    repo_url,
    commit_hash: commit.commit_hash,
    committer_date: commit.committer_date,
    author_date: commit.author_date,
    ...createCommitColumns(commit),
  }
}

/** Creates the columns that depend on what people have written into a commit. */
export function createCommitColumns(commit: Omit<CommitRecord, 'repo_url'>) {
  const author_identity = identifyAddress(commit.author_email)
  const identities = listCoauthors(commit.message).flatMap(({ address }) => identifyAddress(address) ?? [])
  const coauthors = [...new Set(identities)].filter((identity) => identity !== author_identity)
  return {
    author_identity,
    coauthor_identities: coauthors.length === 0 ? null : coauthors,
    members: writeMembers(commit),
  }
}
