/** Ways to a PostgreSQL server: TLS, passwords with anything in them, Unix sockets. */
import { once } from 'node:events'
import { chown, copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../api/database/connect.ts'
import { parseConnectionUrl } from '../../api/database/connection-url.ts'
import { openDatabase } from '../../api/database/database.ts'
import { toOperatorMessage } from '../../api/runtime/operator-message.ts'
import { createCertificateFolder, findOpenssl } from '../support/certificates.ts'
import { testPool } from '../support/databases.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { startInstanceProcess } from '../support/process.ts'
import { useStarted } from '../support/suite.ts'

const missing = [...(findPostgresBinaries() ? [] : [postgresMissing]), ...findOpenssl()]
if (missing.length > 0) {
  if (process.env.CI) throw new Error(`CI must not skip the tests of connections: ${missing}`)
  console.warn(`skipped: ${missing}`)
}

describe.skipIf(missing.length > 0)('a database connection', () => {
  const cluster = useStarted(startPostgresCluster)
  const certificates = useStarted(createCertificateFolder)
  const file = (name: string) => certificates.file(name)
  const user = 'dev data'
  const password = 'p@ss:w/or%41d?#&[é]\'" +'
  beforeAll(async () => {
    for (const name of ['ours', 'theirs']) certificates.createAuthority(name)
    certificates.createCertificate('named', 'DNS:localhost')
    certificates.createCertificate('numbered', 'IP:127.0.0.1')
    await asSuperuser(async (sql) => {
      await sql.unsafe(`create role "${user}" superuser login password '${password.replaceAll("'", "''")}'`)
    })
  })

  async function asSuperuser(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
    const sql = postgres(cluster.url, { max: 1, onnotice: () => {} })
    await work(sql)
    await sql.end()
  }

  /** Has the server speak TLS, with one of the certificates. */
  async function serveTls(certificate: string): Promise<void> {
    const data = join(cluster.directory, 'data')
    const { uid, gid } = await stat(data)
    for (const [from, to] of [
      [`${certificate}.pem`, 'server.crt'],
      [`${certificate}.key`, 'server.key'],
    ] as const) {
      await copyFile(file(from), join(data, to))
      await chown(join(data, to), uid, gid)
    }
    await asSuperuser(async (sql) => {
      await sql`alter system set ssl = on`
      await sql`select pg_reload_conf()`
    })
    await tryUntil(() => describeSession(urlOf('127.0.0.1', 'sslmode=require')))
  }

  /** Has the server ask for a certificate of `ours` from whoever connects as a role. */
  async function requireCertificate(role: string): Promise<void> {
    const data = join(cluster.directory, 'data')
    const { uid, gid } = await stat(data)
    await copyFile(file('ours.pem'), join(data, 'root.crt'))
    await chown(join(data, 'root.crt'), uid, gid)
    const rules = join(data, 'pg_hba.conf')
    await writeFile(rules, `hostssl all ${role} all cert\n${await readFile(rules, 'utf8')}`)
    await asSuperuser(async (sql) => {
      await sql`alter system set ssl_ca_file = 'root.crt'`
      await sql`select pg_reload_conf()`
    })
    // It is read when it refuses.
    const url = urlOf('localhost', 'sslmode=require').replace(/\/\/.*@/, `//${role}@`)
    while (!(await explainSession(url))?.includes('valid client certificate'));
  }

  /** The server's configuration is read anew some time after it was asked to. */
  async function tryUntil(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await work()
        return
      } catch {}
    }
  }

  function urlOf(host: string, query = ''): string {
    const { username, password, port } = new URL(cluster.url)
    return `postgres://${username}:${password}@${host}:${port}/postgres?${query}`
  }

  /** Who is connected, and how; or, as an operator reads it, why not. */
  async function describeSession(databaseUrl: string): Promise<unknown> {
    const database = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    try {
      await database.detectPooler()
      const [row] = await database.sql`
        select current_user as user, ssl, inet_server_addr() is null as socket, current_setting('work_mem') as work_mem
        from pg_stat_ssl where pid = pg_backend_pid()`
      return row
    } finally {
      await database.close()
    }
  }

  async function explainSession(databaseUrl: string): Promise<string | undefined> {
    try {
      return JSON.stringify(await describeSession(databaseUrl))
    } catch (error) {
      return toOperatorMessage(error)
    }
  }

  const plain = { user: 'postgres', ssl: false, socket: false, work_mem: '4MB' }

  test('has no TLS unless sslmode asks for it, and fails where the server has none', async () => {
    expect(await describeSession(urlOf('127.0.0.1'))).toEqual(plain)
    expect(await describeSession(urlOf('127.0.0.1', 'sslmode=prefer'))).toEqual(plain)
    const message =
      'DATABASE_URL: the server has no TLS, which sslmode requires; turn it on there (ssl = on), or leave sslmode out'
    expect(await explainSession(urlOf('127.0.0.1', 'sslmode=require'))).toBe(message)
    await expect(startInstanceProcess(urlOf('127.0.0.1', 'sslmode=require'))).rejects.toThrow(
      `ended with 1: ${message}\n`,
    )
  })

  test('is refused once, in one line, if the server refuses the session that the URL asks for', async () => {
    for (const [option, reason] of [
      ['-c no_such_setting=1', 'unrecognized configuration parameter "no_such_setting"'],
      ['-c work_mem=lots', 'invalid value for parameter "work_mem": "lots"'],
      ['--nonsense', '--nonsense requires a value'],
    ] as const) {
      const url = urlOf('127.0.0.1', `options=${encodeURIComponent(option)}`)
      await expect(startInstanceProcess(url)).rejects.toThrow(
        `ended with 1: DATABASE_URL: the database refused access: ${reason}\n`,
      )
    }
  })

  test('accepts any certificate with sslmode=require, and checks the CA and the name with verify-full', async () => {
    await serveTls('named')
    const ours = `sslrootcert=${encodeURIComponent(file('ours.pem'))}`
    const encrypted = { ...plain, ssl: true }
    expect(await describeSession(urlOf('127.0.0.1', 'sslmode=require'))).toEqual(encrypted)
    expect(await describeSession(urlOf('127.0.0.1', 'sslmode=prefer'))).toEqual(encrypted)
    expect(await describeSession(urlOf('localhost', `sslmode=verify-full&${ours}`))).toEqual(encrypted)
    expect(await describeSession(urlOf('127.0.0.1', `sslmode=verify-ca&${ours}`))).toEqual(encrypted)
    expect(await explainSession(urlOf('127.0.0.1', `sslmode=verify-full&${ours}`))).toMatch(
      /^DATABASE_URL: the server's certificate is not trusted: .*127\.0\.0\.1.*; see sslrootcert and sslmode$/,
    )
    await serveTls('numbered')
    expect(await describeSession(urlOf('127.0.0.1', `sslmode=verify-full&${ours}`))).toEqual(encrypted)
    expect(await explainSession(urlOf('localhost', `sslmode=verify-full&${ours}`))).toMatch(
      /^DATABASE_URL: the server's certificate is not trusted: .*localhost/,
    )
  })

  test('fails the start with a clear line if the certificate is of another CA, or its file is missing', async () => {
    await serveTls('named')
    for (const mode of ['verify-full', 'verify-ca', 'require']) {
      const theirs = `sslmode=${mode}&sslrootcert=${encodeURIComponent(file('theirs.pem'))}`
      await expect(startInstanceProcess(urlOf('localhost', theirs))).rejects.toThrow(
        /ended with 1: DATABASE_URL: the server's certificate is not trusted: .*certificate.*; see sslrootcert and sslmode\n$/,
      )
    }
    await expect(startInstanceProcess(urlOf('localhost', 'sslmode=verify-full'))).rejects.toThrow(
      "DATABASE_URL: the server's certificate is not trusted",
    )
    const nowhere = `sslmode=verify-full&sslrootcert=${encodeURIComponent(file('nowhere.pem'))}`
    await expect(startInstanceProcess(urlOf('localhost', nowhere))).rejects.toThrow(
      `DATABASE_URL is invalid: it names a file that can't be read: sslrootcert ${file('nowhere.pem')}: no such file or directory`,
    )
  })

  test('sends a client certificate if the server requests one, and says what is wrong with an invalid one', async () => {
    await serveTls('named')
    certificates.createCertificate('client', 'DNS:client', { commonName: 'certified' })
    await asSuperuser((sql) => sql`create role certified login`)
    await requireCertificate('certified')
    const named = (...[certificate, key]: string[]) =>
      `sslcert=${encodeURIComponent(file(`${certificate}.pem`))}&sslkey=${encodeURIComponent(file(`${key}.key`))}`
    const as = (query: string) =>
      `postgres://certified@localhost:${new URL(cluster.url).port}/postgres?sslmode=require&${query}`
    expect(await describeSession(as(named('client', 'client')))).toEqual({
      ...plain,
      user: 'certified',
      ssl: true,
    })
    expect(await explainSession(as(''))).toBe(
      'DATABASE_URL: the database refused access: connection requires a valid client certificate',
    )
    expect(await explainSession(as(named('named', 'named')))).toBe(
      'DATABASE_URL: the database refused access: certificate authentication failed for user "certified"',
    )
    expect(await explainSession(as(named('client', 'named')))).toMatch(
      /^DATABASE_URL is invalid: it names certificates or a key that can't be used together: .*key values mismatch/,
    )
    expect(await explainSession(as(named('client', 'nowhere')))).toMatch(
      /^DATABASE_URL is invalid: it names a file that can't be read: sslkey \S+nowhere\.key: no such file or directory$/,
    )
    for (const [query, rule] of [
      ['sslmode=require&sslcert=a', 'must have both sslcert and sslkey, or neither'],
      [
        'sslmode=prefer&sslcert=a&sslkey=b',
        'must have an sslmode of require, verify-ca or verify-full beside sslcert',
      ],
      ['sslmode=require&sslcert=a&sslkey=b&sslpassword=c', 'must be without sslpassword'],
    ] as const) {
      expect(await explainSession(urlOf('localhost', query))).toContain(`DATABASE_URL is invalid: it ${rule}`)
    }
  })

  test('accepts user and password with any characters, percent-escaped, over TCP and over a Unix socket', async () => {
    const who = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
    const socket = join(cluster.directory, 'socket')
    const { port } = new URL(cluster.url)
    expect(await describeSession(`postgres://${who}@127.0.0.1:${port}/postgres`)).toEqual({ ...plain, user })
    for (const url of [
      `postgres://${who}@${encodeURIComponent(socket)}:${port}/postgres`,
      `postgres://${who}@localhost:${port}/postgres?host=${socket}`,
      `postgres://${who}@/postgres?host=${socket}&port=${port}&sslmode=require`,
      `postgres:///postgres?host=${socket}&port=${port}&user=${encodeURIComponent(user)}&password=${encodeURIComponent(password)}`,
    ]) {
      expect(await describeSession(url)).toEqual({ ...plain, user, socket: true })
    }
    expect(await explainSession(`postgres://${who}1@127.0.0.1:${port}/postgres`)).toBe(
      `DATABASE_URL: the database refused access: password authentication failed for user "${user}"`,
    )
  })

  test('may have an IPv6 address', async () => {
    // The server's IPv4 address, written as an IPv6 address.
    expect(await describeSession(urlOf('[::ffff:127.0.0.1]'))).toEqual(plain)
    expect(await describeSession(urlOf('localhost', 'host=0:0:0:0:0:ffff:127.0.0.1'))).toEqual(plain)
  })

  test('has the session settings of its URL, and a database name with any characters', async () => {
    const options = encodeURIComponent('-c work_mem=5MB')
    expect(await describeSession(urlOf('127.0.0.1', `options=${options}&channel_binding=prefer`))).toEqual({
      ...plain,
      work_mem: '5MB',
    })
    await asSuperuser((sql) => sql`create database "a b/c%"`)
    const url = urlOf('127.0.0.1').replace('/postgres?', `/${encodeURIComponent('a b/c%')}?`)
    expect(await describeSession(url)).toEqual(plain)
  })

  /** Enough rows that the server sends the first ones before the last one is made. */
  const rowsUntil = (last: string) => `
    select case when i = 5000 then ${last} else i::text end, repeat('x', 1000) from generate_series(1, 5000) i`

  test.each([
    ['fails', '(1 / (5000 - i))::text', '22012'],
    ['ends the connection', 'pg_terminate_backend(pg_backend_pid())::text', '57P01|CONNECTION_CLOSED'],
  ])('has only the rows of its own statement after one that %s halfway', async (_, last, code) => {
    const database = await openDatabase({
      ...testPool,
      databasePoolSize: 1,
      databaseUrl: cluster.url,
      dataDirectory: '',
    })
    try {
      for (const place of [1, 2]) {
        const broken = database.sql.unsafe(rowsUntil(last)).then(() => 'not broken')
        await expect(broken).rejects.toMatchObject({ code: expect.stringMatching(code) })
        expect({ place, rows: [...(await database.sql`select 1 as row`)] }).toEqual({
          place,
          rows: [{ row: 1 }],
        })
      }
    } finally {
      await database.close()
    }
  })
})

