/**
 * What the service's responses have in them, as openapi.yml describes it.
 *
 * @module
 */
import type { components } from './schema.ts'

type Schemas = components['schemas']

/** A user. */
export type User = Schemas['User']
/** A repository, as a look-up returns it: without its dependencies. */
export type Repository = Schemas['Repository']
/** A repository, as lists and batch look-ups return it. */
export type ListedRepository = Schemas['ListedRepository']
/** A dependency that a repository declares, or once declared. */
export type RepositoryDependency = Schemas['RepositoryDependency']
/** Whether a dependency is still declared. */
export type DependencyStatus = Schemas['DependencyStatus']
/** A dependency that filters can name, with the numbers of its users and repositories. */
export type UsedDependency = Schemas['UsedDependency']
/** A location that users have, and their number. */
export type LocationText = Schemas['LocationText']
/** A commit. */
export type Commit = Schemas['Commit']
/** A user or a repository that is no longer in the dataset. */
export type Removal = Schemas['Removal']
/** What is left on the calling key. */
export type CreditStatus = Schemas['CreditStatus']
/** A charge or a grant in the key's ledger. */
export type UsageEntry = Schemas['UsageEntry']
/** What the key spent on an endpoint in a day. */
export type UsageSum = Schemas['UsageSum']
/** What went wrong, for programs. A later version of the service may have more codes. */
export type ErrorCode = Schemas['ErrorCode']
