import { createHash } from 'node:crypto'
import { createRandom, type Random } from './random.ts'
import type { SampleCommit, SampleRepository, SampleUser } from './records.ts'
import { longHistoryName, manyDependenciesName, type SampleRepositories } from './repositories.ts'
import { bodies, strangers, subjects, summaries } from './vocabulary/commits.ts'

const noReplyHost = 'users.noreply.forge.example'
/** Who commits what is merged on the forge's web site. */
const webCommitter = 'noreply@forge.example'

/**
 * Creates the commits of all repositories, one repository after the other, each from its oldest commit on; none for a
 * repository that nobody has pushed to, but a fork has commits of its parent, under the same hashes. Hash and
 * repository together are unique.
 */
export function createCommits(
  { repositories, parents }: SampleRepositories,
  users: readonly SampleUser[],
): SampleCommit[] {
  const people = createRandom('committers').shuffle(users.filter(({ type }) => type === 'User'))
  const bot = users.find(({ type }) => type === 'Bot')
  const owners = new Map(users.map((user) => [user.login, user]))
  const histories = new Map<string, SampleCommit[]>()

  const parentsFirst = [...repositories].sort((a, b) => Number(a.fork) - Number(b.fork))
  for (const repository of parentsFirst) {
    const random = createRandom(`commits ${repository.url}`)
    const owner = owners.get(repository.owner_login)
    const inherited = inherit(repository, histories.get(parents.get(repository.url) ?? ''))
    const authors = createAuthors(random, owner, people, bot)
    histories.set(repository.url, [...inherited, ...createHistory(random, repository, authors)])
  }
  return repositories.flatMap(({ url }) => histories.get(url) ?? [])
}

/** E-mail addresses that commits in one repository come from. */
interface Authors {
  maintainer: string
  contributors: string[]
  bot: string
}

function createAuthors(
  random: Random,
  owner: SampleUser | undefined,
  people: readonly SampleUser[],
  bot: SampleUser | undefined,
): Authors {
  const maintainer =
    owner?.type === 'User' ? owner : random.pickSkewed(people.filter(({ email }) => email !== null))
  const helpers = Array.from({ length: random.integer(0, 5) }, () => random.pickSkewed(people))
  return {
    maintainer: authorAddress(random, maintainer, 0.08),
    contributors: helpers.map((helper) => authorAddress(random, helper, 0.25)),
    bot: bot ? noReplyAddress(bot) : webCommitter,
  }
}

/** The user's own address, or the forge's no-reply form: for who has no address always, else with a probability. */
function authorAddress(random: Random, user: SampleUser, noReplyProbability: number): string {
  const hidesAddress = random.chance(noReplyProbability)
  return user.email === null || hidesAddress ? noReplyAddress(user) : user.email
}

function noReplyAddress({ forge_rest_id, login }: SampleUser): string {
  return `${forge_rest_id}+${login}@${noReplyHost}`
}

/** What a fork has of its parent: up to 30 of the commits before it was made. */
function inherit(fork: SampleRepository, history: readonly SampleCommit[] = []): SampleCommit[] {
  return history
    .filter(({ committer_date }) => committer_date !== null && committer_date <= (fork.created_at ?? 0))
    .slice(0, 30)
    .map((commit) => ({ ...commit, repo_url: fork.url }))
}

function createHistory(random: Random, repository: SampleRepository, authors: Authors): SampleCommit[] {
  const { url, created_at: from, pushed_at: until } = repository
  if (from === null || until === null) return []
  const dates = createDates(random, countCommits(random, repository), from, until)
  let parentHash = ''
  return dates.map((date) => {
    const commit = createCommit(random, repository, authors, date)
    // As in git, the hash is one of the content and of what came before.
    parentHash = createHash('sha1')
      .update(`${parentHash}\n${JSON.stringify(commit)}`)
      .digest('hex')
    return { commit_hash: parentHash, ...commit, repo_url: url }
  })
}

function countCommits(random: Random, { name, fork }: SampleRepository): number {
  if (fork) return random.integer(0, 3)
  if (name === longHistoryName) return 700
  if (name === manyDependenciesName) return 240
  return 1 + Math.floor(random.skewedFraction(3) * 52)
}

/**
 * Committer dates in ascending order, the last at the last push. Some follow each other within the same second, and
 * a long history has a run of 130 equal ones, as a rebase leaves it: more than the largest page holds.
 */
function createDates(random: Random, count: number, from: number, until: number): number[] {
  if (count === 0) return []
  const dates = Array.from({ length: count }, () => random.integer(from, until)).sort((a, b) => a - b)
  dates.splice(-1, 1, until)
  for (let index = 1; index < count; index += 1) {
    const isTie = random.chance(0.03) || (count >= 700 && index > 300 && index <= 429)
    if (isTie) dates.splice(index, 1, dates[index - 1] ?? from)
  }
  return dates
}

function createCommit(
  random: Random,
  repository: SampleRepository,
  authors: Authors,
  date: number,
): Omit<SampleCommit, 'commit_hash' | 'repo_url'> {
  const { dependencies } = repository
  const bumped = dependencies.length > 0 && random.chance(0.06) ? random.pick(dependencies) : undefined
  const author = bumped ? authors.bot : pickAuthor(random, authors)
  const isMergedOnSite = random.chance(0.12)
  // Rebasing and picking leave the author's date behind the committer's.
  const authorDate = random.chance(0.12) ? date - random.integer(1, 20 * 86_400) : date
  const message = bumped
    ? `Bump ${bumped.dependency.dependency_name} from ${createVersion(random)} to ${createVersion(random)}`
    : createMessage(random, authors)
  return {
    author_email: author,
    author_date: random.chance(0.004) ? null : random.chance(0.001) ? 0 : authorDate,
    committer_email: isMergedOnSite ? webCommitter : random.chance(0.04) ? authors.maintainer : author,
    committer_date: random.chance(0.004) ? null : random.chance(0.001) ? 0 : date,
    message,
  }
}

function pickAuthor(random: Random, { maintainer, contributors }: Authors): string {
  const draw = random.fraction()
  if (draw < 0.05) return random.pick(strangers)
  if (draw < 0.3 && contributors.length > 0) return random.pick(contributors)
  return maintainer
}

function createMessage(random: Random, { contributors }: Authors): string {
  if (random.chance(0.001)) return ''
  if (random.chance(0.04))
    return `Merge pull request #${random.integer(1, 900)} from ${random.pick(subjects)}-fix`
  const summary = random
    .pickSkewed(summaries)
    .replace('{subject}', random.pick(subjects))
    .replace('{other}', random.pick(subjects))
  const parts = [random.chance(0.1) ? `${summary} (#${random.integer(1, 900)})` : summary]
  if (random.chance(0.1)) parts.push(random.pick(bodies).replace('{number}', String(random.integer(1, 900))))
  if (contributors.length > 0 && random.chance(0.03)) {
    parts.push(`Co-authored-by: A contributor <${random.pick(contributors)}>`)
  }
  return parts.join('\n\n')
}

function createVersion(random: Random): string {
  return `${random.integer(0, 9)}.${random.integer(0, 20)}.${random.integer(0, 12)}`
}
