// Generated from openapi.yml by `npm run client`.

/** An account on the code-hosting platform. */
export type User = {
  /** Id of the user in the platform's REST API. */
  forge_rest_id: number
  /** Id of the user in the platform's GraphQL API. */
  forge_graphql_id: string
  /** Username. */
  login: string
  /** Display name. */
  name: string | null
  /** Email address of the user. */
  email: string | null
  /** URL of the avatar image. */
  avatar_url: string | null
  /** Company, as free text. */
  company: string | null
  /** Location, as free text. */
  location: string | null
  /** Short self-description. */
  bio: string | null
  /** Number of followers. */
  followers: number
  /** Number of users followed. */
  following: number
  /** Type of the account: typically `User`; `Organization` and `Bot` occur, too. */
  type: string
  /** When the account was created (ISO 8601). */
  created_at: string
  /** When the account was last updated (ISO 8601). */
  updated_at: string
}

/** A repository. */
export type Repository = {
  /** Id of the repository in this service. */
  internal_id: number
  /** Id of the repository in the platform's REST API. A negative id was made by this service. */
  forge_rest_id: number
  /** Id of the repository in the platform's GraphQL API. */
  forge_graphql_id: string
  /** Repository URL. */
  url: string
  /** Repository name. */
  name: string
  /** The `owner/name` form. */
  full_name: string
  /** Whether the repository is private. */
  private: boolean | null
  /** Login of the owner. */
  owner_login: string
  /** URL of the owner's avatar image. */
  owner_avatar_url: string | null
  /** Description of the repository. */
  description: string | null
  /** URL of the homepage, as the owner wrote it. */
  homepage: string | null
  /** Whether the repository is a fork. */
  fork: boolean | null
  /** Number of forks. */
  forks_count: number | null
  /** Whether the repository is archived. */
  archived: boolean | null
  /** Whether the repository is disabled. */
  disabled: boolean | null
  /** License. */
  license: string | null
  /** Primary programming language. */
  language: string | null
  /** Number of stars. */
  stargazers_count: number | null
  /** Number of watchers. */
  watchers_count: number | null
  /** Number of open issues. */
  open_issues_count: number | null
  /** Whether issues are enabled. */
  has_issues: boolean | null
  /** Whether discussions are enabled. */
  has_discussions: boolean | null
  /** Whether projects are enabled. */
  has_projects: boolean | null
  /** When the repository was created (Unix timestamp). */
  created_at: number | null
  /** Time of the last update (Unix timestamp). */
  updated_at: number | null
  /** When commits were last pushed (Unix timestamp). */
  pushed_at: number | null
  /** Visibility, typically `public`. */
  visibility: string | null
  /** Size in KB. */
  size: number | null
  /** Default branch name. */
  default_branch: string | null
}

/** Whether a dependency is still declared. */
export type DependencyStatus = 'active' | 'removed'

/** A package, and the file that declares it. */
export type Dependency = {
  /** Name of the package. */
  dependency_name: string
  /** Base name of the manifest that declares it, such as `package.json`, or a pattern such as `*.csproj`. */
  dependency_file: string
}

/** A dependency of a repository, with its status and the time of its use. */
export type RepositoryDependency = {
  /** Repository URL. */
  url: string
  /** Time of the first use (Unix timestamp). */
  first_use_date: number | null
  /** Time of the last use (Unix timestamp); null while the dependency is still declared, or if the time is unknown. */
  last_use_date: number | null
  /** Time of the last update (Unix timestamp). */
  updated_at: number | null
  /** `active` while the dependency is declared, then `removed`. */
  status: DependencyStatus | null
  /** A package, and the file that declares it. */
  dependency: Dependency
}

/** A repository with its dependencies, unless the request excludes them. */
export type ListedRepository = Repository & {
  /** Dependencies of the repository. Empty if there are none, absent with `exclude=dependencies`. */
  dependencies?: RepositoryDependency[] | null | undefined
}

/** A commit that added or removed a dependency. */
export type BlamedCommit = {
  /** Hash of the commit. */
  commit_hash: string
  /** Committer date (Unix timestamp). */
  date: number | null
  /** Email address of the author, as the commit has it. */
  author_email: string
}

/** A dependency of a repository, and the commits that added and removed it. */
export type DependencyBlame = {
  /** A package, and the file that declares it. */
  dependency: Dependency
  /** The first commit that declared it; null if it is unknown. */
  added: BlamedCommit | null
  /** The last commit that removed it; null while it is declared, or if the commit is unknown. */
  removed: BlamedCommit | null
}

/** A dependency, and the numbers of those who use it. */
export type UsedDependency = {
  /** Name of the dependency, in its most used spelling. */
  dependency_name: string
  /** Base name of the manifest that declares it. */
  dependency_file: string
  /** Users of the dependency. */
  users: number
  /** Repositories that declare the dependency, or have declared it. */
  repositories: number
}

/** A location, and the number of users who have it. */
export type LocationText = {
  /** The text, as one of the users has it. */
  location: string
  /** The country that the text names (ISO 3166-1 alpha-2). Null if it names none, several, or a place that may be in several. */
  country: string | null
  /** Users with this location, ignoring case and marks. */
  users: number
}

/** A company, and the number of users who have it. */
export type CompanyText = {
  /** The text, as one of the users has it. */
  company: string
  /** Users with this company, ignoring case, marks and an `@` at the start of a word. */
  users: number
}

/** A value, and the number of items that have it. */
export type ValueCount = {
  /** The value, as a filter takes it. Filters can't select a value that contains a comma, because they read it as two. */
  value: string
  /** The items that have it. */
  count: number
}

