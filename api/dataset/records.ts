/**
 * Validates lines, and turns them into rows of the staging tables. A line is exactly the object that the API returns (see
 * openapi.yml), has the further addresses of a user, or names something to remove. A nullable field may be missing. `internal_id` is ignored, because the
 * service assigns it, and so is the `version` of a removal, which is that of another dataset.
 *
 * @module
 */
import * as v from 'valibot'
import { commitHashPattern } from '../catalog/commits.ts'
import { foldText } from '../names/case-folding.ts'
import { keyDependencyName } from '../names/dependency-names.ts'
import {
  forgeNamePattern,
  forgeNameRule,
  identifyAddress,
  identifyForgeId,
  identifyLogin,
} from '../names/forge-names.ts'
import { keyRepositoryUrl } from '../names/repository-url.ts'
import { ImportError } from './import-error.ts'

/** What a line describes, and the name of a file of such lines, without `.ndjson`. */
export const recordKinds = ['users', 'identities', 'repos', 'commits', 'removals'] as const
export type RecordKind = (typeof recordKinds)[number]

/** The years 1 to 9999 in Unix seconds: clients can't represent other dates. */
const minDate = -62_135_596_800
const maxDate = 253_402_300_799

/** Whether every client can represent a date, given in Unix seconds. */
export function isDate(seconds: number): boolean {
  return Number.isSafeInteger(seconds) && seconds >= minDate && seconds <= maxDate
}

const notAnObject = 'must be a JSON object'
const text = v.pipe(
  v.string('must be a string'),
  v.check(
    (value) => !value.includes('\0') && value.isWellFormed(),
    'must be Unicode text without NUL characters',
  ),
)
const integer = v.pipe(v.number('must be an integer'), v.safeInteger('must be an integer up to ±(2^53 - 1)'))
const date = v.pipe(
  integer,
  v.check(isDate, 'must be a date in Unix seconds, not milliseconds, in the years 1 to 9999'),
)
const count = v.pipe(integer, v.minValue(0, 'must not be negative'))
const flag = v.boolean('must be true or false')
const forgeName = v.pipe(text, v.regex(forgeNamePattern, forgeNameRule))
const dependencyText = v.pipe(
  text,
  v.check((value) => value !== '' && [...value].length <= 255, 'must have 1 to 255 characters'),
)
const webUrl = v.pipe(
  text,
  v.check((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'must be an http or https URL'),
  v.check((value) => {
    const url = URL.parse(value)
    return url?.username === '' && url.password === ''
  }, 'must not contain a user name or a token'),
  v.check((value) => Buffer.byteLength(foldText(value)) <= 2000, 'must have at most 2000 bytes'),
)
const isoTime = v.pipe(
  text,
  v.regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
    'must be an ISO 8601 timestamp such as 2024-05-06T07:08:09Z',
  ),
  v.check(
    // `Date` reads February 30 as March 1.
    (value) =>
      !Number.isNaN(Date.parse(value)) &&
      new Date(value.slice(0, 10)).toJSON()?.slice(0, 10) === value.slice(0, 10),
    'must be a date that exists',
  ),
)

function nullable<T extends v.GenericSchema>(schema: T) {
  return v.optional(v.nullable(schema), null)
}

/** An object with these fields and no others. */
function objectOf<T extends v.ObjectEntries>(entries: T) {
  return v.strictObject(entries, ({ expected }) => {
    if (expected === 'Object') return notAnObject
    return expected === 'never' ? 'unknown field' : 'required'
  })
}

const userSchema = objectOf({
  forge_rest_id: integer,
  forge_graphql_id: text,
  login: forgeName,
  name: nullable(text),
  email: nullable(text),
  avatar_url: nullable(text),
  company: nullable(text),
  location: nullable(text),
  bio: nullable(text),
  followers: count,
  following: count,
  type: text,
  created_at: isoTime,
  updated_at: isoTime,
})
/** A user's line. */
export type UserRecord = v.InferOutput<typeof userSchema>

const dependencySchema = objectOf({
  url: text, // compared with the repository's
  first_use_date: nullable(date),
  last_use_date: nullable(date),
  updated_at: nullable(date),
  status: nullable(v.picklist(['active', 'removed'], 'must be active or removed')),
  dependency: objectOf({ dependency_name: dependencyText, dependency_file: dependencyText }),
})
/** A dependency in a repository's line. */
export type DependencyRecord = v.InferOutput<typeof dependencySchema>

