/**
 * The data folder of the embedded database: whose it is, who may read it, who runs it, and what survives in it.
 *
 * @module-tag longest
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { deno } from '../support/deno.ts'
import { listStartCommand, type RuntimeName, runtimes, startInstanceProcess } from '../support/process.ts'
import { endWithThisProcess, startProgram } from '../support/program.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'devdata-folder-'))
  await chmod(directory, 0o755)
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** A data folder with an empty database, or with the sample data. */
async function createDataDirectory(name: string, data: 'empty' | 'sample' = 'empty'): Promise<string> {
  const path = join(directory, name)
  cpSync(join(inject('databases').directory, data), path, { recursive: true })
  return path
}

/** A start that is expected to be refused: what it says. */
async function startRefused(dataDirectory: string, runtime: RuntimeName = 'node'): Promise<string> {
  const settings = { DATA_DIR: dataDirectory, SAMPLE_DATA: 'off' }
  const error = await startInstanceProcess(undefined, settings, { runtime }).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(Error)
  const [, code, lines] = /ended with (\d+): (.*)$/s.exec(String(error)) ?? []
  expect([code, lines?.trim().split('\n').length]).toEqual(['1', 1])
  return lines?.trim() ?? ''
}

const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** A client of the embedded database that an instance runs. */
function connectTo(dataDirectory: string) {
  const path = join(dataDirectory, 'postgres.sock')
  return postgres({ path, user: 'postgres', database: 'postgres', max: 1, onnotice: () => {} })
}

// A start waits 30 seconds for a holder that accepts no connections: the other tests run meanwhile.
describe('the lock of a data folder', { concurrent: true }, () => {
  const canUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0
  const program = () => join(directory, 'lock.ts')
  beforeAll(async () => {
    const module = JSON.stringify(resolve(import.meta.dirname, '../../api/database/data-directory.ts'))
    await writeFile(
      program(),
      `import process from 'node:process'
      import { lockDataDirectory } from ${module}
      const lock = await lockDataDirectory(process.argv[2])
      console.log(lock === 'in_use' ? 'refused by 1' : 'locked by 1')
      if (lock !== 'in_use') setTimeout(() => lock.release(), 600_000)`,
    )
  })

  const commands = {
    node: [process.execPath],
    deno: [deno, 'run', '--quiet', '--allow-all'],
    ...(canUnshare && {
      'node with process ids of its own': ['unshare', '--pid', '--fork', '--kill-child', process.execPath],
    }),
  }
  const announcement = /(\w+) by 1/
  const lock = (command: readonly string[], dataDirectory: string) =>
    startProgram([...command, program(), dataDirectory], { directory, environment: {}, announcement })

  test('whose holder accepts no connections is refused with what to do', async () => {
    const dataDirectory = await createDataDirectory('silent')
    await using _holder = await lock(commands.node, dataDirectory)
    const refusal = await startRefused(dataDirectory)
    expect(refusal).toContain(
      `DATA_DIR ${dataDirectory} is in use by another process, which accepts no connections at`,
    )
    expect(refusal).toContain('/silent/postgres.sock; end that process, or set another DATA_DIR')
  })

  test.each(Object.keys(commands).map((name) => [name]))(
    'that a process holds is had by no other, and by the next at once when it is killed: %s',
    async (name) => {
      const command = commands[name as keyof typeof commands] ?? []
      const dataDirectory = join(directory, `held-${name}`)
      await mkdir(dataDirectory)
      const holder = await lock(commands.node, dataDirectory)
      expect(holder.announced).toBe('locked')
      expect((await lock(command, dataDirectory)).announced).toBe('refused')
      await holder.kill()
      await using next = await lock(command, dataDirectory)
      expect(next.announced).toBe('locked')
      expect(next.readOutput()).toBe('locked by 1\n') // no warning that SQLite is experimental
    },
  )

  test('is not left behind by a start that was killed, whatever its process id is now', async () => {
    const dataDirectory = await createDataDirectory('reused')
    // What earlier versions left: the id of a process that runs, and is another program.
    await writeFile(join(dataDirectory, 'lock'), String(process.pid))
    const settings = { DATA_DIR: dataDirectory, SAMPLE_DATA: 'off' }
    const first = await startInstanceProcess(undefined, settings)
    await first.kill()
    await using second = await startInstanceProcess(undefined, settings)
    expect(await second.stop()).toBe(0)
  })
})

