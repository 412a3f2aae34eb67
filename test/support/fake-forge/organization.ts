/**
 * A made-up organization on the fake forge: the same seed gives the same accounts, repositories and commits. It has one
 * of everything that an import has to cope with.
 */
import { createRandom, type Random } from '../../../sample/random.ts'
import { bodies, subjects, summaries } from '../../../sample/vocabulary/commits.ts'
import { languages } from '../../../sample/vocabulary/packages.ts'
import { descriptions, kinds, licenses, topics } from '../../../sample/vocabulary/projects.ts'
import type { NewCommit, Person } from './git-repository.ts'
import { createManifestHistory, findManifestKind } from './manifest-text.ts'
import { type Account, ForgeModel, formatTime, type Repository } from './model.ts'
import { type Author, type Authors, createAuthors } from './organization-people.ts'

/** How much there is. */
export interface OrganizationSize {
  seed?: string
  /** Repositories of the organization, with the special ones. At least 10. */
  repositories?: number
  /** People with an account who commit. */
  people?: number
  /** Commits of all repositories but `monolith`. */
  commits?: number
  /** Commits of `monolith`. */
  monolithCommits?: number
}

/** An organization, and what is special in it. */
export interface FakeOrganization {
  model: ForgeModel
  account: Account
  authors: Authors
  special: {
    /** Without commits. */
    empty: Repository
    /** Private: tokens see it that see private repositories. */
    secret: Repository
    /** Taken down for legal reasons. */
    blocked: Repository
    /** Taken down by the forge. */
    disabled: Repository
    /** Was called `first-name`. */
    renamed: Repository
    /** Was a member's. */
    transferred: Repository
    archived: Repository
    fork: Repository
    monolith: Repository
    /** A member's own, with a second member as its collaborator. */
    personal: Repository
  }
  /** Pushes one to three commits to `count` repositories, the second time to others than the first. */
  pushSome(count: number): Promise<Repository[]>
}

/** When the newest commit was made. Unix seconds, 2025-06-30T00:00:00Z. */
const latest = 1_751_241_600
const day = 86_400

/** Makes the organization `acme-works`. The git repositories are made in the folder. */
export async function createOrganization(
  folder: string,
  {
    seed = 'organization',
    repositories: repositoryCount = 12,
    people: peopleCount = 20,
    commits: commitCount = 200,
    monolithCommits = 300,
  }: OrganizationSize = {},
): Promise<FakeOrganization> {
  const model = new ForgeModel(folder)
  const random = createRandom(seed)
  const authors = createAuthors(model, random, peopleCount)
  const account = addOrganization(model)
  const special = createSpecial(model, random, account, authors)
  const ordinary = Array.from({ length: Math.max(1, repositoryCount - specialCount) }, (_, index) =>
    drawRepository(model, random, account, `${random.pick(topics)}-${random.pick(kinds)}-${index}`),
  )

  const { empty, monolith, ...others } = special
  const sharing = [...ordinary, ...Object.values(others)]
  const counts = shareOut(random, commitCount, sharing.length)
  const planned = sharing.map((repository, index) => ({ repository, count: counts[index] ?? 0, index }))
  planned.push({ repository: monolith, count: monolithCommits, index: 0 })
  await inParallel(planned, async ({ repository, count, index }) => {
    // Everybody commits somewhere: the people are dealt out over the repositories.
    const dealt = authors.people.filter((_, number) => number % sharing.length === index)
    const seedOfOne = `${seed} ${repository.name}`
    const dates = drawDates(createRandom(seedOfOne), repository, count)
    await model.push(repository, drawCommits(seedOfOne, repository, authors, dates, dealt))
  })
  for (const leaver of authors.leavers) if (leaver.account) model.deleteAccount(leaver.account)

  let pushes = 0
  return {
    model,
    account,
    authors,
    special,
    async pushSome(count) {
      const pushed = [...ordinary, ...ordinary]
        .slice(pushes % ordinary.length)
        .slice(0, Math.min(count, ordinary.length))
      pushes += count
      await inParallel(pushed, async (repository) => {
        const seedOfOne = `${seed} push ${pushes} ${repository.name}`
        const from = latest + pushes * day
        const dates = [from, from + 60, from + 120].slice(0, createRandom(seedOfOne).integer(1, 3))
        await model.push(repository, drawCommits(seedOfOne, repository, authors, dates))
      })
      return pushed
    },
  }
}

function addOrganization(model: ForgeModel): Account {
  return model.addAccount({
    kind: 'Organization',
    login: 'acme-works',
    name: 'Acme Works',
    email: 'hello@acme.example',
    location: 'Berlin',
    bio: 'We make everything',
  })
}

/** Repositories of the organization in {@link FakeOrganization.special}. */
const specialCount = 9

