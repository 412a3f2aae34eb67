/** A line of `users.ndjson`: the user object of the API. */
export interface SampleUser {
  forge_rest_id: number
  forge_graphql_id: string
  login: string
  name: string | null
  email: string | null
  avatar_url: string | null
  company: string | null
  location: string | null
  bio: string | null
  followers: number
  following: number
  type: 'User' | 'Organization' | 'Bot'
  created_at: string
  updated_at: string
}

/** A repository dependency. Times are Unix seconds. Few have the hashes of their commits, which no list has. */
export interface SampleDependency {
  url: string
  first_use_date: number | null
  last_use_date: number | null
  updated_at: number
  status: 'active' | 'removed' | null
  dependency: { dependency_name: string; dependency_file: string }
  added_commit_hash?: string | null
  removed_commit_hash?: string | null
}

/**
 * A line of `repos.ndjson`: the repository object of the list with its dependencies and without
 * `internal_id`, which the instance that imports it gives. Times are Unix seconds.
 */
export interface SampleRepository {
  forge_rest_id: number
  forge_graphql_id: string
  url: string
  name: string
  full_name: string
  private: boolean | null
  owner_login: string
  owner_avatar_url: string | null
  description: string | null
  homepage: string | null
  fork: boolean | null
  forks_count: number | null
  archived: boolean | null
  disabled: boolean | null
  license: string | null
  language: string | null
  stargazers_count: number | null
  watchers_count: number | null
  open_issues_count: number | null
  has_issues: boolean | null
  has_discussions: boolean | null
  has_projects: boolean | null
  created_at: number | null
  updated_at: number | null
  pushed_at: number | null
  visibility: string | null
  size: number | null
  default_branch: string | null
  dependencies: SampleDependency[]
}

/** A line of `commits.ndjson`: the commit object of the API. Times are Unix seconds. */
export interface SampleCommit {
  commit_hash: string
  author_email: string
  author_date: number | null
  committer_email: string
  committer_date: number | null
  message: string
  repo_url: string
}

/** The moment at which the sample was "taken": nothing in it is later. Unix seconds, 2025-06-30T00:00:00Z. */
export const takenAt = 1_751_241_600

/** Where the forge of the sample lives, a reserved domain (RFC 2606). */
export const forgeOrigin = 'https://forge.example'

/**
 * The id that the forge's GraphQL interface would give: the type's letter, then base64url of a MessagePack array
 * of 0 and the id as an unsigned 32-bit number.
 */
export function makeGraphqlId(letter: 'U' | 'O' | 'B' | 'R', restId: number): string {
  const bytes = Buffer.from([0x92, 0x00, 0xce, 0, 0, 0, 0])
  bytes.writeUInt32BE(restId, 3)
  return `${letter}_${bytes.toString('base64url')}`
}
