/** Computes what the dataset covers, at the end of each change. */
import { nullableUserFields } from '../catalog/attribute-values.ts'
import type { CoverageSummary, CoveredCountry, CoveredLanguage } from '../catalog/coverage.ts'
import { rankDependencies } from '../catalog/discovery.ts'
import type { SqlOrTransaction } from '../database/connect.ts'

/** Languages, manifests and packages that are listed: the most frequent ones. */
const maxListed = 20
/** The name of a package that fewer use may be that of a person. */
const minUses = 3

/**
 * Computes what the dataset covers, and stores it. The sets of the change have been applied. `haveUsesChanged`: whether a
 * dependency has lost or gained a user or a repository.
 */
export async function summarizeCoverage(tx: SqlOrTransaction, haveUsesChanged: boolean): Promise<void> {
  const [found] = await tx<Found[]>`
    select users_count as users,
      (select summary from coverage) as known,
      (
        select coalesce(json_object_agg(value, items_count), '{}') from attributes where name = 'has'
      ) as fields,
      (
        select coalesce(json_agg(json_build_object('language', coalesce(spelling, value), 'repositories', items_count)
          order by items_count desc, value), '[]')
        from (
          select value, spelling, items_count from attributes where name = 'language'
          order by items_count desc, value limit ${maxListed}
        ) l
      ) as languages,
      (
        select coalesce(json_agg(json_build_object('country', value, 'users', items_count)
          order by items_count desc, value), '[]')
        from (
          select value, items_count from attributes where name = 'country' order by items_count desc, value limit ${maxListed}
        ) c
      ) as countries
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  const uses = (haveUsesChanged ? null : found.known) ?? (await summarizeUses(tx))
  const summary: CoverageSummary = {
    dependencies: uses.dependencies,
    user_fields: Object.fromEntries(
      nullableUserFields.map((field) => [field, share(found.fields[field], found.users)]),
    ),
    countries: found.countries,
    languages: found.languages,
    manifests: uses.manifests,
    packages: uses.packages,
  }
  await tx`
    insert into coverage (summary) values (${JSON.stringify(summary)}::text::json)
    on conflict (only_row) do update set summary = excluded.summary`
}

type Uses = Pick<CoverageSummary, 'dependencies' | 'manifests' | 'packages'>

/** Ranks what is used: that takes a look at every dependency. */
async function summarizeUses(tx: SqlOrTransaction): Promise<Uses> {
  const manifests = await rankDependencies(tx, tx`name = ''`, maxListed)
  const packages = await rankDependencies(tx, tx`name <> ''`, maxListed)
  return {
    dependencies: packages.total,
    manifests: manifests.items.map(({ dependency_name: _empty, ...manifest }) => manifest),
    packages: packages.items.filter(({ users, repositories }) => Math.max(users, repositories) >= minUses),
  }
}

interface Found {
  /** Those of the last change. */
  known: Uses | null
  users: number
  /** How many users have each field. */
  fields: Partial<Record<string, number>>
  countries: CoveredCountry[]
  languages: CoveredLanguage[]
}

/** A share from 0 to 1, with four decimals. */
function share(part = 0, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000
}
