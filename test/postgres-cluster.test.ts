import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  findPostgresBinaries,
  type PostgresCluster,
  postgresMissing,
  startPostgresCluster,
} from './support/postgres-cluster.ts'

const binaries = findPostgresBinaries()
if (!binaries) console.warn(`skipped: ${postgresMissing}`)

/** Runs one query as a client of its own. */
async function query(url: string, text: string): Promise<postgres.Row[]> {
  const sql = postgres(url, { max: 1 })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.end()
  }
}

async function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

function readProcessId(directory: string): number {
  return Number(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** Not what has ended and only waits for its parent to ask how. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const file = `/proc/${pid}/stat`
    return !existsSync(file) || !/\) Z /.test(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}

async function eventually(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(25)) {
    if (await condition()) return true
  }
  return false
}

describe('findPostgresBinaries', () => {
  afterEach(() => vi.unstubAllEnvs())

  test.skipIf(!binaries)('finds initdb and postgres of version 15 or later', () => {
    expect(binaries?.version).toBeGreaterThanOrEqual(15)
    const files = readdirSync(binaries?.directory ?? '')
    expect(files).toEqual(expect.arrayContaining(['initdb', 'postgres']))
  })

  test.skipIf(!binaries)('takes the folder that PG_BIN names', () => {
    vi.stubEnv('PG_BIN', binaries?.directory)
    expect(findPostgresBinaries()).toEqual(binaries)
  })

  test('looks nowhere else when PG_BIN names a folder without them', () => {
    vi.stubEnv('PG_BIN', tmpdir())
    expect(findPostgresBinaries()).toBeUndefined()
  })
})