const repositorySchema = objectOf({
  internal_id: v.optional(v.unknown()),
  forge_rest_id: integer,
  forge_graphql_id: text,
  url: webUrl,
  name: forgeName,
  full_name: text,
  private: nullable(flag),
  owner_login: forgeName,
  owner_avatar_url: nullable(text),
  description: nullable(text),
  homepage: nullable(text),
  fork: nullable(flag),
  forks_count: nullable(count),
  archived: nullable(flag),
  disabled: nullable(flag),
  license: nullable(text),
  language: nullable(text),
  stargazers_count: nullable(count),
  watchers_count: nullable(count),
  open_issues_count: nullable(count),
  has_issues: nullable(flag),
  has_discussions: nullable(flag),
  has_projects: nullable(flag),
  created_at: nullable(date),
  updated_at: nullable(date),
  pushed_at: nullable(date),
  visibility: nullable(text),
  size: nullable(count),
  default_branch: nullable(text),
  dependencies: nullable(v.array(dependencySchema, 'must be an array')),
})
/** A repository's line. With `dependencies` null, its dependencies stay as they are. */
export type RepositoryRecord = v.InferOutput<typeof repositorySchema>

const commitSchema = objectOf({
  commit_hash: v.pipe(text, v.regex(commitHashPattern, 'must be 40 to 64 lowercase hexadecimal digits')),
  author_email: text,
  author_date: nullable(date),
  committer_email: text,
  committer_date: nullable(date),
  message: text,
  repo_url: webUrl,
})
/** A commit's line. */
export type CommitRecord = v.InferOutput<typeof commitSchema>

/** How many addresses a user may have, so that a line stays small. */
export const maxAddresses = 1_000

const addressesSchema = objectOf({
  forge_rest_id: integer,
  addresses: v.pipe(
    v.array(
      v.pipe(
        text,
        v.check(
          (value) => identifyAddress(value) !== null,
          'must be an address of 1 to 320 characters, and not that of forgotten people',
        ),
      ),
      'must be an array',
    ),
    v.maxLength(maxAddresses, `must have at most ${maxAddresses} addresses`),
  ),
})
/** The line of a user's further addresses. It replaces those that the user has. */
export type AddressesRecord = v.InferOutput<typeof addressesSchema>

const removalSchema = objectOf({
  forge_rest_id: integer,
  kind: v.picklist(['user', 'repository'], 'must be user or repository'),
  version: v.optional(v.unknown()),
})

/** A row of a staging table, by column. */
export type StagedRow = Record<string, string | number | boolean | null | readonly (string | number | null)[]>

/** A line is invalid. The message names the field and the rule. */
export class RecordError extends Error {
  override name = 'RecordError'
}

