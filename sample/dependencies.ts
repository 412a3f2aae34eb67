import type { Random } from './random.ts'
import type { SampleCommit, SampleDependency, SampleRepository } from './records.ts'
import { type Ecosystem, ecosystems, languages, otherSpellings } from './vocabulary/packages.ts'

/** The repository whose dependencies are made, and when it was worked on (Unix seconds). */
export interface DependentRepository {
  url: string
  language: string | null
  from: number
  until: number
  /** More dependencies than the largest page holds, from several ecosystems. */
  many: boolean
}

/**
 * Creates the dependencies of a repository, in no order; none when its language has no packages, and sometimes else.
 * A name occurs once per file. About 85 % are active: their `last_use_date` is null.
 */
export function createDependencies(random: Random, repository: DependentRepository): SampleDependency[] {
  const declarations = repository.many ? declareMany(random) : declareSome(random, repository.language)
  return declarations.map(({ file, name }) => createDependency(random, repository, file, name))
}

/** The repository whose dependencies were added and removed by its commits, as those of a git history are. */
export const blamedName = 'kmuller/widget'

/** Gives the dependencies of a repository the dates and hashes of the commits that came before. */
export function dateByCommits(
  repository: SampleRepository,
  commits: readonly SampleCommit[],
): SampleRepository {
  const history = commits
    .filter(({ repo_url, committer_date }) => repo_url === repository.url && committer_date !== null)
    .sort((a, b) => (a.committer_date ?? 0) - (b.committer_date ?? 0))
  const find = (date: number | null) =>
    history.findLast(({ committer_date }) => date !== null && (committer_date ?? 0) <= date)
  return {
    ...repository,
    dependencies: repository.dependencies.map((use) => {
      const [added, removed] = [find(use.first_use_date), find(use.last_use_date)]
      return {
        ...use,
        first_use_date: added?.committer_date ?? null,
        last_use_date: removed?.committer_date ?? null,
        updated_at: removed?.committer_date ?? added?.committer_date ?? use.updated_at,
        added_commit_hash: added?.commit_hash ?? null,
        removed_commit_hash: removed?.commit_hash ?? null,
      }
    }),
  }
}

interface Declaration {
  file: string
  name: string
}

function declareMany(random: Random): Declaration[] {
  const counts = [70, 36, 20]
  return counts.flatMap((count, index) => {
    const ecosystem = ecosystems[index]
    return ecosystem ? declare(random, ecosystem, count) : []
  })
}

function declareSome(random: Random, language: string | null): Declaration[] {
  const ecosystem = languages.find(({ name }) => name === language)?.ecosystem
  if (!ecosystem || random.chance(0.07)) return []
  const declarations = declare(random, ecosystem, 1 + Math.floor(random.skewedFraction(2) * 29))
  // Some have a second part in another language: a front end, a script.
  const second = ecosystems.find((other) => other !== ecosystem)
  if (second && random.chance(0.13)) declarations.push(...declare(random, second, random.integer(1, 8)))
  return declarations
}

function declare(random: Random, { files, packages }: Ecosystem, count: number): Declaration[] {
  // One file, the other one, or both.
  const used = random.chance(0.25) ? files : [random.pick(files)]
  return random.sampleByRank(packages, count).flatMap((name) => {
    const inFiles = used.length > 1 && random.chance(0.3) ? used : [random.pick(used)]
    return inFiles.map((file) => ({ file, name: spell(random, file, name) }))
  })
}

function spell(random: Random, file: string, name: string): string {
  return file === 'requirements.txt' && random.chance(0.4) ? (otherSpellings.get(name) ?? name) : name
}

function createDependency(
  random: Random,
  { url, from, until }: DependentRepository,
  file: string,
  name: string,
): SampleDependency {
  const isThereFromStart = random.chance(0.5)
  const firstUse = random.integer(from, isThereFromStart ? Math.min(from + 3_000_000, until) : until)
  const isRemoved = random.chance(0.15)
  const lastUse = isRemoved ? random.integer(firstUse, until) : null
  return {
    url,
    // Where the start of the history is not known, neither is the first use.
    first_use_date: random.chance(0.01) ? null : firstUse,
    last_use_date: lastUse,
    updated_at: lastUse ?? random.integer(firstUse, until),
    status: isRemoved ? 'removed' : 'active',
    dependency: { dependency_name: name, dependency_file: file },
  }
}