describe.skipIf(!binaries)('a cluster', () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await startPostgresCluster({ settings: { max_connections: '25', cluster_name: "it's" } })
  })
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]()
  })

  test('answers its superuser, in UTF-8, with case beyond ASCII', async () => {
    const [row] = await query(
      cluster.url,
      `select current_user::text as user, current_setting('is_superuser') as superuser, current_database()::text as db,
         current_setting('server_encoding') as encoding, lower('ÜBUNG') as lower,
         current_setting('server_version_num')::int / 10000 as version`,
    )
    expect(row).toEqual({
      user: 'postgres',
      superuser: 'on',
      db: 'postgres',
      encoding: 'UTF8',
      lower: 'übung',
      version: cluster.version,
    })
  })

  test('has the settings that were asked for, and no durability otherwise', async () => {
    const settings = await query(
      cluster.url,
      `select name, setting from pg_settings
       where name in ('max_connections', 'fsync', 'listen_addresses', 'cluster_name')`,
    )
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      cluster_name: "it's",
      fsync: 'off',
      listen_addresses: '127.0.0.1',
      max_connections: '25',
    })
  })

  test('lets nobody in without the password, and other users not into its folder', async () => {
    const url = new URL(cluster.url)
    url.password = 'wrong'
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed')
    expect((await stat(cluster.directory)).mode & 0o077).toBe(0)
  })

  test('listens on its Unix socket too', async () => {
    const { password } = new URL(cluster.url)
    const path = join(cluster.directory, 'socket', `.s.PGSQL.${cluster.port}`)
    const sql = postgres({ path, user: 'postgres', password, database: 'postgres', max: 1 })
    try {
      expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
    } finally {
      await sql.end()
    }
  })

  test('creates databases side by side, each empty and under a name of its own', async () => {
    const urls = await Promise.all([
      cluster.createDatabase(),
      cluster.createDatabase(),
      cluster.createDatabase('Named-by_us'),
    ])
    expect(new Set(urls).size).toBe(3)
    for (const url of urls) await query(url, 'create table only_here (id int)')
    const [row] = await query(urls[2] ?? '', 'select current_database()::text as name')
    expect(row).toEqual({ name: 'Named-by_us' })
    await expect(cluster.createDatabase('Named-by_us')).rejects.toThrow('already exists')
    await expect(cluster.createDatabase('a"b')).rejects.toThrow(RangeError)
  })

  test.each(['fast', 'immediate'] as const)(
    'keeps its data over a stop (%s) and a start on the same port',
    async (mode) => {
      const url = await cluster.createDatabase()
      await query(url, 'create table kept as select 42 as answer')
      const pid = readProcessId(cluster.directory)
      const lingering = postgres(url, { max: 1, onnotice: () => undefined })
      await lingering`select 1`

      await cluster.stop(mode) // though somebody is connected
      expect(isRunning(pid)).toBe(false)
      expect(await isListening(cluster.port)).toBe(false)
      await expect(lingering`select 1`).rejects.toThrow()
      await lingering.end()
      await cluster.stop()

      await cluster.start()
      await cluster.start()
      expect(await query(url, 'select answer from kept')).toEqual([{ answer: 42 }])
    },
    300_000,
  )

  test('says so when its port was taken while it was stopped', async () => {
    await cluster.stop()
    const other = createServer().listen(cluster.port, '127.0.0.1')
    await once(other, 'listening')
    try {
      await expect(cluster.start()).rejects.toThrow('Address already in use')
    } finally {
      other.close()
      await once(other, 'close')
    }
    await cluster.start()
    expect(await query(cluster.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('starts again after a crash, with all that was committed', async () => {
    await query(cluster.url, 'create table after_crash as select 42 as answer')
    const pid = readProcessId(cluster.directory)
    process.kill(pid, 'SIGKILL')
    expect(await eventually(async () => !(await isListening(cluster.port)))).toBe(true)
    // The processes of its connections need a moment to notice.
    const answer = () => cluster.start().then(() => query(cluster.url, 'select answer from after_crash'))
    await expect.poll(() => answer().catch(String)).toEqual([{ answer: 42 }])
  })
})

describe.skipIf(!binaries)('nothing is left', () => {
  test('after a cluster was disposed of', async () => {
    let directory = ''
    let pid = 0
    {
      await using cluster = await startPostgresCluster()
      directory = cluster.directory
      pid = readProcessId(directory)
      expect(isRunning(pid)).toBe(true)
    }
    expect(isRunning(pid)).toBe(false)
    expect(existsSync(directory)).toBe(false)
  })

  test('after a cluster did not start, and the error tells why', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'devdata-test-'))
    vi.stubEnv('TMPDIR', parent)
    try {
      await chmod(parent, 0o777)
      await expect(startPostgresCluster({ settings: { no_such_setting: '1' } })).rejects.toThrow(
        'no_such_setting',
      )
      expect(readdirSync(parent)).toEqual([])
    } finally {
      vi.unstubAllEnvs()
      await rm(parent, { recursive: true })
    }
  })

  test.each([
    ['is killed', `process.kill(process.pid, 'SIGKILL')`],
    ['is interrupted', `process.kill(process.pid, 'SIGINT')`],
    ['throws', `throw new Error('unexpected')`],
    ['forgets it', ''],
    ['stops it and forgets it', 'await cluster.stop()'],
  ])(
    'after a process with a cluster %s',
    async (_, ending) => {
      const program = `
        import { readFileSync, writeSync } from 'node:fs'
        import { startPostgresCluster } from ${JSON.stringify(join(import.meta.dirname, 'support/postgres-cluster.ts'))}
        const cluster = await startPostgresCluster()
        const pid = Number(readFileSync(cluster.directory + '/data/postmaster.pid', 'utf8').split('\\n')[0])
        writeSync(1, JSON.stringify({ directory: cluster.directory, pid }) + '\\n')
        ${ending}`
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const exited = once(child, 'exit')
      const [line] = await once(createInterface(child.stdout), 'line')
      const { directory, pid } = JSON.parse(line)
      await exited
      expect(await eventually(() => !existsSync(directory))).toBe(true)
      expect(await eventually(() => !isRunning(pid))).toBe(true)
    },
    300_000,
  )
})
