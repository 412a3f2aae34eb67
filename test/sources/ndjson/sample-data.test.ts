import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generateSample } from '../../../sample/generate.ts'
import type { SampleCommit, SampleRepository, SampleUser } from '../../../sample/records.ts'
import { rarePlaces } from '../../../sample/vocabulary/places.ts'

const sampleDirectory = join(import.meta.dirname, '..', '..', '..', 'sample')
const fileNames = ['users.ndjson', 'repos.ndjson', 'commits.ndjson']

async function readLines<Line>(fileName: string): Promise<Line[]> {
  const text = await readFile(join(sampleDirectory, fileName), 'utf8')
  expect(text.endsWith('\n'), `${fileName} ends with a line feed`).toBe(true)
  return text
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line))
}

const users = await readLines<SampleUser>('users.ndjson')
const repositories = await readLines<SampleRepository>('repos.ndjson')
const commits = await readLines<SampleCommit>('commits.ndjson')
const dependencies = repositories.flatMap((repository) => repository.dependencies)

/** Every string in a JSON value with the name of its field. */
function* stringsIn(value: unknown, field = ''): Generator<{ field: string; text: string }> {
  if (typeof value === 'string') yield { field, text: value }
  else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) yield* stringsIn(inner, key)
  }
}

function duplicatesOf<Value>(values: readonly Value[]): Value[] {
  const seen = new Set<Value>()
  return values.filter((value) => seen.has(value) || !seen.add(value))
}

describe('the generator', () => {
  test('writes the committed files again, byte for byte', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'devdata-sample-'))
    try {
      await generateSample(directory)
      for (const fileName of fileNames) {
        const committed = await readFile(join(sampleDirectory, fileName))
        const generated = await readFile(join(directory, fileName))
        expect(generated.equals(committed), `${fileName}: run node sample/generate.ts and commit it`).toBe(
          true,
        )
      }
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})

