/** What the dataset covers: `/docs/coverage.json`. */
import { type Sql, selectTime } from '../database/connect.ts'
import type { DiscoveredDependency } from './discovery.ts'

/** A country, and the number of users whose location names it. */
export interface CoveredCountry {
  /** ISO 3166-1 alpha-2. */
  country: string
  users: number
}

/** A company, as one of its users writes it, and the number of users who have it. */
export interface CoveredCompany {
  company: string
  users: number
}

/** A language, and the number of repositories that are mostly written in it. */
export interface CoveredLanguage {
  language: string
  repositories: number
}

/** A year, and the repositories whose last push is of it. */
interface PushYear {
  year: number
  repositories: number
}

/** A year, and the users whose last commit is of it. */
interface CommitYear {
  year: number
  users: number
}

/** What each change of the dataset computes. Lists have the most frequent ones. */
export interface CoverageSummary {
  /** Names of dependencies, each once for each file. */
  dependencies: number
  /** The day of the newest push to a repository (YYYY-MM-DD), no later than today; null: there is none. */
  last_push: string | null
  /** The day of the newest commit of a user. */
  last_commit: string | null
  /** The newest first. */
  push_years: PushYear[]
  commit_years: CommitYear[]
  /** The share of users with each nullable field, from 0 to 1. */
  user_fields: Record<string, number>
  countries: CoveredCountry[]
  companies: CoveredCompany[]
  languages: CoveredLanguage[]
  /** How many users and repositories have any dependency in each of these files. */
  manifests: Omit<DiscoveredDependency, 'dependency_name'>[]
  packages: DiscoveredDependency[]
}

/** Rows that a load added, updated and removed. */
interface LoadChange {
  added: number
  updated: number
  removed: number
}

/** A load, even if it has changed nothing. */
interface CoveredLoad {
  applied_at: string
  command: string
  /** Kinds of records, the number of clones, or the forge's host. */
  source: string
  /** Of the dataset, after the load. */
  dataset_version: number
  users: LoadChange
  repositories: LoadChange
  commits: LoadChange
}

/** What the dataset covers. Times are ISO 8601. */
export interface Coverage extends CoverageSummary {
  dataset: { version: number; updated_at: string }
  users: number
  repositories: number
  commits: number
  refreshed: {
    /** When the last load was applied. */
    newest: string | null
    /** When the last load began that looked at everything. Before there is one, when the first load began. */
    oldest: string | null
  }
  /** The newest first. */
  loads: CoveredLoad[]
}

/** Loads that are listed. */
const maxLoads = 100

const emptySummary: CoverageSummary = {
  dependencies: 0,
  last_push: null,
  last_commit: null,
  push_years: [],
  commit_years: [],
  user_fields: {},
  countries: [],
  companies: [],
  languages: [],
  manifests: [],
  packages: [],
}

/** Reads what the dataset covers, as the last change computed it, with the last loads. */
export async function readCoverage(sql: Sql): Promise<Coverage> {
  const [found] = await sql<
    (Pick<Coverage, 'users' | 'repositories' | 'commits' | 'loads'> & {
      version: number
      updated_at: string
      newest: string | null
      oldest: string | null
      summary: CoverageSummary | null
    })[]
  >`
    select version, ${selectTime(sql, sql`updated_at`)} as updated_at, users_count as users,
      repositories_count as repositories, commits_count as commits,
      (select ${selectTime(sql, sql`applied_at`)} from loads order by id desc limit 1) as newest,
      coalesce(
        (select ${selectTime(sql, sql`started_at`)} from loads where covers_all order by id desc limit 1),
        (select ${selectTime(sql, sql`started_at`)} from loads order by id limit 1)
      ) as oldest,
      (select summary from coverage) as summary,
      (
        select coalesce(json_agg(json_build_object(
          'applied_at', ${selectTime(sql, sql`applied_at`)}, 'command', command,
          'source', source, 'dataset_version', version, 'users', changes -> 'users',
          'repositories', changes -> 'repositories', 'commits', changes -> 'commits'
        ) order by id desc), '[]')
        from (select * from loads order by id desc limit ${maxLoads}) l
      ) as loads
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  const { version, updated_at, newest, oldest, summary, users, repositories, commits, loads } = found
  const { dependencies, ...lists } = { ...emptySummary, ...summary } // one of an older version has fewer members
  return {
    dataset: { version, updated_at },
    users,
    repositories,
    commits,
    dependencies,
    refreshed: { newest, oldest },
    ...lists,
    loads,
  }
}
