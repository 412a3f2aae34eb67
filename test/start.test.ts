import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { buildDocs } from '../docs-site/build.ts'
import { runCommand } from './support/command-line.ts'
import { listStartCommand, runtimes } from './support/process.ts'
import { inheritEnvironment } from './support/program.ts'
import { testOnServer } from './support/server.ts'
import { startTestService } from './support/service.ts'

const running = new Set<ChildProcessWithoutNullStreams>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})

/** Starts the service on a free port, in a folder without a .env file. */
function start(command: readonly string[], directory: string, settings: Record<string, string>) {
  const [program = '', ...parameters] = command
  const child = spawn(program, parameters, {
    cwd: directory,
    env: { ...inheritEnvironment(), NO_COLOR: '1', PORT: '0', ...settings },
    stdio: 'pipe',
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child)
    return { code, ...output }
  })
  return {
    ended,
    stop: () => child.kill('SIGTERM'),
    /** What was printed until the service said that it is ready. */
    async ready(): Promise<string> {
      while (!/devdata is ready at [\s\S]*\n\n/.test(output.stdout)) {
        const result = await Promise.race([ended, once(child.stdout, 'data').then(() => undefined)])
        if (result !== undefined)
          throw new Error(`it ended with ${result.code}: ${result.stderr}${result.stdout}`)
      }
      return output.stdout
    },
  }
}

/** What a person reads off the start. */
function readStart(text: string) {
  const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? `no ${pattern} in ${text}`
  return {
    base: find(/devdata is ready at (\S+)/),
    docs: find(/docs +(\S+)/),
    viewer: find(/viewer +(\S+)/),
    data: find(/^ +data +(.+)/m),
    userKey: find(/user key (\S+)/),
    adminKey: find(/admin +(\S+)/),
    curl: [...find(/(curl .+)/).matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted ?? ''),
  }
}

async function get(url: string, key: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } })
  return { status: response.status, body: await response.json() }
}

