/**
 * Filters of users and repositories, in the canonical form that equal filters share.
 *
 * @module
 */
import { foldLocation, foldText } from '../names/case-folding.ts'
import type { AttributeName, DatedAttribute, NumberedAttribute } from './attributes.ts'

/** A list of the catalog. */
export type ListName = 'users' | 'repositories'

/** The status of a dependency that a filter may ask for. */
export type DependencyStatus = 'active' | 'removed'

/** A filter in its canonical form: folded, sorted, without duplicates. An item must meet each part. Empty parts don't filter. */
export interface Filter {
  /** Any of these substrings of the user's location. */
  locationKeys: readonly string[]
  /** The login of the repository's owner. */
  ownerKey: string
  /** Any of these dependencies, or each of them … */
  nameKeys: readonly string[]
  matchesAll: boolean
  /** … and none of these … */
  withoutKeys: readonly string[]
  /** … declared in any of these files … */
  files: readonly string[]
  /** … with this status. */
  status?: DependencyStatus | undefined
  /** Attributes: any of the values of each. */
  attributes: readonly { name: AttributeName; values: readonly string[] }[]
  /** Attributes with numbers: at least this one. */
  minimums: readonly { name: NumberedAttribute; least: number }[]
  /** Attributes with days: this moment or later, in Unix seconds. */
  times: readonly { name: DatedAttribute; since: number }[]
  /** Only what was added or changed after this version of the dataset. */
  changedSince?: number | undefined
}

/** A filter as the client wrote it. */
export interface FilterParameters {
  locations?: readonly string[]
  owner?: string | undefined
  dependencyNames?: readonly string[]
  /** Default: any. */
  dependencyMatch?: 'any' | 'all' | undefined
  withoutDependencyNames?: readonly string[]
  dependencyFiles?: readonly string[]
  dependencyStatus?: DependencyStatus | undefined
  types?: readonly string[]
  /** Codes, in any case. */
  countries?: readonly string[]
  /** Each of these fields. */
  has?: readonly string[]
  languages?: readonly string[]
  licenses?: readonly string[]
  fork?: 'true' | 'false' | undefined
  archived?: 'true' | 'false' | undefined
  minFollowers?: number | undefined
  minStars?: number | undefined
  /** Unix seconds. */
  activeSince?: number | undefined
  pushedSince?: number | undefined
  changedSince?: number | undefined
}

/** Creates the canonical form of a filter. */
export function createFilter(parameters: FilterParameters): Filter {
  const { types, countries, has = [], languages, licenses, fork, archived } = parameters
  const { minFollowers, minStars, activeSince, pushedSince } = parameters
  const locationKeys = [...new Set(parameters.locations?.map(foldLocation))]
  const anyOf = (name: AttributeName, values: Iterable<string> | undefined) => ({
    name,
    values: [...new Set(values)].sort(),
  })
  const nameKeys = fold(parameters.dependencyNames)
  return {
    // A location that contains another one matches no further users.
    locationKeys: locationKeys
      .filter((key) => !locationKeys.some((other) => other !== key && key.includes(other)))
      .sort(),
    ownerKey: foldText(parameters.owner ?? ''),
    nameKeys,
    matchesAll: parameters.dependencyMatch === 'all' && nameKeys.length > 1,
    withoutKeys: fold(parameters.withoutDependencyNames),
    files: [...new Set(parameters.dependencyFiles)].sort(),
    status: parameters.dependencyStatus,
    attributes: [
      anyOf('type', fold(types)),
      anyOf('country', fold(countries)),
      ...[...new Set(has)].sort().map((field) => anyOf('has', [field])),
      anyOf('language', fold(languages)),
      anyOf('license', fold(licenses)),
      anyOf('fork', fork && [fork]),
      anyOf('archived', archived && [archived]),
    ].filter(({ values }) => values.length > 0),
    minimums: [
      ...(minFollowers === undefined ? [] : [{ name: 'followers' as const, least: minFollowers }]),
      ...(minStars === undefined ? [] : [{ name: 'stars' as const, least: minStars }]),
    ],
    times: [
      ...(activeSince === undefined ? [] : [{ name: 'active_day' as const, since: activeSince }]),
      ...(pushedSince === undefined ? [] : [{ name: 'pushed_day' as const, since: pushedSince }]),
    ],
    changedSince: parameters.changedSince,
  }
}

function fold(texts: readonly string[] | undefined): string[] {
  return [...new Set(texts?.map(foldText))].sort()
}

/** Whether a filter matches everything. */
export function isUnfiltered(filter: Filter): boolean {
  const { locationKeys, nameKeys, withoutKeys, files, attributes, minimums, times } = filter
  const parts = [locationKeys, nameKeys, withoutKeys, files, attributes, minimums, times]
  return parts.flat().length === 0 && filter.ownerKey === '' && filter.changedSince === undefined
}
