/**
 * Turns what the forge says into records. What it doesn't say is null, or has a documented default where null isn't allowed
 * (`docs-site/src/content/docs/import-github.md`).
 *
 * @module
 */
import {
  RecordError,
  type RecordKind,
  type RepositoryRecord,
  readRecord,
  type UserRecord,
} from '../../dataset/records.ts'
import type { ForgeAccount, ForgeRepository } from './queries.ts'

/** A repository's record without its dependencies. */
export type RepositoryFields = Omit<RepositoryRecord, 'internal_id' | 'dependencies'>

/** Makes the record of a repository. Undefined: the forge gives no id. */
export function mapRepository(repository: ForgeRepository): RepositoryFields | undefined {
  const { databaseId, owner } = repository
  if (databaseId === null) return undefined
  return {
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
    license: repository.licenseInfo?.spdxId ?? null,
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
  }
}

/** Makes the record of an account. Undefined: the forge gives no id. */
export function mapAccount(account: ForgeAccount): UserRecord | undefined {
  if (account.databaseId === null) return undefined
  const { __typename: type } = account
  return {
    forge_rest_id: account.databaseId,
    forge_graphql_id: account.id,
    login: type === 'Bot' ? `${account.login.replace(/\[bot\]$/i, '')}[bot]` : account.login,
    avatar_url: account.avatarUrl,
    type,
    created_at: account.createdAt,
    updated_at: account.updatedAt,
    ...profileOf(account),
  }
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

/** Finds out why a record can't be loaded. Undefined: it can. An enterprise server may allow what the records don't. */
export function findFault(kind: RecordKind, record: object | undefined): string | undefined {
  if (record === undefined) return 'the forge gives no id'
  try {
    readRecord(kind, JSON.stringify(record))
    return undefined
  } catch (error) {
    if (error instanceof RecordError) return `can't be loaded: ${error.message}`
    throw error
  }
}

/** The forge has empty texts for what nobody filled in. */
function textOrNull(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}
