// Generated from openapi.yml by `npm run client`.

/** Which users a list has. Without members: all. Times are Unix seconds, or a date such as `2026-01-31`. */
export interface UserFilter {
  /** Selects users whose location contains any of these texts, case-insensitive. */
  location?: string | readonly string[] | undefined
  /** Selects users whose company contains any of these texts, case-insensitive. */
  company?: string | readonly string[] | undefined
  /** Selects users whose location is in any of these countries: codes of ISO 3166-1 alpha-2, such as `DE`. */
  country?: string | readonly string[] | undefined
  /** Selects items that use any of these dependencies: whole names, case-insensitive. */
  dependencyNames?: string | readonly string[] | undefined
  /** Whether an item must use each named dependency (`all`), or one of them (`any`, the default). */
  dependencyMatch?: 'any' | 'all' | undefined
  /** Leaves out items that use any of these dependencies. */
  withoutDependencyNames?: string | readonly string[] | undefined
  /** Selects items that use a dependency declared in any of these files, such as `package.json`. */
  dependencyFiles?: string | readonly string[] | undefined
  /** Matches only dependencies that are still declared (`active`), or only removed ones (`removed`). */
  dependencyStatus?: 'active' | 'removed' | undefined
  /** Selects items that began to use the dependency at or after this time. */
  firstUseSince?: string | number | undefined
  /** Selects items that began to use the dependency before this time. */
  firstUseUntil?: string | number | undefined
  /** Selects items that stopped using the dependency at or after this time. */
  lastUseSince?: string | number | undefined
  /** Selects items that stopped using the dependency before this time. */
  lastUseUntil?: string | number | undefined
  /** Selects users of any of these types, such as `User`, `Organization` and `Bot`, case-insensitive. */
  type?: string | readonly string[] | undefined
  /** Selects users who have each of these fields. */
  has?: 'email' | 'name' | 'company' | 'location' | 'bio' | readonly ('email' | 'name' | 'company' | 'location' | 'bio')[] | undefined
  /** Selects users whose `email` is at any of these domains. */
  emailDomain?: string | readonly string[] | undefined
  /** Selects users with at least this many followers. */
  minFollowers?: number | undefined
  /** Selects users who authored or co-authored a commit at or after this time: a date such as `2026-01-31`, or Unix seconds. */
  activeSince?: string | number | undefined
  /** Selects users who authored or co-authored a commit of any of these repositories (`OWNER/NAME`). */
  contributedTo?: string | readonly string[] | undefined
  /** Selects items that were added or changed after this version of the dataset. */
  changedSince?: number | undefined
  /** Sorts users by `followers`, repositories by `stars` or last push (`pushed`), the highest first. */
  sort?: 'followers' | undefined
}

/** Which repositories a list has. Without members: all. Times are Unix seconds, or a date such as `2026-01-31`. */
export interface RepositoryFilter {
  /** Selects repositories whose owner has this login now, case-insensitive. */
  owner?: string | undefined
  /** Selects repositories with a commit of any of these logins. */
  contributor?: string | readonly string[] | undefined
  /** Selects items that use any of these dependencies: whole names, case-insensitive. */
  dependencyNames?: string | readonly string[] | undefined
  /** Whether an item must use each named dependency (`all`), or one of them (`any`, the default). */
  dependencyMatch?: 'any' | 'all' | undefined
  /** Leaves out items that use any of these dependencies. */
  withoutDependencyNames?: string | readonly string[] | undefined
  /** Selects items that use a dependency declared in any of these files, such as `package.json`. */
  dependencyFiles?: string | readonly string[] | undefined
  /** Matches only dependencies that are still declared (`active`), or only removed ones (`removed`). */
  dependencyStatus?: 'active' | 'removed' | undefined
  /** Selects items that began to use the dependency at or after this time. */
  firstUseSince?: string | number | undefined
  /** Selects items that began to use the dependency before this time. */
  firstUseUntil?: string | number | undefined
  /** Selects items that stopped using the dependency at or after this time. */
  lastUseSince?: string | number | undefined
  /** Selects items that stopped using the dependency before this time. */
  lastUseUntil?: string | number | undefined
  /** Selects repositories with any of these primary languages, case-insensitive. */
  language?: string | readonly string[] | undefined
  /** Selects repositories with any of these licenses, such as `MIT`, case-insensitive. */
  license?: string | readonly string[] | undefined
  /** Selects repositories with at least this many stars. */
  minStars?: number | undefined
  /** Selects repositories with at least this many forks. */
  minForks?: number | undefined
  /** Selects only forks (`true`), or only repositories that aren't forks (`false`). */
  fork?: boolean | undefined
  /** Selects only archived repositories (`true`), or only others (`false`). */
  archived?: boolean | undefined
  /** Selects repositories whose last push was at or after this time: a date such as `2026-01-31`, or Unix seconds. */
  pushedSince?: string | number | undefined
  /** Selects items that were added or changed after this version of the dataset. */
  changedSince?: number | undefined
  /** Sorts users by `followers`, repositories by `stars` or last push (`pushed`), the highest first. */
  sort?: 'stars' | 'pushed' | undefined
  /** `dependencies` leaves this field out of each repository, at the same price. */
  exclude?: 'dependencies' | undefined
}

/** Which dependencies to find: either by the beginning of their names, or by a part of them. */
export interface DependencySearch {
  /** Finds names that begin with this text, case-insensitive. */
  prefix?: string | undefined
  /** Finds names that contain this text, case-insensitive. */
  contains?: string | undefined
  /** Finds only dependencies that any of these files declares, such as `package.json`. */
  dependencyFiles?: string | readonly string[] | undefined
  /** Maximum number of items in the response. Default: 20. */
  limit?: number | undefined
}

/** Whose history to get: that of one dependency. Times are Unix seconds, or a date such as `2026-01-31`. */
export interface HistorySearch {
  /** Name of the dependency, compared as those of the filter `dependency_names`. */
  dependencyName: string
  /** Counts only uses in this file, such as `package.json`. */
  dependencyFile?: string | undefined
  /** Leaves out months that ended before this time: a date such as `2026-01-31`, or Unix seconds. */
  since?: string | number | undefined
  /** Leaves out months that don't begin before this time: a date such as `2026-01-31`, or Unix seconds. */
  until?: string | number | undefined
}

/** Which locations to find: those that contain a text. */
export interface LocationSearch {
  /** Finds locations that contain this text, as the filter `location` does. */
  contains: string
  /** Maximum number of items in the response. Default: 20. */
  limit?: number | undefined
}

/** Which companies to find: those that contain a text. */
export interface CompanySearch {
  /** Finds companies that contain this text, as the filter `company` does. */
  contains: string
  /** Maximum number of items in the response. Default: 20. */
  limit?: number | undefined
}

/** Parameters whose values may have commas. Those of all others are joined by commas. */
export const repeated: readonly string[] = ["location", "company", "prefix", "contains", "dependency_name", "dependency_file"]

/** Parameters that are true or false. */
export const flags: readonly string[] = ["fork", "archived"]