test('a connection, also to a replica, may take as long as connect_timeout', async () => {
  const silent = createServer()
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  const url = (seconds: number) => `postgres://nobody@127.0.0.1:${port}/nothing?connect_timeout=${seconds}`
  const database = await openDatabase({
    ...testPool,
    databaseUrl: url(1),
    databaseReplicaUrls: [url(2)],
    dataDirectory: '',
  })
  try {
    const ended: string[] = []
    const connect = (name: string, sql: Sql | undefined) =>
      sql?.unsafe('select 1').catch((error: { code: string }) => void ended.push(`${name}: ${error.code}`))
    await Promise.all([
      connect('replica', database.replicas.list()[0]?.sql),
      connect('primary', database.sql),
    ])
    // In this order: without its own limit the primary would have 10 seconds, and the replica 3.
    expect(ended).toEqual(['primary: CONNECT_TIMEOUT', 'replica: CONNECT_TIMEOUT'])
  } finally {
    await database.close()
    silent.close()
  }
})

test('a connect_timeout of 0 or less sets no limit', () => {
  const read = (query: string) => parseConnectionUrl(`postgres://db/name${query}`).connectTimeoutSeconds
  expect(['?connect_timeout=0', '?connect_timeout=-1', '?connect_timeout=7', ''].map(read)).toEqual([
    ...[0, 0, 7],
    undefined,
  ])
})
