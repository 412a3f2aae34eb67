/** A forge that is made up from a seed, and changes as forges do: what to load, and what there is then. */
import { createRandom, type Random } from '../../sample/random.ts'
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../sample/records.ts'
import { createDependency, createRepository, createUser, type Records } from './records.ts'

/** How much of it. */
export interface ForgeSize {
  users: number
  repositories: number
  commits: number
}

/** What exists, in the order of its creation, and what can be created next. */
export interface RandomForge {
  readonly users: readonly SampleUser[]
  readonly repositories: readonly SampleRepository[]
  readonly commits: readonly SampleCommit[]
  /** Adds so much; promises the load that says so. */
  grow(size: ForgeSize): Records
  /** Changes so much of what is there; promises the load that says so. */
  change(size: ForgeSize): Records
  /** Removes so much of what is there. Commits go with their repository. */
  remove(size: ForgeSize): void
  /** Adds again what was removed, if its repository is there; promises the load that says so. */
  restore(): Records
}

/** Letters of both cases, with accents composed and not, and what means something to a database or an address. */
const cities = [
  ...[
    'Berlin',
    'BERLIN Mitte',
    'São Paulo',
    'Sa\u0303o Paulo',
    'Zürich',
    'Zu\u0308rich',
    'İstanbul',
    'Iğdır',
  ],
  ...[
    'Straßburg',
    'STRASSE 7',
    'Πειραιάς',
    'ΣΠΆΡΤΗ',
    '東京',
    '🌍 everywhere',
    '100% remote',
    'a_b',
    'C:\\home',
  ],
  ...['Oslo', 'Lagos', 'New  York', "L'Aquila", 'Łódź', 'Reykjavík', 'x&y=z', '"quoted"', 'Ålesund'],
]
const noReplyHost = 'users.noreply.forge.example'
/** Texts of companies. */
const companies = ['Æ Ltd', 'acmé', 'Straße AG', '東京', 'open@source', 'İş Bankası', '100%_\\', 'x']
const lands = ['', ', Germany', ', Brasil', ', TÜRKIYE', ', Norway', ' (USA)', ', 日本']
/** Names of the dependencies that most use; some differ from each other by case alone. */
const wellKnown = [
  ...[
    'react',
    'React',
    'django',
    'Django',
    '@types/node',
    'lodash',
    'Größe',
    'GRÖSSE',
    'naïve',
    'nai\u0308ve',
  ],
  ...[
    '100%',
    'a_b',
    'back\\slash',
    "o'clock",
    '{braces}',
    '"q"',
    'ΣΊΣΥΦΟΣ',
    'σίσυφος',
    'İ18n',
    '名前',
    'NULL',
    '$1',
  ],
]
const files = [
  'package.json',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
  'requirements.txt',
  'Gemfile',
  'GEMFILE',
  'ü.toml',
]

/** A name of a dependency: the lower the number, the more use it. */
function nameDependency(number: number): string {
  return wellKnown[number] ?? `package-${number}`
}

/** Each letter in either case. */
export function mixCase(random: Random, text: string): string {
  return [...text].map((letter) => random.pick([letter, letter.toUpperCase(), letter.toLowerCase()])).join('')
}

function hashOf(commit: number): string {
  return (commit * 2 + 1).toString(16).padStart(6, '0').repeat(7).slice(0, 40)
}

