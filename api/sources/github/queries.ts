/** The queries to the forge's GraphQL API, and the shape of their responses. */
import * as v from 'valibot'
import { type Query, rateLimitSelection } from './client.ts'

/** Nodes that a query may name, and items of a page. */
export const maxItems = 100

const count = v.object({ totalCount: v.number() })
const databaseId = v.optional(v.nullable(v.number()), null)

/** A repository as the forge describes it. */
export const forgeRepository = v.object({
  id: v.string(),
  databaseId,
  name: v.string(),
  nameWithOwner: v.string(),
  url: v.string(),
  owner: v.object({
    __typename: v.string(),
    id: v.string(),
    databaseId,
    login: v.string(),
    avatarUrl: v.string(),
  }),
  description: v.nullable(v.string()),
  homepageUrl: v.nullable(v.string()),
  isPrivate: v.boolean(),
  isFork: v.boolean(),
  isArchived: v.boolean(),
  isDisabled: v.boolean(),
  forkCount: v.number(),
  stargazerCount: v.number(),
  watchers: count,
  issues: count,
  licenseInfo: v.nullable(v.object({ spdxId: v.nullable(v.string()) })),
  primaryLanguage: v.nullable(v.object({ name: v.string() })),
  hasIssuesEnabled: v.boolean(),
  hasDiscussionsEnabled: v.boolean(),
  hasProjectsEnabled: v.boolean(),
  createdAt: v.string(),
  updatedAt: v.string(),
  pushedAt: v.nullable(v.string()),
  visibility: v.string(),
  /** In KB. */
  diskUsage: v.nullable(v.number()),
  defaultBranchRef: v.nullable(
    v.object({ name: v.string(), target: v.nullable(v.object({ oid: v.string() })) }),
  ),
})
export type ForgeRepository = v.InferOutput<typeof forgeRepository>

/** The fields of all kinds of accounts. */
const accountFields = {
  id: v.string(),
  databaseId,
  login: v.string(),
  avatarUrl: v.string(),
  createdAt: v.string(),
  updatedAt: v.string(),
}

/** An account as the forge describes it. */
export const forgeAccount = v.variant('__typename', [
  v.object({
    __typename: v.literal('User'),
    ...accountFields,
    name: v.nullable(v.string()),
    email: v.string(),
    company: v.nullable(v.string()),
    location: v.nullable(v.string()),
    bio: v.nullable(v.string()),
    followers: count,
    following: count,
  }),
  v.object({
    __typename: v.literal('Organization'),
    ...accountFields,
    name: v.nullable(v.string()),
    /** Has another name: that of users is not nullable. */
    orgEmail: v.nullable(v.string()),
    location: v.nullable(v.string()),
    description: v.nullable(v.string()),
  }),
  v.object({ __typename: v.literal('Bot'), ...accountFields }),
])
export type ForgeAccount = v.InferOutput<typeof forgeAccount>

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

/** An owner with a page of its repositories: `repositoryOwner`. */
export const ownedRepositories = v.object({
  repositories: v.object({
    nodes: v.array(v.unknown()),
    pageInfo: v.variant('hasNextPage', [
      v.object({ hasNextPage: v.literal(true), endCursor: v.string() }),
      v.object({ hasNextPage: v.literal(false) }),
    ]),
  }),
})

/** A repository of which little was asked for. */
export const repositoryName = v.object({ id: v.string(), nameWithOwner: v.string() })

/**
 * Asks for a page of the repositories that an account owns, `first` of them: all that is needed, or what `repositoryName`
 * has.
 */
export function queryOwnedRepositories(
  login: string,
  after: string | null,
  { first = maxItems, areNamed = false } = {},
): Query {
  return {
    name: 'OwnedRepositories',
    text: `query OwnedRepositories($login: String!, $after: String, $first: Int!) {
      repositoryOwner(login: $login) {
        repositories(
          first: $first, after: $after, ownerAffiliations: OWNER, orderBy: { field: CREATED_AT, direction: ASC }
        ) {
          nodes { ${areNamed ? 'id nameWithOwner' : '...repositoryFields'} }
          pageInfo { hasNextPage endCursor }
        }
      }
      ${rateLimitSelection}
    }${areNamed ? '' : repositoryFields}`,
    variables: { login, after, first },
    points: 3,
  }
}

/** Asks for repositories by `owner/name`, as `r0`, `r1`, and so on. Names that they once had find them too. */
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

/** Asks for repositories by their GraphQL ids, as `nodes`. */
export function queryRepositories(ids: readonly string[]): Query {
  return {
    name: 'Repositories',
    text: `query Repositories($ids: [ID!]!) { nodes(ids: $ids) { ...repositoryFields } ${rateLimitSelection} }${repositoryFields}`,
    variables: { ids },
    points: 3,
  }
}

/** Asks for accounts by their GraphQL ids, as `nodes`. */
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

/** A commit whose author, or one of whose co-authors, is asked for. */
export interface AuthoredCommit {
  /** The repository's GraphQL id. */
  repository: string
  hash: string
  isCoauthored: boolean
}

/** An account that an author is. */
const authorAccount = v.object({ id: v.string(), databaseId, login: v.string() })
export type AuthorAccount = v.InferOutput<typeof authorAccount>

const gitActor = v.object({ user: v.nullish(authorAccount) })

/** A commit with its author, or with all authors. Any of them may have no account. */
export const authorsOfCommit = v.object({
  author: v.nullish(gitActor),
  authors: v.nullish(
    v.object({
      nodes: v.nullish(
        v.array(v.nullish(v.object({ ...gitActor.entries, email: v.nullish(v.string()) }))),
        [],
      ),
    }),
  ),
})

/** Of each commit, only the first authors are asked for: as many as the forge puts on a page. */
const maxAuthors = 100

/** Asks for the accounts of the authors of commits: `object` of `c0`, `c1`, and so on. */
export function queryAuthors(commits: readonly AuthoredCommit[]): Query {
  const parameters = commits.map((_, index) => `$r${index}: ID!, $h${index}: GitObjectID!`).join(', ')
  const user = 'user { id databaseId login }'
  const fields = commits.map(({ isCoauthored }, index) => {
    const authors = isCoauthored
      ? `authors(first: ${maxAuthors}) { nodes { email ${user} } }`
      : `author { ${user} }`
    return `
      c${index}: node(id: $r${index}) {
        ... on Repository { object(oid: $h${index}) { ... on Commit { ${authors} } } }
      }`
  })
  return {
    name: 'Authors',
    text: `query Authors(${parameters}) { ${fields.join('')} ${rateLimitSelection} }`,
    variables: Object.fromEntries(
      commits.flatMap(({ repository, hash }, index) => [
        [`r${index}`, repository],
        [`h${index}`, hash],
      ]),
    ),
    points: commits.some(({ isCoauthored }) => isCoauthored) ? 2 : 1,
  }
}
