/**
 * Turns what the forge says into records. What it doesn't say is null, or has a documented default where null isn't
 * allowed (`docs-site/src/content/docs/import-github.md`).
 */
import {
  RecordError,
  type RecordKind,
  type Records,
  type UserRecord,
  validateRecord,
} from '../../staging/records.ts'
import type { ForgeAccount, ForgeRepository } from './queries.ts'

/** The record of what the forge describes, or why there is none. An enterprise server may allow what records don't. */
export type Mapped<Kind extends RecordKind> =
  | { outcome: 'mapped'; record: Records[Kind] }
  | { outcome: 'unusable'; reason: string }

/** Creates the record of a repository, without its dependencies. */
export function mapRepository(repository: ForgeRepository): Mapped<'repos'> {
  const { databaseId, owner } = repository
  return validate('repos', {
    forge_rest_id: databaseId,
    forge_graphql_id: repository.id,
    url: repository.url,
    name: repository.name,
    full_name: repository.nameWithOwner,
    private: repository.isPrivate,
    owner_login: owner.login,
    owner_avatar_url: owner.avatarUrl,
    description: textOrNull(repository.description),
    homepage: textOrNull(repository.homepageUrl),
    fork: repository.isFork,
    forks_count: repository.forkCount,
    archived: repository.isArchived,
    disabled: repository.isDisabled,
    license: licenseOf(repository),
    language: repository.primaryLanguage?.name ?? null,
    stargazers_count: repository.stargazerCount,
    watchers_count: repository.watchers.totalCount,
    open_issues_count: repository.issues.totalCount,
    has_issues: repository.hasIssuesEnabled,
    has_discussions: repository.hasDiscussionsEnabled,
    has_projects: repository.hasProjectsEnabled,
    created_at: secondsOf(repository.createdAt),
    updated_at: secondsOf(repository.updatedAt),
    pushed_at: repository.pushedAt === null ? null : secondsOf(repository.pushedAt),
    visibility: repository.visibility.toLowerCase(),
    size: repository.diskUsage,
    default_branch: repository.defaultBranchRef?.name ?? null,
    dependencies: null,
  })
}

/** Creates the record of an account. */
export function mapAccount(account: ForgeAccount): Mapped<'users'> {
  const { __typename: type } = account
  return validate('users', {
    forge_rest_id: account.databaseId,
    forge_graphql_id: account.id,
    login: type === 'Bot' ? `${account.login.replace(/\[bot\]$/i, '')}[bot]` : account.login,
    avatar_url: account.avatarUrl,
    type,
    created_at: account.createdAt,
    updated_at: account.updatedAt,
    ...profileOf(account),
  })
}

type Profile = Pick<UserRecord, 'name' | 'email' | 'company' | 'location' | 'bio' | 'followers' | 'following'>

function profileOf(account: ForgeAccount): Profile {
  const unknown = {
    name: null,
    email: null,
    company: null,
    location: null,
    bio: null,
    followers: 0,
    following: 0,
  }
  switch (account.__typename) {
    case 'User':
      return {
        name: textOrNull(account.name),
        email: textOrNull(account.email),
        company: textOrNull(account.company),
        location: textOrNull(account.location),
        bio: textOrNull(account.bio),
        followers: account.followers.totalCount,
        following: account.following.totalCount,
      }
    case 'Organization':
      return {
        ...unknown,
        name: textOrNull(account.name),
        email: textOrNull(account.orgEmail),
        location: textOrNull(account.location),
        bio: textOrNull(account.description),
      }
    case 'Bot':
      return unknown
  }
}

type Unvalidated<Record extends { forge_rest_id: number }> = Omit<Record, 'forge_rest_id' | 'internal_id'> & {
  forge_rest_id: number | null
}

function validate<Kind extends 'users' | 'repos'>(
  kind: Kind,
  record: Unvalidated<Records[Kind]>,
): Mapped<Kind> {
  if (record.forge_rest_id === null) return { outcome: 'unusable', reason: 'the forge gives no id' }
  try {
    return { outcome: 'mapped', record: validateRecord(kind, record) }
  } catch (error) {
    if (!(error instanceof RecordError)) throw error
    return { outcome: 'unusable', reason: `can't be loaded: ${error.message}` }
  }
}

/** The forge's identifier of a license that it doesn't recognize says that there is one, not which. */
function licenseOf({ licenseInfo }: ForgeRepository): string | null {
  const id = licenseInfo?.spdxId ?? null
  return id === 'NOASSERTION' ? null : id
}

/** The forge has empty texts for what nobody filled in. */
function textOrNull(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}
