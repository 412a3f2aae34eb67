// Generated from openapi.yml by `npm run client`.
import type { FilterOptions } from './filter-options.ts'

/** Options that filter users alone. */
export const userOptions: FilterOptions = {
  location: { multiple: true },
  company: { multiple: true },
  country: { multiple: true },
  type: { multiple: true },
  has: { multiple: true, choices: ['email', 'name', 'company', 'location', 'bio'] },
  'email-domain': { multiple: true },
  'min-followers': { kind: 'number' },
  'active-since': {},
  'contributed-to': { multiple: true },
}

/** Options that filter users and repositories. */
export const sharedOptions: FilterOptions = {
  dependency: { member: 'dependencyNames', multiple: true },
  match: { member: 'dependencyMatch', choices: ['any', 'all'] },
  without: { member: 'withoutDependencyNames', multiple: true },
  file: { member: 'dependencyFiles', multiple: true },
  status: { member: 'dependencyStatus', choices: ['active', 'removed'] },
  'first-use-since': {},
  'first-use-until': {},
  'last-use-since': {},
  'last-use-until': {},
  sort: { choices: ['followers', 'stars', 'pushed'] },
}

/** Options that filter repositories alone. */
export const repositoryOptions: FilterOptions = {
  owner: {},
  contributor: { multiple: true },
  language: { multiple: true },
  license: { multiple: true },
  'min-stars': { kind: 'number' },
  'min-forks': { kind: 'number' },
  fork: { kind: 'flag', choices: ['true', 'false'] },
  archived: { kind: 'flag', choices: ['true', 'false'] },
  'pushed-since': {},
}

/** What the help says about them. */
export const filterHelp = `  --location TEXT       users whose location contains any of these texts, case-insensitive; may be repeated
  --company TEXT        users whose company contains any of these texts, case-insensitive; may be repeated
  --country TEXT        users whose location is in any of these countries: codes of ISO 3166-1 alpha-2, such as DE; may be repeated
  --type TEXT           users of any of these types, such as User, Organization and Bot, case-insensitive; may be repeated
  --has email|name|company|location|bio
                        users who have each of these fields; may be repeated
  --email-domain TEXT   users whose email is at any of these domains; may be repeated
  --min-followers N     users with at least this many followers
  --active-since TIME   users who authored or co-authored a commit at or after this time: a date such as 2026-01-31, or Unix seconds
  --contributed-to TEXT users who authored or co-authored a commit of any of these repositories (OWNER/NAME); may be repeated
  --dependency TEXT     items that use any of these dependencies: whole names, case-insensitive; may be repeated
  --match any|all       whether an item must use each named dependency (all), or one of them (any, the default)
  --without TEXT        leaves out items that use any of these dependencies; may be repeated
  --file TEXT           items that use a dependency declared in any of these files, such as package.json; may be repeated
  --status active|removed
                        only dependencies that are still declared (active), or only removed ones (removed)
  --first-use-since TIME
                        items that began to use the dependency at or after this time
  --first-use-until TIME
                        items that began to use the dependency before this time
  --last-use-since TIME items that stopped using the dependency at or after this time
  --last-use-until TIME items that stopped using the dependency before this time
  --sort followers|stars|pushed
                        sorts users by followers, repositories by stars or last push (pushed), the highest first
  --owner TEXT          repositories whose owner has this login now, case-insensitive
  --contributor TEXT    repositories with a commit of any of these logins; may be repeated
  --language TEXT       repositories with any of these primary languages, case-insensitive; may be repeated
  --license TEXT        repositories with any of these licenses, such as MIT, case-insensitive; may be repeated
  --min-stars N         repositories with at least this many stars
  --min-forks N         repositories with at least this many forks
  --fork true|false     only forks (true), or only repositories that aren't forks (false)
  --archived true|false only archived repositories (true), or only others (false)
  --pushed-since TIME   repositories whose last push was at or after this time: a date such as 2026-01-31, or Unix seconds
`