describe('a data folder', { concurrent: true }, () => {
  test.each(runtimes)(
    'is closed to other users, and again after somebody opened it, on %s',
    async (runtime) => {
      const dataDirectory = await createDataDirectory(`modes-${runtime}`)
      await chmod(dataDirectory, 0o777)
      const settings = { DATA_DIR: dataDirectory, SAMPLE_DATA: 'off' }
      await using instance = await startInstanceProcess(undefined, settings, { runtime })
      expect(readdirSync(dataDirectory)).toEqual(expect.arrayContaining(['demo-keys.json', 'postgres.sock']))
      expect(readMode(dataDirectory)).toBe('700')
      expect(readMode(join(dataDirectory, 'demo-keys.json'))).toBe('600')
      expect(await instance.stop()).toBe(0)
    },
  )

  test('is created closed', async () => {
    const dataDirectory = join(directory, 'new')
    await using instance = await startInstanceProcess(undefined, {
      DATA_DIR: dataDirectory,
      SAMPLE_DATA: 'off',
    })
    expect(readMode(dataDirectory)).toBe('700')
    expect(await instance.stop()).toBe(0)
  })

  test('whose parent is missing is refused, because its disk may not be mounted', async () => {
    const parent = join(directory, 'disk')
    expect(await startRefused(join(parent, 'data'))).toBe(
      `DATA_DIR ${join(parent, 'data')} can't be created: there is no folder ${parent}; create or mount it`,
    )
    expect(existsSync(parent)).toBe(false)
  })

  test.skipIf(!existsSync('/proc/self'))('in a folder where nothing can be created is refused', async () => {
    expect(await startRefused('/proc/devdata')).toMatch(/^DATA_DIR \/proc\/devdata can't be created: /)
  })

  test('that holds other files is refused, and stays as it is', async () => {
    const dataDirectory = join(directory, 'other')
    await mkdir(dataDirectory)
    await writeFile(join(dataDirectory, 'letter.txt'), '')
    await chmod(dataDirectory, 0o755)
    expect(await startRefused(dataDirectory)).toBe(
      `DATA_DIR ${dataDirectory} contains other files; a new data folder must be empty. Set DATA_DIR to a new folder, such as ` +
        `${dataDirectory}/devdata`,
    )
    expect(readdirSync(dataDirectory)).toEqual(['letter.txt'])
    expect(readMode(dataDirectory)).toBe('755')
  })

  test('whose database has lost its PG_VERSION is refused, and nothing is written over it', async () => {
    const dataDirectory = await createDataDirectory('incomplete')
    await rm(join(dataDirectory, 'database/PG_VERSION'))
    const before = readdirSync(join(dataDirectory, 'database'))
    expect(await startRefused(dataDirectory)).toContain(
      `${dataDirectory}/database is not a complete database (PG_VERSION is missing), and a new one needs an empty folder; ` +
        'restore it from a backup, or move it away to start with a new database',
    )
    expect(readdirSync(join(dataDirectory, 'database'))).toEqual(before)
  })

  test('may be a link to a folder', async () => {
    const real = await createDataDirectory('linked')
    await chmod(real, 0o777)
    const link = join(directory, 'link')
    await symlink(real, link)
    await using instance = await startInstanceProcess(undefined, { DATA_DIR: link, SAMPLE_DATA: 'off' })
    expect(readMode(real)).toBe('700')
    expect(await instance.stop()).toBe(0)
  })

  test('is whole after a first start that was killed while it created the database', async ({ expect }) => {
    const dataDirectory = join(directory, 'killed')
    const settings = { DATA_DIR: dataDirectory, SAMPLE_DATA: 'off', PORT: '0' }
    const [program = '', ...parameters] = listStartCommand('node', directory)
    const child = endWithThisProcess(
      spawn(program, parameters, { cwd: directory, env: settings, stdio: 'ignore' }),
    )
    await expect.poll(() => existsSync(join(dataDirectory, 'database.new/base')), { interval: 5 }).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(join(dataDirectory, 'database'))).toBe(false)

    await using instance = await startInstanceProcess(undefined, settings)
    expect(readdirSync(dataDirectory)).not.toContain('database.new')
    expect(await instance.stop()).toBe(0)
  })

  // As root, the tests can be two users.
  test.skipIf(userInfo().uid !== 0)('of another user is refused', async () => {
    const dataDirectory = await createDataDirectory('of-root')
    const nobody = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }))
    const start = () =>
      startProgram(listStartCommand('node', directory), {
        directory,
        environment: { DATA_DIR: dataDirectory, PORT: '0' },
        announcement: /devdata is ready at (\S+)/,
        account: { uid: nobody, gid: nobody },
      })
    const refusal = `ended with 1: DATA_DIR ${dataDirectory} belongs to another user (`
    for (const mode of [0o700, 0o777]) {
      await chmod(dataDirectory, mode)
      await expect(start()).rejects.toThrow(refusal)
    }
    await chown(dataDirectory, nobody, nobody)
    // What is in it is still root's.
    await expect(start()).rejects.toThrow(refusal)
  })

  test.skipIf(userInfo().uid !== 0).for(runtimes)(
    'of another user is refused to root, too, and stays as it is, on %s',
    async (runtime, { expect }) => {
      const dataDirectory = await createDataDirectory(`of-nobody-${runtime}`)
      const nobody = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }))
      const database = join(dataDirectory, 'database')
      await chmod(dataDirectory, 0o755)
      for (const path of [dataDirectory, database]) {
        await chown(path, nobody, nobody)
        expect(await startRefused(dataDirectory, runtime)).toBe(
          `DATA_DIR ${dataDirectory} belongs to another user (${path} is of user ${nobody}, not 0); run this as that user, ` +
            'give it to this user (chown -R), or set DATA_DIR to a folder that this user may create',
        )
        expect(readMode(dataDirectory)).toBe('755')
        await chown(path, 0, 0)
      }
      await using instance = await startInstanceProcess(
        undefined,
        { DATA_DIR: dataDirectory, SAMPLE_DATA: 'off' },
        { runtime },
      )
      expect(await instance.stop()).toBe(0)
    },
  )
})

