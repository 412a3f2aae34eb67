/**
 * The queries to the forge's GraphQL API, and the shape of their responses.
 *
 * @module
 */
import { type Query, rateLimitSelection } from './client.ts'

/** Nodes that a query may name, and items of a page. */
export const maxItems = 100

interface Count {
  totalCount: number
}

/** A repository as the forge describes it. */
export interface ForgeRepository {
  id: string
  databaseId: number | null
  name: string
  nameWithOwner: string
  url: string
  owner: { __typename: string; id: string; databaseId: number | null; login: string; avatarUrl: string }
  description: string | null
  homepageUrl: string | null
  isPrivate: boolean
  isFork: boolean
  isArchived: boolean
  isDisabled: boolean
  forkCount: number
  stargazerCount: number
  watchers: Count
  issues: Count
  licenseInfo: { spdxId: string | null } | null
  primaryLanguage: { name: string } | null
  hasIssuesEnabled: boolean
  hasDiscussionsEnabled: boolean
  hasProjectsEnabled: boolean
  createdAt: string
  updatedAt: string
  pushedAt: string | null
  visibility: string
  /** In KB. */
  diskUsage: number | null
  defaultBranchRef: { name: string; target: { oid: string } | null } | null
}

/** The fields of all kinds of accounts. */
interface AccountFields {
  id: string
  databaseId: number | null
  login: string
  avatarUrl: string
  createdAt: string
  updatedAt: string
}

/** An account as the forge describes it. */
export type ForgeAccount =
  | (AccountFields & {
      __typename: 'User'
      name: string | null
      email: string
      company: string | null
      location: string | null
      bio: string | null
      followers: Count
      following: Count
    })
  | (AccountFields & {
      __typename: 'Organization'
      name: string | null
      /** Has another name: that of users is not nullable. */
      orgEmail: string | null
      location: string | null
      description: string | null
    })
  | (AccountFields & { __typename: 'Bot' })

// Counting the watchers and the issues is what costs points: a hundredth for each repository and each of the two.
const repositoryFields = `
  fragment repositoryFields on Repository {
    id databaseId name nameWithOwner url
    owner { __typename id login avatarUrl ... on User { databaseId } ... on Organization { databaseId } }
    description homepageUrl isPrivate isFork isArchived isDisabled forkCount stargazerCount
    watchers { totalCount }
    issues(states: OPEN) { totalCount }
    licenseInfo { spdxId }
    primaryLanguage { name }
    hasIssuesEnabled hasDiscussionsEnabled hasProjectsEnabled
    createdAt updatedAt pushedAt visibility diskUsage
    defaultBranchRef { name target { oid } }
  }`

export interface OwnedRepositories {
  repositoryOwner: {
    repositories: {
      nodes: (ForgeRepository | null)[]
      pageInfo: { hasNextPage: boolean; endCursor: string | null }
    }
  } | null
}

/** Asks for a page of the repositories that an account owns, `first` of them. */
export function queryOwnedRepositories(login: string, after: string | null, first = maxItems): Query {
  return {
    name: 'OwnedRepositories',
    text: `query OwnedRepositories($login: String!, $after: String, $first: Int!) {
      repositoryOwner(login: $login) {
        repositories(
          first: $first, after: $after, ownerAffiliations: OWNER, orderBy: { field: CREATED_AT, direction: ASC }
        ) {
          nodes { ...repositoryFields }
          pageInfo { hasNextPage endCursor }
        }
      }
      ${rateLimitSelection}
    }${repositoryFields}`,
    variables: { login, after, first },
    points: 3,
  }
}

/** By alias: `r0`, `r1`, and so on. */
export type NamedRepositories = Record<string, ForgeRepository | null>

/** Asks for repositories by `owner/name`. Names that they once had find them too. */
export function queryNamedRepositories(names: readonly { owner: string; name: string }[]): Query {
  const parameters = names.map((_, index) => `$o${index}: String!, $n${index}: String!`).join(', ')
  const fields = names.map(
    (_, index) => `r${index}: repository(owner: $o${index}, name: $n${index}) { ...repositoryFields }`,
  )
  return {
    name: 'NamedRepositories',
    text: `query NamedRepositories(${parameters}) { ${fields.join(' ')} ${rateLimitSelection} }${repositoryFields}`,
    variables: Object.fromEntries(
      names.flatMap(({ owner, name }, index) => [
        [`o${index}`, owner],
        [`n${index}`, name],
      ]),
    ),
    points: 3,
  }
}

export interface Nodes<Node> {
  nodes: (Node | Record<string, never> | null)[]
}

/** Asks for repositories by their GraphQL ids. */
export function queryRepositories(ids: readonly string[]): Query {
  return {
    name: 'Repositories',
    text: `query Repositories($ids: [ID!]!) { nodes(ids: $ids) { ...repositoryFields } ${rateLimitSelection} }${repositoryFields}`,
    variables: { ids },
    points: 3,
  }
}

/** Asks for accounts by their GraphQL ids. */
export function queryAccounts(ids: readonly string[]): Query {
  return {
    name: 'Accounts',
    text: `query Accounts($ids: [ID!]!) {
      nodes(ids: $ids) {
        __typename
        ... on User {
          id databaseId login avatarUrl createdAt updatedAt name email company location bio
          followers { totalCount }
          following { totalCount }
        }
        ... on Organization { id databaseId login avatarUrl createdAt updatedAt name orgEmail: email location description }
        ... on Bot { id databaseId login avatarUrl createdAt updatedAt }
      }
      ${rateLimitSelection}
    }`,
    variables: { ids },
    points: 3,
  }
}

/** A commit whose author is asked for. */
export interface AuthoredCommit {
  /** The repository's GraphQL id. */
  repository: string
  hash: string
}

/** By alias: `c0`, `c1`, and so on. */
export type CommitAuthors = Record<
  string,
  {
    object?: {
      author?: { user: { id: string; databaseId: number | null; login: string } | null } | null
    } | null
  } | null
>

/** Asks for the accounts of the authors of commits. */
export function queryAuthors(commits: readonly AuthoredCommit[]): Query {
  const parameters = commits.map((_, index) => `$r${index}: ID!, $h${index}: GitObjectID!`).join(', ')
  const fields = commits.map(
    (_, index) => `
      c${index}: node(id: $r${index}) {
        ... on Repository { object(oid: $h${index}) { ... on Commit { author { user { id databaseId login } } } } }
      }`,
  )
  return {
    name: 'Authors',
    text: `query Authors(${parameters}) { ${fields.join('')} ${rateLimitSelection} }`,
    variables: Object.fromEntries(
      commits.flatMap(({ repository, hash }, index) => [
        [`r${index}`, repository],
        [`h${index}`, hash],
      ]),
    ),
    points: 1,
  }
}