/** Validates a line, and makes the row of its staging table. Throws `RecordError` when it is invalid. */
export function readRecord(kind: RecordKind, line: string): StagedRow {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    if (line.startsWith('version https://git-lfs.github.com/')) {
      throw new RecordError(
        'a Git LFS pointer instead of the file; run "git lfs pull" where the file is from',
      )
    }
    throw new RecordError(`not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (Array.isArray(value)) throw new RecordError(notAnObject)
  switch (kind) {
    case 'users':
      return stageUser(check(userSchema, value))
    case 'identities':
      return stageAddresses(check(addressesSchema, value))
    case 'repos':
      return stageRepository(check(repositorySchema, value))
    case 'commits':
      return stageCommit(check(commitSchema, value))
    case 'removals': {
      const { forge_rest_id, kind } = check(removalSchema, value)
      return { forge_rest_id, kind }
    }
  }
}

/**
 * Reads a record that an importer has created. `source` says where it is from, and begins the message of the `ImportError` that
 * this function throws if the record can't be loaded.
 */
export function readCreatedRecord(kind: RecordKind, record: object, source: string): StagedRow {
  try {
    return readRecord(kind, JSON.stringify(record))
  } catch (error) {
    if (error instanceof RecordError) throw new ImportError(`${source}: ${error.message}`)
    throw error
  }
}

function check<T extends v.GenericSchema>(schema: T, value: unknown): v.InferOutput<T> {
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  const path = v.getDotPath(issue)
  throw new RecordError(path === null ? issue.message : `${path}: ${issue.message}`)
}

function stageUser(user: UserRecord): StagedRow {
  const identities = [identifyForgeId(user.forge_rest_id), identifyLogin(user.login)]
  const byEmail = identifyAddress(user.email ?? '')
  if (byEmail !== null && !identities.includes(byEmail)) identities.push(byEmail)
  return {
    forge_rest_id: user.forge_rest_id,
    login_key: foldText(user.login),
    is_bot: user.type.toLowerCase() === 'bot' || /\[bot\]$/i.test(user.login),
    identities,
    location_key: user.location === null ? null : foldText(user.location),
    document: JSON.stringify(user),
  }
}

/** Makes the row of a user's further addresses: in order, and each once, whatever its case. */
function stageAddresses({ forge_rest_id, addresses }: AddressesRecord): StagedRow {
  const byIdentity = new Map<string, string>()
  for (const address of [...addresses].sort(compareBytes)) {
    const identity = identifyAddress(address)
    if (identity !== null && !byIdentity.has(identity)) byIdentity.set(identity, address)
  }
  return {
    forge_rest_id,
    identities: [...byIdentity.keys()],
    document: JSON.stringify({ forge_rest_id, addresses: [...byIdentity.values()] }),
  }
}

/** Makes the row of a valid repository. Throws `RecordError` when its names or URLs contradict each other. */
export function stageRepository(repository: RepositoryRecord): StagedRow {
  const { internal_id: _ours, dependencies, ...fields } = repository
  const fullName = `${fields.owner_login}/${fields.name}`
  if (foldText(fields.full_name) !== foldText(fullName)) {
    throw new RecordError(`full_name: must be owner_login/name, ${fullName}`)
  }
  const sorted = dependencies && sortDependencies(dependencies, fields.url)
  return {
    forge_rest_id: fields.forge_rest_id,
    full_name_key: foldText(fullName),
    url_key: keyRepositoryUrl(fields.url),
    owner_identity: identifyLogin(fields.owner_login),
    members: JSON.stringify(fields).slice(1, -1),
    dependencies: sorted && JSON.stringify(sorted),
    ...stageDependencies(sorted ?? []),
  }
}

/** Describes dependencies by columns that are parallel to each other. */
function stageDependencies(dependencies: readonly DependencyRecord[]): StagedRow {
  const pairs = dependencies.map(({ dependency }) => dependency)
  return {
    names: pairs.map(({ dependency_name }) => dependency_name),
    name_keys: pairs.map((pair) => keyDependencyName(pair.dependency_name, pair.dependency_file)),
    files: pairs.map(({ dependency_file }) => dependency_file),
    statuses: dependencies.map(({ status }) => status),
    first_use_dates: dependencies.map(({ first_use_date }) => first_use_date),
    // What is declared has no last use yet, whatever the record says.
    last_use_dates: dependencies.map(({ status, last_use_date }) =>
      status === 'active' ? null : last_use_date,
    ),
  }
}

const surrogate = /[\ud800-\udfff]/

/**
 * Sorts dependencies as they are listed: by name, then file, byte by byte. All get the repository's URL, of which theirs
 * may be another spelling.
 */
function sortDependencies(dependencies: readonly DependencyRecord[], url: string): DependencyRecord[] {
  const seen = new Map<string, number>()
  for (const [index, { url: ownUrl, dependency }] of dependencies.entries()) {
    if (ownUrl !== url && keyRepositoryUrl(ownUrl) !== keyRepositoryUrl(url)) {
      throw new RecordError(`dependencies.${index}.url: must be the repository's URL, ${url}`)
    }
    const pair = `${dependency.dependency_name}\0${dependency.dependency_file}` // neither contains a NUL
    const twin = seen.get(pair)
    if (twin !== undefined) {
      throw new RecordError(
        `dependencies.${index}.dependency: has the same name and file as dependencies.${twin}`,
      )
    }
    seen.set(pair, index)
  }
  return dependencies
    .map((use) => (use.url === url ? use : { ...use, url }))
    .sort(
      ({ dependency: a }, { dependency: b }) =>
        compareBytes(a.dependency_name, b.dependency_name) ||
        compareBytes(a.dependency_file, b.dependency_file),
    )
}

/** JavaScript compares UTF-16 code units. Without surrogates, their order is that of the UTF-8 bytes. */
function compareBytes(a: string, b: string): number {
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : Number(a > b)
}

/** Makes the row of a valid commit. */
export function stageCommit(commit: CommitRecord): StagedRow {
  return {
    url_key: keyRepositoryUrl(commit.repo_url),
    commit_hash: commit.commit_hash,
    committer_date: commit.committer_date,
    author_date: commit.author_date,
    author_identity: identifyAddress(commit.author_email),
    document: JSON.stringify(commit),
  }
}