function createSpecial(
  model: ForgeModel,
  random: Random,
  account: Account,
  { people }: Authors,
): FakeOrganization['special'] {
  const [owner, collaborator] = people.map((author) => author.account)
  if (owner === undefined || collaborator === undefined) throw new RangeError('at least 2 people are needed')
  const add = (name: string, changes: Partial<Repository> = {}) =>
    Object.assign(drawRepository(model, random, account, name), changes)
  const special = {
    empty: add('empty', { language: null, diskUsage: 0 }),
    secret: add('secret', { isPrivate: true }),
    blocked: add('blocked', { isBlocked: true }),
    disabled: add('disabled', { isDisabled: true }),
    renamed: add('first-name'),
    transferred: add('transferred', { owner }),
    archived: add('archived', { isArchived: true }),
    fork: add('fork', { isFork: true }),
    monolith: add('monolith'),
    personal: add('dotfiles', { owner, collaborators: [collaborator] }),
  }
  model.moveRepository(special.renamed, { name: 'renamed' })
  model.moveRepository(special.transferred, { owner: account })
  return special
}

function drawRepository(model: ForgeModel, random: Random, owner: Account, name: string): Repository {
  const createdAt = random.integer(latest - 2000 * day, latest - 100 * day)
  const topic = random.pick(topics)
  const description = random
    .pick(descriptions)
    .replace('{topic}', topic)
    .replace('{kind}', random.pick(kinds))
  return model.addRepository({
    owner,
    name,
    description: random.chance(0.2) ? null : description,
    homepageUrl: random.chance(0.2) ? `https://${name}.example` : null,
    license: random.pick(licenses),
    language: random.pick(languages).name,
    hasDiscussionsEnabled: random.chance(0.2),
    hasProjectsEnabled: random.chance(0.8),
    forkCount: Math.floor(random.skewedFraction(6) * 900),
    stargazerCount: Math.floor(random.skewedFraction(6) * 20_000),
    watcherCount: Math.floor(random.skewedFraction(6) * 500),
    openIssueCount: Math.floor(random.skewedFraction(3) * 200),
    closedIssueCount: Math.floor(random.skewedFraction(3) * 900),
    diskUsage: random.integer(10, 90_000),
    createdAt: formatTime(createdAt),
    updatedAt: formatTime(createdAt),
  })
}

/** Shares a number out, most to a few, at least one to each. */
function shareOut(random: Random, total: number, parts: number): number[] {
  const weights = Array.from({ length: parts }, () => 0.1 + random.skewedFraction(3))
  const sum = weights.reduce((a, b) => a + b, 0)
  const counts = weights.map((weight) => Math.max(1, Math.floor((weight / sum) * total)))
  const left = total - counts.reduce((a, b) => a + b, 0)
  return counts.map((count, index) => (index === 0 ? Math.max(1, count + left) : count))
}

/** Dates from the repository's creation on. */
function drawDates(random: Random, { createdAt }: Repository, count: number): number[] {
  const from = Date.parse(createdAt) / 1000
  return Array.from({ length: count }, () => random.integer(from, latest)).sort((a, b) => a - b)
}

/** A commit for each date, the first ones by `dealt`; with a manifest where the repository's language has one. */
function drawCommits(
  seed: string,
  repository: Repository,
  authors: Authors,
  dates: readonly number[],
  dealt: readonly Author[] = [],
): NewCommit[] {
  const random = createRandom(`${seed} commits`)
  const regulars = [...dealt, ...Array.from({ length: 3 }, () => random.pickSkewed(authors.people))]
  const kind = findManifestKind(repository.language)
  const changes = kind ? createManifestHistory(seed, kind, Math.ceil(dates.length / 10)) : []
  return dates.map((date, index): NewCommit => {
    const change = index % 10 === 0 ? changes[index / 10] : undefined
    const first = dealt[index]
    const author =
      first === undefined
        ? drawAuthor(random, authors, random.pick(regulars), change !== undefined)
        : random.pickSkewed(first.identities)
    return {
      author,
      // What is merged on the site is committed by the site.
      committer: random.chance(0.2) ? { name: 'GitHub', email: 'noreply@github.com' } : author,
      date: random.chance(0.1) ? date - random.integer(1, day) : date,
      committerDate: date,
      message: drawMessage(random, regulars),
      files:
        kind !== undefined && change !== undefined
          ? { [kind.file]: change }
          : { [`src/part-${random.integer(1, 9)}.txt`]: `${index}\n` },
    }
  })
}

function drawAuthor(random: Random, authors: Authors, regular: Author, isUpdate: boolean): Person {
  const draw = random.fraction()
  const author =
    isUpdate && draw < 0.5
      ? random.pick(authors.bots)
      : draw > 0.97
        ? random.pick(authors.strangers)
        : draw > 0.95
          ? random.pick(authors.leavers)
          : regular
  return random.pickSkewed(author.identities)
}

function drawMessage(random: Random, regulars: readonly Author[]): string {
  const summary = random
    .pickSkewed(summaries)
    .replace('{subject}', random.pick(subjects))
    .replace('{other}', random.pick(subjects))
  const parts = [summary]
  if (random.chance(0.1)) parts.push(random.pick(bodies).replace('{number}', String(random.integer(1, 900))))
  if (random.chance(0.03)) {
    const { name, email } = random.pick(random.pick(regulars).identities)
    parts.push(`Co-authored-by: ${name} <${email}>`)
  }
  return parts.join('\n\n')
}

/** Runs a task on each item, four at a time. */
async function inParallel<Item>(items: readonly Item[], task: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await task(item)
  }
  await Promise.all([work(), work(), work(), work()])
}