/** Numbers of the items of a list. */
export type MonthCounts = {
  /** Items whose first use was in the month. */
  started: number
  /** Items whose last use ended in the month. */
  stopped: number
  /** Items that had started by the end of the month, less those of them that had stopped. */
  active: number
}

/** A month, and who used a dependency in it. */
export type HistoryMonth = {
  /** The month in UTC, such as `2026-03`. */
  month: string
  /** Repositories. */
  repositories: MonthCounts
  /** Users. */
  users: MonthCounts
}

/** Numbers of items with a date that is unknown. */
export type UnknownUses = {
  /** Repositories. */
  repositories: number
  /** Users. */
  users: number
}

/** Facts about the request. */
export type Meta = {
  /** Unique id of the request, the same as `X-Request-Id`. */
  request_id: string
  /** Unix timestamp of the response, in seconds. */
  timestamp: number
  /** Execution time in milliseconds. */
  execution_time: number
}

/** How many items used a dependency, month by month. */
export type DependencyHistory = {
  /** The months, in their order. */
  data: HistoryMonth[]
  /** Items whose first or last use is unknown. The months count what is known of them: a first use, even if it is unknown when the use ended. */
  unknown: UnknownUses
  /** Facts about the request. */
  meta: Meta
}

/** A commit. */
export type Commit = {
  /** Hash of the commit. */
  commit_hash: string
  /** Email address of the author, as git recorded it. */
  author_email: string
  /** Author date (Unix timestamp). */
  author_date: number | null
  /** Email address of the committer, as git recorded it. */
  committer_email: string
  /** Committer date (Unix timestamp). */
  committer_date: number | null
  /** Commit message. */
  message: string
  /** The `url` of the commit's repository. */
  repo_url: string
}

/** A user or a repository that was removed. */
export type Removal = {
  /** Id of the item in the platform's REST API. */
  forge_rest_id: number
  /** Kind of the item. */
  kind: 'user' | 'repository'
  /** Version of the dataset after the removal. */
  version: number
}

/** Role of the key. */
export type Role = 'user' | 'admin'

/** The key and its balance. */
export type CreditStatus = {
  /** The API key of the request. */
  api_key: string
  /** Balance of the key. */
  remaining_credits: number
  /** Role of the key. */
  role: Role
}

/** One change of a key's balance. */
export type UsageEntry = {
  /** Number of the entry, from 1, without gaps except for folded entries. */
  entry: number
  /** Unix timestamp, in seconds. */
  timestamp: number
  /** `charge`: you paid for a response. `grant`: the operator added credits or took them away. `balance`: replaces all entries before it, which were folded. */
  kind: 'charge' | 'grant' | 'balance'
  /** The `X-Request-Id` of the charged request. */
  request_id: string | null
  /** Method of the request, `GET`. */
  method: string | null
  /** Path of the request, without the query. If nothing was found, or if the path names a forgotten person, it is the endpoint, such as `/users/{login}`. */
  path: string | null
  /** Items in the response; 0 for an unknown user, which costs one credit. A repetition with the same `Idempotency-Key` can cost less than its number of items. */
  items: number | null
  /** Credits charged. For a repetition, only what wasn't paid yet. */
  cost: number
  /** Credits granted; negative if they were taken away. */
  granted: number
  /** What the operator calls the grant, such as an invoice. Null for a grant without a reference. */
  reference: string | null
  /** Balance after this entry. */
  balance: number
}

/** What a key spent on one day at one endpoint. */
export type UsageSum = {
  /** The day (UTC). */
  day: string
  /** The endpoint, as a path of this document. */
  endpoint: string
  /** Charged requests. */
  requests: number
  /** Items in their responses. */
  items: number
  /** Credits charged for them. */
  cost: number
}

/** An assistant that is connected with a key. It has a token instead of the key. */
export type Connection = {
  /** Id of the connection. */
  id: number
  /** What the assistant calls itself. Anybody can choose any name. */
  name: string
  /** Host that got access, with its port if there is one. `127.0.0.1`, `[::1]` or `localhost` is a program on the computer of the person who connected it. */
  host: string
  /** What one call may cost; null if there is no such limit. */
  max_credits_per_call: number | null
  /** What all calls together may cost. */
  max_credits: number
  /** What its calls have cost. */
  spent_credits: number
  /** When the connection was allowed. */
  created_at: string
  /** When the connection ends. */
  expires_at: string
}

/** Stable code of an error. Codes don't change. More may be added. */
export type ErrorCode = 'invalid_request' | 'invalid_host' | 'invalid_url' | 'invalid_parameter' | 'invalid_body' | 'missing_authorization' | 'invalid_authorization_format' | 'missing_api_key' | 'invalid_api_key_format' | 'invalid_api_key' | 'insufficient_permissions' | 'admin_required' | 'user_keys_only' | 'origin_not_allowed' | 'insufficient_credits' | 'max_credits_exceeded' | 'route_not_found' | 'user_not_found' | 'repository_not_found' | 'key_not_found' | 'connection_not_found' | 'method_not_allowed' | 'request_timeout' | 'reference_conflict' | 'balance_out_of_range' | 'changes_expired' | 'body_too_large' | 'url_too_long' | 'unsupported_media_type' | 'idempotency_conflict' | 'rate_limit_exceeded' | 'headers_too_large' | 'internal_error' | 'database_unavailable' | 'over_capacity' | 'filter_not_ready' | 'keys_over_http_off' | 'starting_up' | 'shutting_down' | 'docs_unavailable' | 'http_version_not_supported'
