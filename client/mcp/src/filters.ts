// Generated from openapi.yml by `npm run client`.

/** Filters that only users have. */
export const userFilters = {
  location: {"type":"array","items":{"type":"string"},"description":"users whose location contains any of these texts, case-insensitive"},
  company: {"type":"array","items":{"type":"string"},"description":"users whose company contains any of these texts, case-insensitive"},
  country: {"type":"array","items":{"type":"string"},"description":"users whose location is in any of these countries: codes of ISO 3166-1 alpha-2, such as DE"},
  type: {"type":"array","items":{"type":"string"},"description":"users of any of these types, such as User, Organization and Bot, case-insensitive"},
  has: {"type":"array","items":{"type":"string","enum":["email","name","company","location","bio"]},"description":"users who have each of these fields"},
  email_domain: {"type":"array","items":{"type":"string"},"description":"users whose email is at any of these domains"},
  min_followers: {"type":"integer","minimum":1,"description":"users with at least this many followers"},
  active_since: {"type":"string","description":"users who authored or co-authored a commit at or after this time: a date such as 2026-01-31, or Unix seconds"},
  contributed_to: {"type":"array","items":{"type":"string"},"description":"users who authored or co-authored a commit of any of these repositories (OWNER/NAME)"},
  sort: {"type":"string","enum":["followers"],"description":"sorts users by followers, repositories by stars or last push (pushed), the highest first"},
} as const

/** Filters that only repositories have. */
export const repositoryFilters = {
  owner: {"type":"string","description":"repositories whose owner has this login now, case-insensitive"},
  contributor: {"type":"array","items":{"type":"string"},"description":"repositories with a commit of any of these logins"},
  language: {"type":"array","items":{"type":"string"},"description":"repositories with any of these primary languages, case-insensitive"},
  license: {"type":"array","items":{"type":"string"},"description":"repositories with any of these licenses, such as MIT, case-insensitive"},
  min_stars: {"type":"integer","minimum":1,"description":"repositories with at least this many stars"},
  min_forks: {"type":"integer","minimum":1,"description":"repositories with at least this many forks"},
  fork: {"type":"boolean","description":"only forks (true), or only repositories that aren't forks (false)"},
  archived: {"type":"boolean","description":"only archived repositories (true), or only others (false)"},
  pushed_since: {"type":"string","description":"repositories whose last push was at or after this time: a date such as 2026-01-31, or Unix seconds"},
  sort: {"type":"string","enum":["stars","pushed"],"description":"sorts users by followers, repositories by stars or last push (pushed), the highest first"},
} as const

/** Filters that both have. */
export const sharedFilters = {
  dependency_names: {"type":"array","items":{"type":"string"},"description":"items that use any of these dependencies: whole names, case-insensitive"},
  dependency_match: {"type":"string","enum":["any","all"],"description":"whether an item must use each named dependency (all), or one of them (any, the default)"},
  without_dependency_names: {"type":"array","items":{"type":"string"},"description":"leaves out items that use any of these dependencies"},
  dependency_files: {"type":"array","items":{"type":"string"},"description":"items that use a dependency declared in any of these files, such as package.json"},
  dependency_status: {"type":"string","enum":["active","removed"],"description":"only dependencies that are still declared (active), or only removed ones (removed)"},
  first_use_since: {"type":"string","description":"items that began to use the dependency at or after this time"},
  first_use_until: {"type":"string","description":"items that began to use the dependency before this time"},
  last_use_since: {"type":"string","description":"items that stopped using the dependency at or after this time"},
  last_use_until: {"type":"string","description":"items that stopped using the dependency before this time"},
} as const

/** Filters whose texts may have commas. Texts of the others are several, as in the parameters of the API. */
export const textsWithCommas: readonly string[] = ["location", "company", "prefix", "contains", "dependency_name", "dependency_file"]
