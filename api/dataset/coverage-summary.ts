/** Computes what the dataset covers, at the end of each change. */
import { nullableUserFields, secondsPerDay } from '../catalog/attribute-values.ts'
import type { CoverageSummary, CoveredCompany, CoveredCountry, CoveredLanguage } from '../catalog/coverage.ts'
import { rankDependencies } from '../catalog/discovery.ts'
import type { AttributeName } from '../catalog/filters.ts'
import type { SqlOrTransaction } from '../database/connect.ts'

/** Languages, companies, manifests and the like that are listed: the most frequent ones. */
const maxListed = 20
/** Readers look their package up: those that most people use. All countries fit. */
const maxPackages = 50
const maxCountries = 250
/** The name of a package or a company that fewer have may be that of a person. */
const minUses = 3

/**
 * Computes what the dataset covers, and stores it. The sets of the change have been applied. `haveUsesChanged`: whether
 * a dependency has lost or gained a user or a repository.
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
          select value, items_count from attributes where name = 'country' order by items_count desc, value limit ${maxCountries}
        ) c
      ) as countries,
      (
        select coalesce(json_agg(json_build_object('company', company, 'users', users_count)
          order by users_count desc, company_key collate "C"), '[]')
        from (
          select * from companies where users_count >= ${tx.unsafe(String(minUses))}
          order by users_count desc, company_key collate "C" limit ${maxListed}
        ) c
      ) as companies
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  const pushes = await listYears(tx, 'pushed_day')
  const commits = await listYears(tx, 'active_day')
  const uses = (haveUsesChanged ? null : found.known) ?? (await summarizeUses(tx))
  const summary: CoverageSummary = {
    dependencies: uses.dependencies,
    last_push: pushes[0]?.last ?? null,
    last_commit: commits[0]?.last ?? null,
    push_years: pushes.map(({ year, count }) => ({ year, repositories: count })),
    commit_years: commits.map(({ year, count }) => ({ year, users: count })),
    user_fields: Object.fromEntries(
      nullableUserFields.map((field) => [field, share(found.fields[field], found.users)]),
    ),
    countries: found.countries,
    companies: found.companies,
    languages: found.languages,
    manifests: uses.manifests,
    packages: uses.packages,
  }
  await tx`
    insert into coverage (summary) values (${JSON.stringify(summary)}::text::json)
    on conflict (only_row) do update set summary = excluded.summary`
}

/**
 * Counts items by the year of a day that they have, the newest year first, with the last day of each. Days after today
 * come from clocks that are wrong.
 */
function listYears(tx: SqlOrTransaction, name: AttributeName) {
  return tx<{ year: number; count: number; last: string }[]>`
    select extract(year from day)::integer as year, sum(items_count)::integer as count, to_char(max(day), 'YYYY-MM-DD') as last
    from (
      select items_count, to_timestamp(number * ${secondsPerDay}::numeric) at time zone 'UTC' as day
      from attributes
      where name = ${name} and items_count > 0 and number between 0 and floor(extract(epoch from now()) / ${secondsPerDay}::numeric)
    ) d
    group by 1 order by 1 desc`
}

type Uses = Pick<CoverageSummary, 'dependencies' | 'manifests' | 'packages'>

/** Ranks what is used: that takes a look at every dependency. */
async function summarizeUses(tx: SqlOrTransaction): Promise<Uses> {
  const manifests = await rankDependencies(tx, tx`name = ''`, maxListed)
  const packages = await rankDependencies(tx, tx`name <> ''`, maxPackages)
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
  companies: CoveredCompany[]
  languages: CoveredLanguage[]
}

/** A share from 0 to 1, with four decimals. */
function share(part = 0, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000
}
