/**
 * The records that a load consists of, and their rules. A record is exactly the object that the API returns (see
 * openapi.yml), has the further addresses of a user, or names something to remove. A dependency may also name the
 * commits that added and removed it. A nullable field may be missing. `internal_id` is ignored, because the service
 * assigns it, and so is the `version` of a removal, which is that of another dataset.
 */
import * as v from 'valibot'
import { isLonger } from '../catalog/attribute-values.ts'
import { commitHashPattern } from '../catalog/commit-list.ts'
import { foldText } from '../names/case-folding.ts'
import { forgeNamePattern, forgeNameRule, identifyAddress } from '../names/forge-names.ts'
import { keyRepositoryUrl, parseUrl } from '../names/repository-url.ts'
import { createCompleteCheck } from './complete-records.ts'

/** What a record describes, and the name of a file of such records, without `.ndjson`. */
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
const integer = v.pipe(
  v.number('must be an integer'),
  v.check((value) => Number.isSafeInteger(value), 'must be an integer up to ±(2^53 - 1)'),
)
const date = v.pipe(
  integer,
  v.check(isDate, 'must be a date in Unix seconds, not milliseconds, in the years 1 to 9999'),
)
const count = v.pipe(
  integer,
  v.check((value) => value >= 0, 'must not be negative'),
)
const flag = v.boolean('must be true or false')
const forgeName = v.pipe(
  text,
  v.check((value) => forgeNamePattern.test(value), forgeNameRule),
)
const commitHash = v.pipe(
  text,
  v.check((value) => commitHashPattern.test(value), 'must be 40 to 64 lowercase hexadecimal digits'),
)
const dependencyText = v.pipe(
  text,
  v.check((value) => value !== '' && !isLonger(value, 255), 'must have 1 to 255 characters'),
)
const webUrl = v.pipe(
  text,
  v.check(
    (value) => findUrlProblem(value) === undefined,
    ({ input }) => findUrlProblem(input) ?? '',
  ),
)
const isoTime = v.pipe(
  text,
  v.check(
    (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value),
    'must be an ISO 8601 timestamp such as 2024-05-06T07:08:09Z',
  ),
  v.check(
    // `Date` reads February 30 as March 1, and 24:00 as the next day. PostgreSQL has no year 0.
    (value) =>
      !/^0000|T24/.test(value) &&
      !Number.isNaN(Date.parse(value)) &&
      (value.slice(8, 10) <= '28' ||
        new Date(value.slice(0, 10)).toJSON()?.slice(0, 10) === value.slice(0, 10)),
    'must be a date that exists',
  ),
)

function nullable<T extends v.GenericSchema>(schema: T) {
  return v.nullish(schema, null)
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
/** A user's record. */
export type UserRecord = v.InferOutput<typeof userSchema>

const dependencySchema = objectOf({
  url: text, // compared with the repository's
  first_use_date: nullable(date),
  last_use_date: nullable(date),
  updated_at: nullable(date),
  status: nullable(v.picklist(['active', 'removed'], 'must be active or removed')),
  dependency: objectOf({ dependency_name: dependencyText, dependency_file: dependencyText }),
  added_commit_hash: v.optional(v.nullish(commitHash)),
  removed_commit_hash: v.optional(v.nullish(commitHash)),
})
/** A dependency in a repository's record. Its commits are what the endpoint `blame` returns. */
export type DependencyRecord = v.InferOutput<typeof dependencySchema>

const repositorySchema = v.pipe(
  objectOf({
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
  }),
  v.check(
    (value): boolean => findContradiction(value) === undefined,
    ({ input }): string => findContradiction(input) ?? '',
  ),
)
/** A repository's record. With `dependencies` null, its dependencies stay as they are. */
export type RepositoryRecord = v.InferOutput<typeof repositorySchema>

const commitSchema = objectOf({
  commit_hash: commitHash,
  author_email: text,
  author_date: nullable(date),
  committer_email: text,
  committer_date: nullable(date),
  message: text,
  repo_url: webUrl,
})
/** A commit's record. */
export type CommitRecord = v.InferOutput<typeof commitSchema>

/** How many addresses a user may have, so that a record stays small. */
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
    v.check((list) => list.length <= maxAddresses, `must have at most ${maxAddresses} addresses`),
  ),
})
/** The record of a user's further addresses. It replaces those that the user has. */
export type AddressesRecord = v.InferOutput<typeof addressesSchema>