describe.each(runtimes)('a start on %s', (runtime) => {
  let directory: string
  let command: string[]
  beforeAll(async () => {
    await buildDocs({ ifStale: true })
    directory = await mkdtemp(join(tmpdir(), 'devdata-start-'))
    command = listStartCommand(runtime, directory)
    await cp(join(inject('databases').embedded, 'empty'), join(directory, '.data'), { recursive: true })
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test('loads the sample data, prints where to look and two keys that work, and stops when it is told to', async () => {
    const service = start(command, directory, {})
    const first = readStart(await service.ready())
    expect(first).toMatchObject({
      docs: `${first.base}/docs`,
      viewer: `${first.base}/api-docs`,
      data: '.data',
    })

    const [header, url = ''] = first.curl
    expect(header).toBe(`Authorization: Bearer ${first.userKey}`)
    expect(await get(url, first.userKey)).toMatchObject({ status: 200, body: { data: [{}, {}] } })
    expect((await get(`${first.base}/users?per_page=1`, first.userKey)).body).toMatchObject({
      pagination: { has_more: true },
    })
    expect((await get(`${first.base}/admin/keys`, first.adminKey)).status).toBe(200)
    // The docs too are the same on both: parts of a file, and the demo key in the viewer.
    const part = await fetch(`${first.docs}/llms.txt`, {
      headers: { Range: 'bytes=0-8', 'Accept-Encoding': 'identity' },
    })
    expect([part.status, await part.text()]).toEqual([206, '# devdata'])
    const viewer = await fetch(first.viewer)
    expect(await viewer.text()).toContain(`data-demo-key="${first.userKey}"`)
    expect((await fetch(`${first.base}/version`).then((answer) => answer.json())) as unknown).toMatchObject({
      runtime: expect.stringMatching(/^(node v|deno )\d+/),
      dataset: { version: 1 },
    })

    service.stop()
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' })

    const again = start(command, directory, {})
    const second = readStart(await again.ready())
    expect([second.userKey, second.adminKey]).toEqual([first.userKey, first.adminKey])
    expect((await get(`${second.base}/api-key/credits`, second.userKey)).body).toEqual({
      api_key: first.userKey,
      remaining_credits: 9_997,
      role: 'user',
    })
    again.stop()
    expect((await again.ended).code).toBe(0)
  })

  test('says in one line what is wrong, and ends with 1', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const address = blocker.address()
    const taken = String(typeof address === 'object' ? address?.port : '')
    await writeFile(join(directory, 'file'), '')

    for (const [settings, message] of [
      [{ PORT: '70000' }, 'PORT: "70000" is wrong: it must be a whole number from 0 to 65535'],
      [
        { BASE_URL: 'api.example.com' },
        'BASE_URL: "api.example.com" is wrong: it must be an http or https URL',
      ],
      [{ PORT: taken }, 'PORT: another process uses it'],
      [{ HOST: '192.0.2.1' }, 'HOST: it is not an address of this machine'],
      [{ DATA_DIR: 'file' }, "DATA_DIR file can't be created"],
      [{ DATA_DIR: 'file/below' }, "DATA_DIR file/below can't be created"],
    ] as const) {
      const { code, stdout, stderr } = await start(command, directory, settings).ended
      expect([stderr.trim().split('\n'), code, stdout]).toEqual([[expect.stringContaining(message)], 1, ''])
    }
    blocker.close()
  })

  test('refuses a data folder that another process serves', async () => {
    const service = start(command, directory, {})
    await service.ready()
    const { code, stderr } = await start(command, directory, {}).ended
    expect([code, stderr.trim()]).toEqual([
      1,
      'DATA_DIR .data is in use by another devdata process; stop it, or set another DATA_DIR',
    ])
    service.stop()
    await service.ended
  })

  test('loses nothing that was charged when it is killed', async () => {
    const service = start(command, directory, {})
    const { base, userKey } = readStart(await service.ready())
    await Promise.all(
      Array.from({ length: 20 }, (_, page) => get(`${base}/users?per_page=3&page=${page + 1}`, userKey)),
    )
    const before = await get(`${base}/api-key/credits`, userKey)
    for (const child of running) child.kill('SIGKILL')
    await service.ended

    const again = start(command, directory, {})
    const restarted = readStart(await again.ready())
    expect(await get(`${restarted.base}/api-key/credits`, userKey)).toEqual(before)
    again.stop()
    await again.ended
  })

  test('takes settings from .env, and the environment wins', async () => {
    await writeFile(join(directory, '.env'), 'BASE_URL=http://127.0.0.1:1/from-file\nLOG_LEVEL=error\n')
    const service = start(command, directory, { BASE_URL: 'http://127.0.0.1:1/from-environment' })
    expect(readStart(await service.ready()).base).toBe('http://127.0.0.1:1/from-environment')
    service.stop()
    await service.ended
    await rm(join(directory, '.env'))
  })

  test('creates demo keys for a trial alone: they stop working outside of it, and never come back by themselves', async () => {
    const dataDirectory = join(directory, '.data')
    const file = join(dataDirectory, 'demo-keys.json')
    const key = /[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}/
    await rm(dataDirectory, { recursive: true })
    await cp(join(inject('databases').embedded, 'empty'), dataDirectory, { recursive: true })
    /** Starts with settings, looks, and stops. */
    async function look<T>(
      settings: Record<string, string>,
      work: (text: string) => T | Promise<T>,
    ): Promise<T> {
      const service = start(command, directory, { SAMPLE_DATA: 'off', ...settings })
      const result = await work(await service.ready())
      service.stop()
      expect((await service.ended).code).toBe(0)
      return result
    }
    const devdata = (...args: string[]) => runCommand(args, { directory, environment: {} })

    for (const settings of [{ HOST: '0.0.0.0' }, { BASE_URL: 'http://127.0.0.1:1/api' }] as const) {
      const text = await look(settings, (text) => text)
      expect(text).not.toMatch(key)
      expect(text).toContain('keys create --credits')
      expect(existsSync(file)).toBe(false)
    }

    const { userKey, adminKey } = await look({}, readStart)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ user: userKey, admin: adminKey })

    await look({ HOST: '0.0.0.0' }, async (text) => {
      expect(text).toContain('Revoked in this data folder: key 1, key 2')
      expect(text).not.toMatch(key)
      const base = `http://127.0.0.1:${/:(\d+)/.exec(text)?.[1]}`
      for (const secret of [userKey, adminKey]) {
        expect((await get(`${base}/users`, secret)).status).toBe(401)
      }
    })
    expect(await look({}, (text) => text)).not.toMatch(key)

    for (const id of ['1', '2']) expect((await devdata('keys', 'restore', id)).code).toBe(0)
    expect(await look({}, readStart)).toMatchObject({ userKey, adminKey })
    expect((await devdata('keys', 'delete', '2')).code).toBe(0)
    const withoutAdmin = await look({}, (text) => text)
    expect(withoutAdmin).toContain(userKey)
    expect(withoutAdmin).not.toContain(adminKey)
    await rm(file) // a lost file is no reason for new keys
    expect(await look({}, (text) => text)).not.toMatch(key)
  })

  testOnServer('serves a PostgreSQL database, without demo keys', async () => {
    const prepared = await startTestService('postgresql')
    const { secret } = await prepared.createKey({ credits: 5 })
    const service = start(command, directory, {
      DATABASE_URL: prepared.location.databaseUrl ?? '',
      SHUTDOWN_DELAY_SECONDS: '0',
    })
    const text = await service.ready()
    expect(text).not.toContain('user key')
    const { base } = readStart(text)
    expect((await get(`${base}/repos?per_page=5`, secret)).status).toBe(200)
    expect((await get(`${base}/repos?per_page=1`, secret)).body).toEqual({
      error: 'insufficient credits: need 1, have 0',
    })
    service.stop()
    expect((await service.ended).code).toBe(0)
    await prepared.close()
  })
})
