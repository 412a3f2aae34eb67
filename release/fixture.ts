/**
 * `npm run fixture` writes what the tests of every later version upgrade: a small database as this version leaves it,
 * with what it responds and the statements that it sends (`test/release/versions/`). It needs PostgreSQL's programs.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readVersion } from '../api/build-info.ts'
import type { Sql } from '../api/database/connect.ts'
import { openDatabase } from '../api/database/database.ts'
import { migrate } from '../api/database/migrate.ts'
import { scopes } from '../api/ledger/api-key.ts'
import { createKey } from '../api/ledger/keys.ts'
import { testPool } from '../test/support/databases.ts'
import { createInstance, type Instance } from '../test/support/instance.ts'
import { load } from '../test/support/ndjson.ts'
import { findPostgresBinaries, postgresMissing } from '../test/support/postgres-binaries.ts'
import { startPostgresCluster } from '../test/support/postgres-cluster.ts'
import { exitOnSignals } from '../test/support/program.ts'
import { type RecordedRequest, type RecordedStatement, writeVersionFixture } from './version-fixture.ts'

const project = join(import.meta.dirname, '..')

/** What is asked: the endpoints of user keys, with most filters. */
const paths = [
  '/users/GraceAbara',
  '/users/nobody-there',
  '/users?per_page=3',
  '/users?per_page=3&page=4',
  '/users?location=berlin&location=munich',
  '/users?country=DE,AT&per_page=5',
  '/users?dependency_names=react,lodash&dependency_files=package.json&dependency_status=active&per_page=5',
  '/users?dependency_names=react,typescript&dependency_match=all&without_dependency_names=jest&per_page=5',
  '/users?type=User&has=email&min_followers=10&active_since=2020-01-01&per_page=5',
  '/users?logins=GraceAbara,UmaBakker,nobody-there',
  '/users?changed_since=1',
  '/repos?per_page=2',
  '/repos?owner=UmaBakker',
  '/repos?dependency_names=react&exclude=dependencies&per_page=3',
  '/repos?language=Ruby&min_stars=1&fork=false&archived=false&pushed_since=2019-01-01&per_page=3',
  '/repos?license=MIT&per_page=3',
  '/repos?changed_since=0&after=10&per_page=3',
  '/repos?forge_rest_ids=233729069',
  '/repos?full_names=UmaBakker/parser-kit,nobody/there',
  '/repos/UmaBakker/parser-kit',
  '/repos/UmaBakker/parser-kit/commits?per_page=3',
  '/repos/UmaBakker/parser-kit/dependencies?per_page=3',
  '/dependencies?prefix=rea&limit=3',
  '/dependencies?contains=act&dependency_files=package.json&limit=3',
  '/locations?contains=ber&limit=3',
  '/companies?contains=e&limit=3',
  '/users?company=example&per_page=5',
  '/users?email_domain=example.com&sort=followers&per_page=5',
  '/users?contributed_to=UmaBakker/parser-kit&per_page=3',
  '/users?dependency_names=react&first_use_since=2019-01-01&last_use_until=2030-01-01&per_page=3',
  '/repos?sort=stars&min_forks=1&exclude=dependencies&per_page=3',
  '/repos?contributor=UmaBakker&sort=pushed&exclude=dependencies&per_page=3',
  '/repos/UmaBakker/parser-kit/dependencies/blame?per_page=3',
  '/counts?of=users&by=country',
  '/counts?of=repos&by=dependency&language=Ruby',
  '/dependencies/history?dependency_name=react&since=2024-01-01&until=2025-01-01',
  '/removals?since=0',
  '/api-key/credits',
]
/** The usage of this day. Without a day, the list would also have those on which the tests run. */
const usageOfToday = `/api-key/usage/days?day=${new Date().toISOString().slice(0, 10)}`
/** Their bodies have times and ids of requests. */
const withoutBody = ['/api-key/usage?per_page=3', usageOfToday, '/health']

/** A part of the sample data, and a second load that changes and removes some of it. */
async function loadData(sql: Sql): Promise<void> {
  const read = async (name: string) =>
    (await readFile(join(project, 'sample', `${name}.ndjson`), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  const users = (await read('users')).slice(0, 120)
  const repositories = (await read('repos')).slice(0, 30)
  const urls = new Set(repositories.map(({ url }) => url))
  const commits = (await read('commits')).filter(
    ({ repo_url: url }, index) => urls.has(url) && index % 4 === 0,
  )
  await load({ sql }, { users, repos: repositories, commits })
  const [first, second] = users
  const changed = { ...first, bio: 'Changed by the second load' }
  const removal = { kind: 'user', forge_rest_id: second.forge_rest_id }
  await load({ sql }, { users: [changed], removals: [removal] })
}

async function record(instance: Instance, path: string, secret: string): Promise<RecordedRequest> {
  const { status, headers, json } = await instance.request(path, { key: secret })
  const names = ['X-Credits-Cost', 'X-Credits-Remaining', 'X-Total-Count', 'Link']
  const kept = names.map((name) => [name, headers.get(name)]).filter(([, value]) => value !== null)
  const { meta: _, ...body } = json() as Record<string, unknown>
  return { path, status, headers: Object.fromEntries(kept), ...(!withoutBody.includes(path) && { body }) }
}

exitOnSignals()
const binaries = findPostgresBinaries()
if (binaries === undefined) throw new Error(postgresMissing)
await using cluster = await startPostgresCluster({ inMemory: true, hasUsualSettings: true })
const databaseUrl = await cluster.createDatabase()
const database = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
const { sql, ledgerSql } = database
await migrate(sql)
await loadData(sql)
const { secret } = await createKey(sql, {
  name: 'Fixture',
  role: 'user',
  scopes,
  expiresAt: null,
  credits: 5_000,
  rateLimit: { requests: 100_000, seconds: 86_400 },
})
const all = [...paths, ...withoutBody]
// The ledger has charges, and the first requests have read what an instance keeps.
const instance = createInstance(database)
for (const path of all) await record(instance, path, secret)

const { stdout: dump } = await promisify(execFile)(
  join(binaries.directory, 'pg_dump'),
  ['--no-owner', '--inserts', '--rows-per-insert=100', databaseUrl],
  { maxBuffer: 2 ** 28 },
)

const statements = new Map<string, RecordedStatement>()
for (const { options } of [sql, ledgerSql]) {
  options.debug = (_connection: number, statement: string, parameters: string[], types: number[]) => {
    if (!statements.has(statement)) statements.set(statement, { statement, parameters, types })
  }
}
const requests: RecordedRequest[] = []
for (const path of all) requests.push(await record(createInstance(database), path, secret))
await database.close()

// psql's own commands mean nothing to other programs, and servers before 17 refuse the setting.
const portable = dump.replaceAll(/^(\\(un)?restrict .*|SET transaction_timeout = 0;)\n/gm, '')
const recorded = { version: readVersion(), secret, requests, statements: [...statements.values()] }
const file = writeVersionFixture(recorded, portable)
console.log(`${requests.length} requests and ${statements.size} statements in ${file}`)
