/** Records that a test makes, and how it loads them: as every load does. */

import type { Sql } from '../../api/database/connect.ts'
import type { DatasetSettings } from '../../api/dataset/dataset-change.ts'
import type { LoadOrigin } from '../../api/dataset/loads.ts'
import { importNdjson, type Source } from '../../api/sources/ndjson/import.ts'
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../sample/records.ts'

/** What to load, in the order of the lists. */
export interface Records {
  users?: readonly SampleUser[]
  /** Without dependencies: those that are there stay. */
  repos?: readonly (Omit<SampleRepository, 'dependencies'> & Record<'dependencies', object[] | null>)[]
  commits?: readonly SampleCommit[]
}

/** Where a load comes from that a test applies itself. */
export const testOrigin: LoadOrigin = {
  command: 'import ndjson',
  source: 'users, repos, commits',
  startedAt: new Date('2026-01-01T00:00:00Z'),
  isPartial: false,
  coversAll: false,
}

/** Loads records in one go. Throws when one of them breaks a rule. */
export async function loadRecords(
  sql: Sql,
  { users = [], repos = [], commits = [] }: Records,
  settings?: DatasetSettings,
): Promise<void> {
  const sources: Source[] = [
    createSource('users', users),
    createSource('repos', repos),
    createSource('commits', commits),
  ]
  await importNdjson(sql, { sources, settings })
}

function createSource(kind: Source['kind'], records: readonly object[]): Source {
  const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return {
    kind,
    name: `${kind}.ndjson`,
    size: bytes.length,
    async *open() {
      yield bytes
    },
  }
}

/** A user with few fields. */
export function createUser(number: number, fields: Partial<SampleUser> = {}): SampleUser {
  return {
    forge_rest_id: number,
    forge_graphql_id: `U_${number}`,
    login: `user-${number}`,
    name: null,
    email: null,
    avatar_url: null,
    company: null,
    location: null,
    bio: null,
    followers: 0,
    following: 0,
    type: 'User',
    created_at: '2024-01-01T00:00:00Z',
    updated_at: '2024-01-01T00:00:00Z',
    ...fields,
  }
}

/** A repository of an owner, which declares dependencies of these names in its `package.json`. */
export function createRepository(
  number: number,
  owner: string,
  dependencies: readonly string[],
  fields: Partial<SampleRepository> = {},
): SampleRepository {
  const name = fields.name ?? `repo-${number}`
  const url = fields.url ?? `https://forge.example/r/${number}`
  return {
    forge_rest_id: number,
    forge_graphql_id: `R_${number}`,
    url,
    name,
    full_name: `${owner}/${name}`,
    private: false,
    owner_login: owner,
    owner_avatar_url: null,
    description: null,
    homepage: null,
    fork: false,
    forks_count: 0,
    archived: null,
    disabled: null,
    license: null,
    language: null,
    stargazers_count: 0,
    watchers_count: 0,
    open_issues_count: 0,
    has_issues: true,
    has_discussions: null,
    has_projects: null,
    created_at: 1_700_000_000,
    updated_at: null,
    pushed_at: null,
    visibility: 'public',
    size: 1,
    default_branch: 'main',
    dependencies: dependencies.map((dependency) => createDependency(url, dependency)),
    ...fields,
  }
}

/** A dependency that has always been declared, and still is. */
export function createDependency(url: string, name: string, file = 'package.json'): SampleDependency {
  return {
    url,
    first_use_date: 1,
    last_use_date: null,
    updated_at: 1_700_000_000,
    status: 'active',
    dependency: { dependency_name: name, dependency_file: file },
  }
}

/** A commit whose author committed it. `date` is in seconds. */
export function createCommit(
  number: number,
  repoUrl: string,
  author: string,
  date: number | null,
): SampleCommit {
  return {
    commit_hash: number.toString(16).padStart(40, '0'),
    author_email: author,
    author_date: date,
    committer_email: author,
    committer_date: date,
    message: `Commit ${number}`,
    repo_url: repoUrl,
  }
}
