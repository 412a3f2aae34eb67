/**
 * `devdata doctor`: what it finds in order, what it finds wrong, and what it says to do.
 *
 * @module-tag later
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { listMigrations } from '../../api/database/migrate.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { createFolder, locationOf, type RunOptions, runCommand } from '../support/command-line.ts'
import { databaseUrl } from '../support/databases.ts'
import { startInstanceProcess } from '../support/process.ts'
import { describeOnServer, getServerUrl } from '../support/server.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

beforeAll(() => buildDocs({ ifStale: true }))

/** Nobody listens there: not another test either, to which a port might be given that was free. `fetch` refuses port 1. */
const unusedPort = '2'

/** Runs it, and reads its lines: the state and the message of each subject. */
async function runDoctor(options: RunOptions, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand(['doctor', ...args], options)
  const findings = new Map<string, string>()
  for (const line of stdout.trimEnd().split('\n')) {
    const [, state, subject = '', message] = /^(\S+) +(\S+) +(.+)$/.exec(line) ?? []
    findings.set(subject, `${state}: ${message}`)
  }
  return { code, stdout, stderr, findings }
}

describeOnOneDatabase('devdata doctor', (kind) => {
  const service = useService(kind)

  async function run(settings: Record<string, string> = {}, ...args: string[]) {
    const { environment, directory } = locationOf(service)
    return runDoctor({ environment: { PORT: unusedPort, ...environment, ...settings }, directory }, ...args)
  }

  test('says what is in order, a line each, and exits with 0', async () => {
    const { code, stderr, findings } = await run()
    expect({ code, stderr, findings: [...findings] }).toEqual({
      code: 0,
      stderr: '',
      findings: [
        ['settings', 'ok: all valid'],
        ['database', expect.stringMatching(/^ok: (embedded, )?PostgreSQL 1\d\.\d+.*, round trip [\d.]+ ms/)],
        ['migrations', 'ok: all applied'],
        ['keys', 'ok: found by their secrets'],
        [
          'data',
          expect.stringMatching(/^ok: version 1, last load \d{4}-\d\d-\d\d \d\d:\d\dZ, no refresh yet$/),
        ],
        ['sets', expect.stringMatching(/^ok: [\d,]+ sets of a sample agree with the rows$/)],
        ['ledger', expect.stringMatching(/^ok: \d+ keys?, \d+ entr(y|ies): it adds up$/)],
        ['docs', 'ok: built for any URL without a path'],
        [
          'url',
          `skipped: not running: no service responds at http://127.0.0.1:${unusedPort}; start it, or set BASE_URL if it has another URL`,
        ],
      ],
    })
  })

  test('prints JSON for scripts, and leaves the ledger out on demand', async () => {
    const { code, stdout } = await run({}, '--json', '--no-ledger')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      healthy: true,
      findings: expect.arrayContaining([
        { state: 'skipped', subject: 'ledger', message: 'not read, because of --no-ledger' },
      ]),
    })
  })

  test('finds nothing wrong with a service that is stopped, if it is told to send it no requests', async () => {
    const settings = { BASE_URL: `http://127.0.0.1:${unusedPort}` }
    expect((await run(settings, '--no-ledger')).findings.get('url')).toMatch(/^wrong: .* is unreachable/)
    const { findings } = await run(settings, '--no-ledger', '--no-service')
    expect(findings.get('url')).toBe('skipped: no requests were sent, because of --no-service')
  })

  test('finds nothing wrong with a migration of a newer version, if this one can run on it', async () => {
    await service.sql`
      insert into migrations (number, name, checksum, compatible_since) values (9999, 'x', '', 1)`
    const { findings } = await run()
    expect(findings.get('migrations')).toBe(
      'ok: all applied, and 9999 of a newer version, on which this one can run',
    )
    await service.sql`delete from migrations where number = 9999`
  })

  // Each is broken, found, and repaired.
  test.each([
    {
      name: "a newer version's migration, on which this version can't run",
      breaks:
        "insert into migrations (number, name, checksum, compatible_since) values (9999, 'x', '', 9999)",
      repairs: 'delete from migrations where number = 9999',
      finds: {
        migrations:
          /^wrong: this version can't run on 9999, which a newer version has applied; run that version$/,
        ledger: /^skipped: not read, because this version can't run on the schema$/,
      },
    },
    {
      name: 'sets that are missing',
      breaks: 'update sets set term_id = 1000000000 where term_id = 0',
      repairs: 'update sets set term_id = 0 where term_id = 1000000000',
      finds: {
        sets: /^wrong: of a sample, 2 of [\d,]+ sets differ from the rows; run: npm run -s devdata -- sets rebuild$/,
      },
    },
    {
      name: 'a filter whose terms were never derived',
      breaks: `create table kept_terms as select derived_terms from dataset; update dataset set derived_terms = '{}'`,
      repairs: 'update dataset set derived_terms = k.derived_terms from kept_terms k; drop table kept_terms',
      finds: {
        filters:
          /^wrong: Filters not ready: company, first_use_since, first_use_until, last_use_since, last_use_until, email_domain, min_forks, sort=followers, sort=stars, sort=pushed\. .* run: npm run -s devdata -- sets rebuild$/,
        sets: /^ok/,
      },
    },
    {
      name: 'a balance that nobody paid for',
      breaks:
        'update ledger set balance = balance + 5 where api_key_id = (select max(id) from api_keys) and position = 1',
      repairs:
        'update ledger set balance = balance - 5 where api_key_id = (select max(id) from api_keys) and position = 1',
      finds: {
        ledger:
          /^wrong: 2 problems, the first with key \d+: granted .*; run: npm run -s devdata -- ledger verify$/,
      },
    },
  ])('finds $name, and exits with 1', async ({ breaks, repairs, finds }) => {
    await service.createKey()
    await service.sql.unsafe(breaks)
    try {
      const { code, findings } = await run()
      expect(code).toBe(1)
      for (const [subject, message] of Object.entries(finds)) expect(findings.get(subject)).toMatch(message)
    } finally {
      await service.sql.unsafe(repairs)
    }
    expect(await run({}, '--no-ledger')).toMatchObject({ code: 0 })
  })

  test('finds that the docs are not built for the path of BASE_URL', async () => {
    const { code, findings } = await run({ BASE_URL: `http://127.0.0.1:${unusedPort}/public-api` })
    expect(code).toBe(1)
    expect(findings.get('docs')).toBe(
      `wrong: not built for http://127.0.0.1:${unusedPort}/public-api; run: npm run docs`,
    )
    expect(findings.get('url')).toMatch(
      /^wrong: http:\/\/127\.0\.0\.1:\d+\/public-api is unreachable: .*ECONNREFUSED/,
    )
  })

  test('finds that another service responds at the public URL', async () => {
    const stranger = createServer((_, response) => response.end('<h1>Welcome</h1>'))
    await once(stranger.listen(0, '127.0.0.1'), 'listening')
    try {
      const { port } = stranger.address() as AddressInfo
      const { code, findings } = await run({ PORT: String(port) })
      expect(code).toBe(1)
      expect(findings.get('url')).toMatch(/^wrong: .*\/version is not a response of devdata \(status 200\)/)
    } finally {
      stranger.closeAllConnections()
      await new Promise((closed) => stranger.close(closed))
    }
  })
})