const removalSchema = objectOf({
  forge_rest_id: integer,
  kind: v.picklist(['user', 'repository'], 'must be user or repository'),
  version: v.optional(v.unknown()),
})
/** Names a user or a repository that leaves the dataset. */
export type RemovalRecord = v.InferOutput<typeof removalSchema>

/** The record of each kind. */
export interface Records {
  users: UserRecord
  identities: AddressesRecord
  repos: RepositoryRecord
  commits: CommitRecord
  removals: RemovalRecord
}

/** A valid record with its kind. */
export type LoadItem<Kind extends RecordKind = RecordKind> = {
  [Each in Kind]: { kind: Each; record: Records[Each] }
}[Kind]

/** The rules of a kind of records. */
interface Rules<Item> {
  schema: v.GenericSchema<unknown, Item>
  isComplete(value: unknown): value is Item
}

/** Rules of records are `v.check`, which `isComplete` knows. */
function createRules<Item>(schema: v.GenericSchema<unknown, Item>): Rules<Item> {
  return { schema, isComplete: createCompleteCheck(schema) }
}

const rules: { [Kind in RecordKind]: Rules<Records[Kind]> } = {
  users: createRules(userSchema),
  identities: createRules(addressesSchema),
  repos: createRules(repositorySchema),
  commits: createRules(commitSchema),
  removals: createRules(removalSchema),
}

/** A record is invalid. The message names the field and the rule. */
export class RecordError extends Error {
  override name = 'RecordError'
}

/** Validates a record. Throws `RecordError` when it is invalid. */
export function validateRecord<Kind extends RecordKind>(kind: Kind, value: unknown): Records[Kind] {
  // Valibot takes an array for an object.
  if (Array.isArray(value)) throw new RecordError(notAnObject)
  const { schema, isComplete }: Rules<Records[Kind]> = rules[kind]
  if (isComplete(value)) return value
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  const path = v.getDotPath(issue)
  throw new RecordError(path === null ? issue.message : `${path}: ${issue.message}`)
}

/** Parses and validates a line of JSON. Throws `RecordError` when it is invalid. */
export function parseItem<Kind extends RecordKind>(kind: Kind, line: string): LoadItem<Kind> {
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
  return { kind, record: validateRecord(kind, value) }
}

/** Finds what is wrong with the URL of a repository. */
function findUrlProblem(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : null
  if (url === null) return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a token'
  return Buffer.byteLength(foldText(text)) > 2000 ? 'must have at most 2000 bytes' : undefined
}

/** Finds names or URLs of a repository that contradict each other, or a dependency that is there twice. */
function findContradiction({
  url,
  full_name,
  owner_login,
  name,
  dependencies,
}: Pick<RepositoryRecord, 'url' | 'full_name' | 'owner_login' | 'name' | 'dependencies'>):
  | string
  | undefined {
  const fullName = `${owner_login}/${name}`
  if (foldText(full_name) !== foldText(fullName)) return `full_name: must be owner_login/name, ${fullName}`
  const all = dependencies ?? []
  const areNamesUnique = new Set(all.map((use) => use.dependency.dependency_name)).size === all.length // mostly
  const seen = new Map<string, number>()
  for (const [index, { url: ownUrl, dependency }] of all.entries()) {
    if (ownUrl !== url && keyRepositoryUrl(ownUrl) !== keyRepositoryUrl(url)) {
      return `dependencies.${index}.url: must be the repository's URL, ${url}`
    }
    if (areNamesUnique) continue
    const pair = `${dependency.dependency_name}\0${dependency.dependency_file}` // neither contains a NUL
    const twin = seen.get(pair)
    if (twin !== undefined) {
      return `dependencies.${index}.dependency: has the same name and file as dependencies.${twin}`
    }
    seen.set(pair, index)
  }
  return undefined
}