describe('the embedded database', { concurrent: true }, () => {
  test('flushes to the disk what a response was paid with, before it is sent', async () => {
    const dataDirectory = await createDataDirectory('flushed', 'sample')
    const traces = join(directory, 'traces')
    await mkdir(traces)
    const countFlushes = async () => {
      const files = readdirSync(traces)
      const texts = await Promise.all(files.map((name) => readFile(join(traces, name), 'utf8')))
      return texts.join('').match(/"ph":"B"[^}]*"name":"fs\.sync\.fsync"/g)?.length ?? 0
    }
    const requests = 60
    await using instance = await startInstanceProcess(undefined, {
      DATA_DIR: dataDirectory,
      NODE_OPTIONS: `--trace-event-categories=node.fs.sync --trace-event-file-pattern=${traces}/\${rotation}.json`,
    })
    const { user }: { user: string } = JSON.parse(
      await readFile(join(dataDirectory, 'demo-keys.json'), 'utf8'),
    )
    for (let request = 0; request < requests; request++) {
      const headers = { Authorization: `Bearer ${user}` }
      expect((await fetch(`${instance.url}/users?per_page=1`, { headers })).status).toBe(200)
    }
    expect(await instance.stop()).toBe(0)
    expect(await countFlushes()).toBeGreaterThan(requests)
  })

  test.for(runtimes)(
    'ends the service, with the reason, when its disk fails, on %s',
    async (runtime, { expect }) => {
      const dataDirectory = await createDataDirectory(`failing-${runtime}`)
      const settings = { DATA_DIR: dataDirectory, SAMPLE_DATA: 'off' }
      await using instance = await startInstanceProcess(undefined, settings, { runtime })
      await rm(join(dataDirectory, 'database/pg_wal'), { recursive: true })
      const sql = connectTo(dataDirectory)
      await expect(sql`select pg_switch_wal()`.then(() => sql`create table lost ()`)).rejects.toThrow()
      await expect.poll(() => instance.isRunning()).toBe(false)
      expect(instance.readLog()).toMatch(/The embedded database stopped unexpectedly: .*PANIC.*No such file/)
      await sql.end({ timeout: 0 })
    },
  )
})