describe('devdata doctor', () => {
  test('names each setting that is wrong, and looks no further', async () => {
    const folder = await createFolder()
    const environment = { PORT: 'http', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://user:hunter2@host/db' }
    const { code, stdout, findings } = await runDoctor({ ...folder, environment })
    expect(code).toBe(1)
    expect(stdout.split('\n')).toHaveLength(4)
    expect(stdout).toMatch(/^wrong +settings +PORT "http" is invalid: it must be/m)
    expect(stdout).toMatch(/^wrong +settings +LOG_LEVEL "loud" is invalid/m)
    expect(stdout).not.toContain('hunter2')
    expect([...findings.keys()]).toEqual(['settings'])
    await folder.remove()
  })

  test('names settings that are misspelled in .env, and no other unknown names', async () => {
    const folder = await createFolder()
    writeFileSync(join(folder.directory, '.env'), 'HOTS=::\nLISTEN=0.0.0.0\nGITHUB_TOKEN=\n')
    const { code, stdout } = await runDoctor({ ...folder, environment: { PORT: unusedPort } })
    expect([code, stdout.match(/.+ settings .+/g)]).toEqual([
      1,
      ['wrong    settings    HOTS in .env is not a setting; did you mean HOST?'],
    ])
    await folder.remove()
  })

  test('makes no database where there is none', async () => {
    const folder = await createFolder()
    const { code, findings } = await runDoctor({
      ...folder,
      environment: { PORT: unusedPort },
    })
    expect(code).toBe(0)
    expect(findings.get('database')).toBe(
      'skipped: none in .data yet; check DATA_DIR and DATABASE_URL, or start the service, which creates it',
    )
    await folder.remove()
  })

  test('says that the database is unreachable, and never its password', async () => {
    const folder = await createFolder()
    const DATABASE_URL = `postgres://nobody:hunter2@127.0.0.1:${unusedPort}/nothing`
    const { code, stdout, findings } = await runDoctor({ ...folder, environment: { DATABASE_URL } })
    expect(code).toBe(1)
    expect(findings.get('database')).toMatch(
      /^wrong: The database is unreachable: .*ECONNREFUSED.*; check DATABASE_URL, and that the server runs$/,
    )
    expect(findings.get('docs')).toMatch(/^ok/)
    expect(stdout).not.toContain('hunter2')
    await folder.remove()
  })
})

describeOnServer('devdata doctor beside running instances', () => {
  const service = useService('postgresql')

  test('sends a whole request with a key, which costs nothing and shows up nowhere', async () => {
    const { environment, directory } = locationOf(service)
    const { secret, id } = await service.createKey({ credits: 10 })
    await using instance = await startInstanceProcess(service.location.databaseUrl ?? '')
    const options = { environment: { ...environment, PORT: new URL(instance.url).port }, directory }

    const without = await runDoctor(options)
    expect(without.code).toBe(0)
    expect(without.findings.get('url')).toMatch(/^ok: http:\/\/127\.0\.0\.1:\d+ is healthy, version/)
    expect(without.findings.get('request')).toMatch(/^skipped: no key given; add --key KEY/)

    for (const [argument, input] of [[secret], ['-', `${secret}\n`]]) {
      const { code, stdout, findings } = await runDoctor(
        { ...options, ...(input !== undefined && { input }) },
        '--key',
        argument ?? '',
      )
      expect(code).toBe(0)
      expect(findings.get('request')).toMatch(
        /^ok: GET \/api-key\/credits and HEAD \/users succeeded, [1-9]\d* items/,
      )
      expect(stdout).not.toContain(secret)
    }
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })

    const poor = await service.createKey({ credits: 0 })
    const refusal = await runDoctor(options, '--key', poor.secret)
    expect([refusal.code, refusal.findings.get('request')]).toEqual([
      1,
      'wrong: HEAD /users was refused, because the key has no credits; use a key with credits',
    ])

    const unknown = crypto.randomUUID()
    const refused = await runDoctor(options, '--key', unknown)
    expect(refused.code).toBe(1)
    expect(refused.findings.get('request')).toBe('wrong: GET /api-key/credits returned 401: Invalid API key')
    expect(refused.stdout).not.toContain(unknown)
  })

  test('finds that links lead elsewhere', async () => {
    const { secret } = await service.createKey()
    const { environment, directory } = locationOf(service)
    const BASE_URL = 'http://elsewhere.example'
    await using instance = await startInstanceProcess(service.location.databaseUrl ?? '', { BASE_URL })
    const { port } = new URL(instance.url)
    const options = { environment: { ...environment, PORT: port }, directory }
    const { code, findings } = await runDoctor(options, '--key', secret)
    expect(code).toBe(1)
    expect(findings.get('request')).toMatch(
      /^wrong: the Link header does not point to http:\/\/127\.0\.0\.1:\d+\/users/,
    )
  })

  test('finds that a database has not been migrated', async () => {
    const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
    const admin = postgres(getServerUrl(), { max: 1, onnotice: () => {} })
    await admin`create database ${admin(name)}`
    const environment = { DATABASE_URL: databaseUrl(getServerUrl(), name), PORT: unusedPort }
    const { code, findings } = await runDoctor({ environment, directory: tmpdir() })
    expect(code).toBe(1)
    expect(findings.get('migrations')).toBe(
      `wrong: ${listMigrations()
        .map((migration) => migration.name)
        .join(', ')} missing; run: npm run -s devdata -- migrate`,
    )
    for (const subject of ['keys', 'data', 'sets', 'ledger']) {
      expect(findings.get(subject)).toBe('skipped: not read, because migrations are missing')
    }
    await admin`drop database ${admin(name)} with (force)`
    await admin.end()
  })

  test('finds that the operating system orders texts by other rules than those of the indexes', async () => {
    const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
    const admin = postgres(getServerUrl(), { max: 1, onnotice: () => {} })
    await admin`create database ${admin(name)} template template0 locale_provider icu icu_locale 'en'`
    const environment = { DATABASE_URL: databaseUrl(getServerUrl(), name), PORT: unusedPort }
    const examine = async () =>
      (await runDoctor({ environment, directory: tmpdir() })).findings.get('collation')
    expect(await examine()).toBeUndefined()
    await admin`update pg_database set datcollversion = '1.2' where datname = ${name}`
    expect(await examine()).toMatch(
      new RegExp(
        `^wrong: the server now orders .* were written with 1\\.2: .*: reindex database "${name}"; alter database`,
      ),
    )
    await admin`drop database ${admin(name)} with (force)`
    await admin.end()
  })
})