describe('the sample', () => {
  test('has the size that the docs state', async () => {
    const sizes = await Promise.all(fileNames.map((name) => readFile(join(sampleDirectory, name))))
    expect(sizes.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(4_000_000)
    expect(users).toHaveLength(300)
    expect(repositories).toHaveLength(400)
    expect(within(dependencies.length, 3_500, 4_500)).toBe(true)
    expect(within(commits.length, 5_500, 6_500)).toBe(true)
    const names = dependencies.map(({ dependency }) => dependency.dependency_name.toLowerCase())
    expect(within(new Set(names).size, 230, 260)).toBe(true)
  })

  test('holds objects of the contract, every field in every line', () => {
    const fieldsOf = (records: readonly object[]) =>
      new Set(records.map((record) => Object.keys(record).join()))
    expect([...fieldsOf(users)]).toEqual([
      'forge_rest_id,forge_graphql_id,login,name,email,avatar_url,company,location,bio,followers,following,type,' +
        'created_at,updated_at',
    ])
    expect([...fieldsOf(repositories)]).toEqual([
      'forge_rest_id,forge_graphql_id,url,name,full_name,private,owner_login,owner_avatar_url,description,homepage,' +
        'fork,forks_count,archived,disabled,license,language,stargazers_count,watchers_count,open_issues_count,' +
        'has_issues,has_discussions,has_projects,created_at,updated_at,pushed_at,visibility,size,default_branch,' +
        'dependencies',
    ])
    expect([...fieldsOf(dependencies)]).toEqual([
      'url,first_use_date,last_use_date,updated_at,status,dependency',
      'url,first_use_date,last_use_date,updated_at,status,dependency,added_commit_hash,removed_commit_hash',
    ])
    expect([...fieldsOf(dependencies.map(({ dependency }) => dependency))]).toEqual([
      'dependency_name,dependency_file',
    ])
    expect([...fieldsOf(commits)]).toEqual([
      'commit_hash,author_email,author_date,committer_email,committer_date,message,repo_url',
    ])
  })

  test('has no two users, repositories, commits or dependencies of one identity', () => {
    expect(duplicatesOf(users.map((user) => user.forge_rest_id))).toEqual([])
    expect(duplicatesOf(users.map((user) => user.forge_graphql_id))).toEqual([])
    expect(duplicatesOf(users.map((user) => user.login.toLowerCase()))).toEqual([])
    expect(duplicatesOf(users.flatMap((user) => user.email?.toLowerCase() ?? []))).toEqual([])
    expect(duplicatesOf(repositories.map((repository) => repository.forge_rest_id))).toEqual([])
    expect(duplicatesOf(repositories.map((repository) => repository.forge_graphql_id))).toEqual([])
    expect(duplicatesOf(repositories.map((repository) => repository.full_name.toLowerCase()))).toEqual([])
    expect(duplicatesOf(commits.map((commit) => `${commit.repo_url} ${commit.commit_hash}`))).toEqual([])
    const declarations = dependencies.map(
      ({ url, dependency }) =>
        `${url} ${dependency.dependency_file} ${dependency.dependency_name.toLowerCase()}`,
    )
    expect(duplicatesOf(declarations)).toEqual([])
  })

  test('refers only to what it has', () => {
    const logins = new Set(users.map(({ login }) => login))
    const urls = new Set(repositories.map(({ url }) => url))
    expect(repositories.filter(({ owner_login }) => !logins.has(owner_login))).toEqual([])
    expect(commits.filter(({ repo_url }) => !urls.has(repo_url))).toEqual([])
    for (const { url, name, owner_login, full_name, dependencies: own } of repositories) {
      expect(full_name).toBe(`${owner_login}/${name}`)
      expect(url).toBe(`https://forge.example/${full_name}`)
      expect(own.every((dependency) => dependency.url === url)).toBe(true)
    }
  })

  test('has logins, repository names, hashes and times of the right form', () => {
    for (const { login, type } of users) {
      expect(login).toMatch(type === 'Bot' ? /^[a-z-]+\[bot\]$/ : /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/)
    }
    for (const { name } of repositories) expect(name).toMatch(/^[A-Za-z0-9._-]{1,100}$/)
    for (const { commit_hash } of commits) expect(commit_hash).toMatch(/^[0-9a-f]{40}$/)
    for (const { created_at, updated_at } of users) {
      expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(created_at))
    }
    for (const { first_use_date, last_use_date, updated_at, status } of dependencies) {
      expect(status).toBe(last_use_date === null ? 'active' : 'removed')
      expect(Number.isSafeInteger(updated_at)).toBe(true)
      if (last_use_date !== null) expect(last_use_date).toBeGreaterThanOrEqual(first_use_date ?? 0)
    }
  })

  test('has email addresses and URLs under reserved domains only', () => {
    const reserved = /(^|\.)(example|example\.(com|org|net))$/
    const hosts = new Set<string>()
    for (const { field, text } of stringsIn([users, repositories, commits])) {
      // Names of Go packages begin with a host, names of scoped npm packages and of companies with @: no addresses.
      if (field === 'dependency_name') continue
      const message = text.replace(/^Bump \S+/, 'Bump')
      for (const [, host] of message.matchAll(/[a-z][a-z0-9+.-]*:\/\/([^\s/:?#]+)/gi)) hosts.add(host ?? '')
      for (const [, host] of message.matchAll(/\S@([^\s<>]+)/g)) hosts.add(host ?? '')
      expect(message, `${field} names a domain in common use`).not.toMatch(
        /\w\.(com|org|net|io|dev)\b(?<!example\.\w+)/,
      )
    }
    expect(hosts.size).toBeGreaterThan(100)
    expect([...hosts].filter((host) => !reserved.test(host))).toEqual([])
  })
})

describe('the filters and pages are worth trying because', () => {
  test('some users lack a name, an email address, a company, a location or a bio', () => {
    for (const field of ['name', 'email', 'company', 'location', 'bio', 'avatar_url'] as const) {
      const lacking = users.filter((user) => user[field] === null).length
      expect(within(lacking, 5, 200), `${lacking} users without ${field}`).toBe(true)
    }
    expect(users.filter(({ type }) => type === 'Organization').length).toBeGreaterThan(20)
    expect(users.filter(({ type }) => type === 'Bot').map(({ login }) => login)).toEqual([
      'build-helper[bot]',
    ])
  })

  test('places are spelled in many ways', () => {
    const places = new Set(users.map(({ location }) => location))
    expect(rarePlaces.filter((place) => !places.has(place))).toEqual([])
    for (const place of [
      'Berlin',
      'berlin',
      'BERLIN',
      '100% remote',
      'C:\\home',
      'under_score City',
      '東京',
    ]) {
      expect(places).toContain(place)
    }
  })

  test('about 85 % of the dependencies are active, and a few packages are used much more than most', () => {
    const active = dependencies.filter(({ status }) => status === 'active').length
    expect(within(active / dependencies.length, 0.82, 0.88)).toBe(true)
    const uses = new Map<string, number>()
    for (const { dependency } of dependencies) {
      uses.set(dependency.dependency_name, (uses.get(dependency.dependency_name) ?? 0) + 1)
    }
    const counts = [...uses.values()].sort((a, b) => b - a)
    expect(counts[0]).toBeGreaterThan(10 * (counts[Math.floor(counts.length / 2)] ?? 0))
    const files = new Set(dependencies.map(({ dependency }) => dependency.dependency_file))
    expect([...files].sort()).toEqual([
      'Cargo.toml',
      'Gemfile',
      'composer.json',
      'go.mod',
      'package.json',
      'pom.xml',
      'pyproject.toml',
      'requirements.txt',
    ])
    expect(uses.has('django') && uses.has('Django')).toBe(true)
  })

  test('repositories have from none to more than a page of dependencies and of commits', () => {
    expect(repositories.filter((repository) => repository.dependencies.length === 0).length).toBeGreaterThan(
      10,
    )
    expect(repositories.filter((repository) => repository.dependencies.length > 100)).toHaveLength(1)
    const counts = new Map(repositories.map(({ url }) => [url, 0]))
    for (const { repo_url } of commits) counts.set(repo_url, (counts.get(repo_url) ?? 0) + 1)
    expect(Math.max(...counts.values())).toBe(700)
    expect([...counts.values()].filter((count) => count === 0).length).toBeGreaterThan(10)
  })

  test('commits come from users by email, by the no-reply form, and from nobody', () => {
    const emails = new Set(users.flatMap(({ email }) => email ?? []))
    const noReplies = new Set(
      users.map(({ forge_rest_id, login }) => `${forge_rest_id}+${login}@users.noreply.forge.example`),
    )
    const byEmail = commits.filter(({ author_email }) => emails.has(author_email)).length
    const byNoReply = commits.filter(({ author_email }) => noReplies.has(author_email)).length
    expect(byEmail / commits.length).toBeGreaterThan(0.5)
    expect(byNoReply / commits.length).toBeGreaterThan(0.1)
    expect(within(1 - (byEmail + byNoReply) / commits.length, 0.02, 0.15)).toBe(true)
  })

  test('commits tie, lack dates, and are shared by forks', () => {
    const longest = commits.filter(({ repo_url }) => repo_url.endsWith('/monolith') && isOriginal(repo_url))
    const ties = new Map<number | null, number>()
    for (const { committer_date } of longest) ties.set(committer_date, (ties.get(committer_date) ?? 0) + 1)
    expect(Math.max(...ties.values())).toBeGreaterThan(100)
    expect(within(commits.filter(({ author_date }) => author_date === null).length, 5, 60)).toBe(true)
    expect(within(commits.filter(({ committer_date }) => committer_date === null).length, 5, 60)).toBe(true)
    expect(duplicatesOf(commits.map(({ commit_hash }) => commit_hash)).length).toBeGreaterThan(50)
    expect(commits.some(({ message }) => message.includes('\n'))).toBe(true)
    expect(commits.some(({ message }) => /\p{Extended_Pictographic}/u.test(message))).toBe(true)
  })
})

function isOriginal(url: string): boolean {
  return repositories.some((repository) => repository.url === url && repository.fork === false)
}

function within(value: number, low: number, high: number): boolean {
  return value >= low && value <= high
}
