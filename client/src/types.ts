// Generated from openapi.yml by `npm run client`.
import type { components } from './schema.ts'

type Schemas = components['schemas']

/** An account on the code-hosting platform. */
export type User = Schemas['User']
/** A repository. */
export type Repository = Schemas['Repository']
/** A repository with its dependencies, unless the request excludes them. */
export type ListedRepository = Schemas['ListedRepository']
/** A dependency of a repository, with its status and the time of its use. */
export type RepositoryDependency = Schemas['RepositoryDependency']
/** A dependency of a repository, and the commits that added and removed it. */
export type DependencyBlame = Schemas['DependencyBlame']
/** A dependency, and the numbers of those who use it. */
export type UsedDependency = Schemas['UsedDependency']
/** A location, and the number of users who have it. */
export type LocationText = Schemas['LocationText']
/** A company, and the number of users who have it. */
export type CompanyText = Schemas['CompanyText']
/** A value, and the number of items that have it. */
export type ValueCount = Schemas['ValueCount']
/** How many items used a dependency, month by month. */
export type DependencyHistory = Schemas['DependencyHistory']
/** A commit. */
export type Commit = Schemas['Commit']
/** A user or a repository that was removed. */
export type Removal = Schemas['Removal']
/** The key and its balance. */
export type CreditStatus = Schemas['CreditStatus']
/** One change of a key's balance. */
export type UsageEntry = Schemas['UsageEntry']
/** What a key spent on one day at one endpoint. */
export type UsageSum = Schemas['UsageSum']
/** An assistant that was connected with a key, in place of which it has a token. */
export type Connection = Schemas['Connection']
/** Whether a dependency is still declared. */
export type DependencyStatus = Schemas['DependencyStatus']
/** Stable code of an error. Codes don't change. More may be added. */
export type ErrorCode = Schemas['ErrorCode']
