/** The rows that records become in the staging tables (see `staging.ts`). */
import { writeDependencyCommits, writeMembers } from '../catalog/stored-documents.ts'
import type { Column } from '../database/row-buffer.ts'
import { isBot, type NamedAccounts } from '../names/automation-accounts.ts'
import { foldText } from '../names/case-folding.ts'
import { listCoauthors } from '../names/coauthors.ts'
import { identifyAddress, identifyForgeId, identifyLogin } from '../names/forge-names.ts'
import { keyRepositoryUrl } from '../names/repository-url.ts'
import type { TextName } from '../names/searchable-texts.ts'
import { type Attribute, listRepositoryAttributes, listUserAttributes } from './attributes.ts'
import type {
  AddressesRecord,
  CommitRecord,
  DependencyRecord,
  LoadItem,
  RepositoryRecord,
  UserRecord,
} from './records.ts'

/** The terms of a row of a staging table, which have no ids yet. */
export interface TermsOfRow {
  /** Its terms, for the column `term_ids`. Undefined: rows of its kind have none. */
  terms?: ItemTerms
  /** What it declares, for three further columns. Undefined: rows of its kind declare nothing. */
  dependencies?: readonly DependencyRecord[]
}

/** A row of a staging table. */
export interface StagedRow extends TermsOfRow {
  /** The columns that don't depend on the ids of terms. Rows of one kind have the same ones, in the same order. */
  columns: Readonly<Record<string, Column>>
}

/** What filters can ask for, except what repositories declare. */
export interface ItemTerms {
  attributes: readonly Attribute[]
  texts?: Readonly<Record<TextName, string | null>>
}

/** Creates the row of a record. `named`: what the operator says of accounts. */
export function createRow(item: LoadItem, named: NamedAccounts): StagedRow {
  switch (item.kind) {
    case 'users': {
      const is_bot = isBot(item.record, named)
      return {
        columns: createUserColumns(item.record, is_bot),
        terms: { attributes: listUserAttributes(item.record, is_bot), texts: item.record },
      }
    }
    case 'identities':
      return { columns: createAddressesColumns(item.record) }
    case 'repos':
      return {
        columns: createRepositoryColumns(item.record),
        terms: { attributes: listRepositoryAttributes(item.record) },
        dependencies: item.record.dependencies ?? [],
      }
    case 'commits':
      return { columns: createStagedCommitColumns(item.record) }
    case 'removals': {
      const { forge_rest_id, kind } = item.record
      return { columns: { forge_rest_id, kind } }
    }
  }
}

/** Lists how commits and repositories may name a user. */
export function identifyUser({ forge_rest_id, login, email }: UserRecord): string[] {
  const byEmail = identifyAddress(email ?? '')
  const identities = [identifyForgeId(forge_rest_id), identifyLogin(login)]
  return byEmail === null || identities.includes(byEmail) ? identities : [...identities, byEmail]
}

function createUserColumns(user: UserRecord, is_bot: boolean) {
  return {
    forge_rest_id: user.forge_rest_id,
    login_key: foldText(user.login),
    is_bot,
    identities: identifyUser(user),
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

function createAddressesColumns(record: AddressesRecord) {
  const { forge_rest_id } = record
  const byIdentity = identifyAddresses(record)
  return {
    forge_rest_id,
    identities: [...byIdentity.keys()],
    document: JSON.stringify({ forge_rest_id, addresses: [...byIdentity.values()] }),
  }
}

/** Creates the columns of a repository. */
export function createRepositoryColumns(repository: RepositoryRecord) {
  const { internal_id: _ours, dependencies, ...fields } = repository
  const sorted = dependencies && sortDependencies(dependencies, fields.url)
  return {
    forge_rest_id: fields.forge_rest_id,
    full_name_key: foldText(`${fields.owner_login}/${fields.name}`),
    url_key: keyRepositoryUrl(fields.url),
    owner_identity: identifyLogin(fields.owner_login),
    pushed_at: fields.pushed_at,
    members: writeMembers(fields),
    dependencies: sorted && JSON.stringify(sorted.map(omitCommits)),
    dependencies_count: dependencies?.length ?? 0,
    dependency_commits: sorted && writeDependencyCommits(sorted),
  }
}

/** A dependency as it is stored and returned, without its commits. */
function omitCommits(use: DependencyRecord): DependencyRecord {
  if (use.added_commit_hash === undefined && use.removed_commit_hash === undefined) return use
  const { added_commit_hash: _added, removed_commit_hash: _removed, ...stored } = use
  return stored
}

/**
 * Sorts dependencies as they are listed: by name, then file, byte by byte. All get the repository's URL. Theirs may be
 * another spelling of it.
 */
function sortDependencies(dependencies: readonly DependencyRecord[], url: string): DependencyRecord[] {
  const compare = dependencies.some(
    ({ dependency }) =>
      surrogate.test(dependency.dependency_name) || surrogate.test(dependency.dependency_file),
  )
    ? compareBytes
    : compareCodeUnits
  return dependencies
    .map((use) => (use.url === url ? use : { ...use, url }))
    .sort(
      ({ dependency: a }, { dependency: b }) =>
        compare(a.dependency_name, b.dependency_name) || compare(a.dependency_file, b.dependency_file),
    )
}

const surrogate = /[\ud800-\udfff]/

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The order of bytes, but for texts with surrogates. */
function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function createStagedCommitColumns({ repo_url, ...commit }: CommitRecord) {
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
