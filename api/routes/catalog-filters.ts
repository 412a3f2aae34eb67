/**
 * The query parameters of `/users` and `/repos` (`decisions/0003-lists.md`).
 *
 * @module
 */
import type { BatchLookUp } from '../catalog/batch-lookup.ts'
import { createFilter, type Filter, type FilterParameters, isUnfiltered } from '../catalog/filter.ts'
import { badRequest } from '../errors.ts'
import { batchNames, isBatchLookUp, readBatchLookUp } from './batch-parameters.ts'
import type { ListParameters } from './lists.ts'
import {
  readEntries,
  readForgeName,
  readIdAfter,
  readOption,
  readSingle,
  readValues,
  readVersion,
} from './parameters.ts'

/** Maximum characters of a location, or of the name of a dependency or file. */
const maxLength = 255
const locationLimits = { maxEntries: 20, maxLength }
const dependencyLimits = { maxEntries: 50, maxLength }
const dependencyNames = ['dependency_names', 'dependency_files', 'dependency_status']
/** The parameters of both lists that may be repeated. */
const repeatable = ['location', 'dependency_names', 'dependency_files', ...batchNames]

/** The parameters of `/users`. */
export const userParameters: ListParameters<Filter | BatchLookUp, number> = {
  names: ['location', ...dependencyNames, 'changed_since', 'logins', 'forge_rest_ids'],
  repeatable,
  isBatchLookUp,
  readAfter: readIdAfter,
  readFilter: (query) =>
    readBatchLookUp(query) ?? readFilter(query, { locations: readValues(query, 'location', locationLimits) }),
}

/** Which repositories a list has, and whether with their dependencies. */
export interface RepositoryFilter {
  filter: Filter | BatchLookUp
  excludesDependencies: boolean
}

/** The parameters of `/repos`. */
export const repositoryParameters: ListParameters<RepositoryFilter, number> = {
  names: ['owner', ...dependencyNames, 'changed_since', 'full_names', 'forge_rest_ids', 'exclude'],
  repeatable,
  isBatchLookUp,
  readAfter: readIdAfter,
  readFilter: (query) => ({
    filter: readBatchLookUp(query) ?? readFilter(query, { owner: readOwner(query) }),
    excludesDependencies: readOption(query, 'exclude', ['dependencies']) !== undefined,
  }),
}

function readOwner(query: URLSearchParams): string | undefined {
  const owner = readSingle(query, 'owner')
  return owner === undefined ? undefined : readForgeName(owner, 'owner')
}

/** Reads the filters that both lists have. `own` is the part of the filter that only one of them has. */
function readFilter(query: URLSearchParams, own: FilterParameters): Filter {
  const dependencies = {
    dependencyNames: readEntries(query, 'dependency_names', dependencyLimits),
    dependencyFiles: readEntries(query, 'dependency_files', dependencyLimits),
  }
  const dependencyStatus = readOption(query, 'dependency_status', ['active', 'removed'])
  if (dependencyStatus !== undefined && Object.values(dependencies).flat().length === 0) {
    throw badRequest('Invalid dependency_status: requires dependency_names or dependency_files')
  }
  const filter = createFilter({ ...own, ...dependencies, dependencyStatus })
  const changedSince = readVersion(query, 'changed_since')
  if (changedSince === undefined) return filter
  if (!isUnfiltered(filter)) {
    throw badRequest('Invalid changed_since: can be combined only with page, per_page, after and exclude')
  }
  return { ...filter, changedSince }
}