/** Creates a forge with nothing in it. */
export function createRandomForge(seed: string): RandomForge {
  const random = createRandom(seed)
  const users: SampleUser[] = []
  const repositories: SampleRepository[] = []
  const commits: SampleCommit[] = []
  const removed: {
    users: SampleUser[]
    repositories: SampleRepository[]
    commits: SampleCommit[]
  } = { users: [], repositories: [], commits: [] }
  /** Repositories whose next line says what they declare. */
  const redeclared = new Set<SampleRepository>()
  let names = 0
  /** Highest numbers that were given: what is removed doesn't give its number back. */
  const last = { user: 0, repository: 0, commit: 0 }

  function createPlace(): string | null {
    if (random.chance(0.2)) return null
    const place = `${random.pickSkewed(cities)}${random.pick(lands)}`
    return random.chance(0.3) ? `${place} ${random.integer(1, 400)}` : place
  }

  /** As people write it: with an `@` or without, as part of a longer text, or nothing that can be found. */
  function createCompany(): string | null {
    if (random.chance(0.3)) return random.pick(['', '@', ' @ ', null])
    const company = mixCase(random, random.pickSkewed(companies))
    const text = random.chance(0.2) ? `${company} ${random.integer(1, 400)}` : company
    return random.pick([text, `@${text}`, ` ${text}`, `ex-@${text}, @b`])
  }

  function drawUser(): SampleUser {
    const number = ++last.user
    const login = mixCase(random, `dev-${++names}`)
    return createUser(number * 3, {
      login: random.chance(0.04) ? `${login}[bot]` : login,
      type: random.pickSkewed(['User', 'Organization', 'Bot']),
      name: random.chance(0.5) ? `Nameß ${number}` : null,
      email: createAddress(login),
      location: createPlace(),
      bio: random.chance(0.1) ? '"\\ \u2028 \t 🙂' : null,
      company: createCompany(),
      followers: drawCount(),
    })
  }

  /** Most are low, a few are high. */
  function drawCount(): number {
    return Math.floor(random.skewedFraction(4) * 2_000)
  }

  /** What filters ask for. */
  function drawAttributes(): Partial<SampleRepository> {
    return {
      language: random.pick(['TypeScript', 'typescript', 'C++', 'Größe', '', null]),
      license: random.pick(['MIT', 'Apache-2.0', null]),
      stargazers_count: random.chance(0.1) ? null : drawCount(),
      forks_count: random.chance(0.1) ? null : drawCount(),
      fork: random.pick([true, false, null]),
      archived: random.pick([true, false, null]),
      // At the beginning of a day and at its end, before 1970 too.
      pushed_at: random.chance(0.1)
        ? null
        : random.integer(-2, 30) * 86_400 + random.pick([-1, 0, 1, 40_000]),
    }
  }

  /** Some have none, a few share one, and a few have one that names another account, which they had before. */
  function createAddress(login: string): string | null {
    if (random.chance(0.3)) return null
    if (users.length > 0 && random.chance(0.05)) return nameByLogin(random.pick(users).login)
    return random.chance(0.05) ? 'team@Example.org' : `${mixCase(random, login)}@example.org`
  }

  function createDependencies(url: string): SampleDependency[] {
    const most = random.chance(0.02) ? 130 : 14
    const made = new Map<string, SampleDependency>()
    for (let left = random.integer(0, most); left > 0; left--) {
      const name = nameDependency(Math.floor(random.skewedFraction(3) * 800))
      const file = random.pickSkewed(files)
      made.set(`${name}\0${file}`, { ...createDependency(url, name, file), ...drawUse(url) })
    }
    return [...made.values()]
  }

  /** The hash of a commit: often one of the repository, if it has any. */
  function drawHash(url: string): string | null {
    const own = commits.filter(({ repo_url }) => repo_url === url)
    if (own.length > 0 && random.chance(0.8)) return random.pick(own).commit_hash
    return random.chance(0.5) ? hashOf(random.integer(0, last.commit + 50)) : null
  }

  /** Dates that often begin and end within those of a repository's authors, and perhaps hashes. */
  function drawUse(url: string): Omit<SampleDependency, 'url' | 'updated_at' | 'dependency'> {
    const first_use_date = random.chance(0.1) ? null : random.integer(1, 60)
    const status = random.pickSkewed(['active', 'removed', null] as const)
    const hasEnd = random.chance(status === 'active' ? 0.1 : 0.9) // that of an active one counts for nothing
    const last_use_date = hasEnd ? random.integer(first_use_date ?? 1, 80) : null
    const dates = { first_use_date, status, last_use_date }
    if (random.chance(0.6)) return dates
    return { ...dates, added_commit_hash: drawHash(url), removed_commit_hash: drawHash(url) }
  }

  function createAddressOf(owner: string, name: string) {
    return {
      name,
      owner_login: owner,
      full_name: `${owner}/${name}`,
      url: `https://forge.example/${encodeURIComponent(owner)}/${name}`,
    }
  }

  function createPlaceOfRepository() {
    const owner = random.chance(0.1) ? `org-${random.integer(1, 20)}` : random.pickSkewed(users).login
    return createAddressOf(mixCase(random, owner), `repo-${++names}`)
  }

  function drawRepository(): SampleRepository {
    const place = createPlaceOfRepository()
    return createRepository(++last.repository * 5, place.owner_login, [], {
      ...place,
      description: random.chance(0.1) ? 'what "it" does \\ 🙂' : null,
      size: random.integer(0, 99),
      ...drawAttributes(),
      dependencies: createDependencies(place.url),
    })
  }

  function createAuthor(): string {
    const { login, email, forge_rest_id: id } = random.pickSkewed(users)
    if (random.chance(0.1)) return 'somebody@else.example'
    if (email !== null && random.chance(0.5)) return mixCase(random, email)
    // By its id whatever the login says, or by the login alone.
    return random.chance(0.5) ? `${id}+was-${login}@${noReplyHost}` : nameByLogin(login)
  }

  function nameByLogin(login: string): string {
    return `${mixCase(random, login)}@${noReplyHost}`
  }

  function drawAuthorDate(): number | null {
    return random.chance(0.05) ? null : random.integer(1, 80)
  }

  function drawCommit(repo_url: string): SampleCommit {
    return {
      commit_hash: hashOf(last.commit++),
      author_email: createAuthor(),
      author_date: drawAuthorDate(),
      committer_email: 'committer@forge.example',
      committer_date: random.chance(0.1) ? null : random.integer(1, 3000),
      message: createMessage(),
      repo_url,
    }
  }

  /** Adds to `all`; promises what came. */
  function add<Thing>(all: Thing[], count: number, create: () => Thing): Thing[] {
    const added: Thing[] = []
    for (let left = count; left > 0; left--) {
      const thing = create()
      all.push(thing)
      added.push(thing)
    }
    return added
  }

  /** Puts others in the place of some; promises what came. */
  function replace<Thing>(all: Thing[], count: number, change: (thing: Thing) => Thing): Thing[] {
    const places = new Set<number>()
    while (places.size < Math.min(count, all.length)) places.add(random.integer(0, all.length - 1))
    return [...places].flatMap((place) => {
      const old = all[place]
      if (old === undefined) return []
      const changed = change(old)
      all[place] = changed
      return [changed]
    })
  }

  function changeUser(user: SampleUser): SampleUser {
    const draw = random.fraction()
    if (draw < 0.4) return { ...user, location: createPlace() }
    if (draw < 0.5) return { ...user, company: createCompany() }
    if (draw < 0.7) return { ...user, email: createAddress(user.login) }
    if (draw < 0.75) return { ...user, type: random.pick(['User', 'Bot', 'Organization']) }
    // A new name, or one that somebody else has.
    if (draw < 0.85)
      return { ...user, login: random.chance(0.2) ? random.pick(users).login : `new-${++names}` }
    return { ...user, followers: random.chance(0.5) ? user.followers + 1 : drawCount() }
  }

  /** Takes some of `all`, often the newest, whose id is the highest; promises those. */
  function take<Thing>(all: Thing[], count: number): Thing[] {
    const taken: Thing[] = []
    for (let left = Math.min(count, all.length - 1); left > 0; left--) {
      taken.push(...all.splice(random.chance(0.3) ? -1 : random.integer(0, all.length - 1), 1))
    }
    return taken
  }

  /** What a load says of the commits: some name their repository by another spelling of its URL. */
  function spellUrls(some: readonly SampleCommit[]): SampleCommit[] {
    return some.map((commit) => {
      const { repo_url: url } = commit
      const spelled = [`${url}/`, `${url}.git`, url.replace('https', 'HTTP'), mixCase(random, url)]
      return random.chance(0.3) ? { ...commit, repo_url: random.pick(spelled) } : commit
    })
  }

  return {
    users,
    repositories,
    commits,
    remove(size) {
      removed.users.push(...take(users, size.users))
      removed.commits.push(...take(commits, size.commits))
      for (const repository of take(repositories, size.repositories)) {
        removed.repositories.push(repository)
        for (let index = commits.length - 1; index >= 0; index--) {
          if (commits[index]?.repo_url === repository.url) removed.commits.push(...commits.splice(index, 1))
        }
      }
    },
    restore() {
      const back = { users: removed.users.splice(0), repos: removed.repositories.splice(0) }
      users.push(...back.users)
      repositories.push(...back.repos)
      const urls = new Set(repositories.map(({ url }) => url))
      const backCommits = removed.commits.splice(0).filter(({ repo_url: url }) => urls.has(url))
      commits.push(...backCommits)
      return { ...back, commits: backCommits }
    },
    grow: (size) => ({
      users: add(users, size.users, drawUser),
      repos: add(repositories, size.repositories, drawRepository),
      commits: spellUrls(add(commits, size.commits, () => drawCommit(random.pickSkewed(repositories).url))),
    }),
    change(size) {
      const changedUsers = replace(users, size.users, changeUser)
      const repos = replace(repositories, size.repositories, changeRepository)
      const changedCommits = replace(commits, size.commits, (commit) => ({
        ...commit,
        ...random.pick([
          () => ({ author_email: createAuthor() }),
          () => ({ author_date: drawAuthorDate() }),
          () => ({ message: createMessage() }),
          () => ({ committer_date: random.integer(1, 3000) }),
        ])(),
      }))
      return {
        users: changedUsers,
        // A line without dependencies leaves those that are there; they follow the repository.
        repos: repos.map((repository) =>
          redeclared.delete(repository) ? repository : { ...repository, dependencies: null },
        ),
        commits: spellUrls(changedCommits),
      }
    },
  }

  /** Some name co-authors, at their end or not. */
  function createMessage(): string {
    const trailers = Array.from(
      { length: random.pick([0, 0, 0, 0, 0, 0, 1, 3]) },
      () => `${mixCase(random, 'Co-authored-by')}: N. N. <${createAuthor()}>`,
    )
    const end = random.pick([[], ['', 'more text']])
    return [random.pick(['fix', 'add "it"', 'Ünïcode\n\nbody']), '', ...trailers, ...end].join('\n')
  }

  function changeRepository(repository: SampleRepository): SampleRepository {
    const draw = random.fraction()
    const moved = draw < 0.4 ? moveRepository(repository) : { ...repository, ...drawAttributes() }
    const dependencies = random.pick([
      () => createDependencies(moved.url),
      () =>
        moved.dependencies.map((each) => (random.chance(0.3) ? { ...each, ...drawUse(moved.url) } : each)),
    ])
    const changed = draw < 0.2 || draw > 0.6 ? { ...moved, dependencies: dependencies() } : moved
    if (changed !== moved || random.chance(0.5)) redeclared.add(changed)
    return changed
  }

  /** Its commits and dependencies go along. */
  function moveRepository(repository: SampleRepository): SampleRepository {
    const place = createPlaceOfRepository()
    for (const [index, commit] of commits.entries()) {
      if (commit.repo_url === repository.url) commits[index] = { ...commit, repo_url: place.url }
    }
    return {
      ...repository,
      ...place,
      dependencies: repository.dependencies.map((dependency) => ({ ...dependency, url: place.url })),
    }
  }
}
