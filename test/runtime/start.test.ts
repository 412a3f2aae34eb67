/** @module-tag longest */
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import * as v from 'valibot'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { runtimes } from '../support/process.ts'
import { testOnServer } from '../support/server.ts'
import { startTestService } from '../support/service.ts'
import { getJson, readStart, useStartFolder } from '../support/start.ts'

const lineSchema = v.object({ time: v.string(), level: v.string(), message: v.string() })

describe.each(runtimes)('a start on %s', (runtime) => {
  const { pathOf, start } = useStartFolder(runtime)
  beforeAll(() => cpSync(join(inject('databases').directory, 'empty'), pathOf('.data'), { recursive: true }))

  test('loads the sample data, prints where to look and two keys that work, and stops on SIGTERM', async () => {
    using service = start()
    const first = readStart(await service.ready())
    expect(first).toMatchObject({
      docs: `${first.base}/docs`,
      viewer: `${first.base}/api-docs`,
      data: '.data',
    })

    const [header, url = ''] = first.curl
    expect(header).toBe(`Authorization: Bearer ${first.userKey}`)
    expect(await getJson(url, first.userKey)).toMatchObject({ status: 200, body: { data: [{}, {}] } })
    expect((await getJson(`${first.base}/users?per_page=1`, first.userKey)).body).toMatchObject({
      pagination: { has_more: true },
    })
    expect((await getJson(`${first.base}/admin/keys`, first.adminKey)).status).toBe(200)
    // The docs, too, are the same on both: their files, and the demo key beside the viewer.
    const index = await fetch(`${first.docs}/llms.txt`)
    expect([index.status, await index.text()]).toEqual([200, expect.stringMatching(/^# devdata\n/)])
    const viewer = await fetch(first.viewer)
    expect(viewer.headers.get('x-demo-key')).toBe(first.userKey)
    expect(
      (await fetch(`${first.base}/version`).then((response) => response.json())) as unknown,
    ).toMatchObject({
      runtime: expect.stringMatching(/^(node v|deno )\d+/),
      dataset: { version: 1 },
    })

    service.stop()
    const { code, stdout, stderr } = await service.ended
    expect(code).toBe(0)
    // Standard output isn't a terminal, so a program reads it: it has only the log, without keys.
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => v.parse(lineSchema, JSON.parse(line)).message)
    expect(messages[0]).toBe('Loading the sample data (once)')
    expect(messages).toContain(`Ready on port ${new URL(first.base).port}`)
    expect(messages.at(-1)).toBe('Stopped')
    expect([first.userKey, first.adminKey].filter((key) => stdout.includes(key))).toEqual([])
    expect(readStart(stderr)).toEqual(first)

    using again = start()
    const second = readStart(await again.ready())
    expect([second.userKey, second.adminKey]).toEqual([first.userKey, first.adminKey])
    expect((await getJson(`${second.base}/api-key/credits`, second.userKey)).body).toEqual({
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
    await writeFile(pathOf('file'), '')

    const wrong: [settings: Record<string, string>, message: string][] = [
      [{ PORT: '70000' }, 'PORT "70000" is invalid: it must be a whole number from 0 to 65535'],
      [
        { BASE_URL: 'api.example.com' },
        'BASE_URL "api.example.com" is invalid: it must be an http or https URL',
      ],
      [{ PORT: taken }, 'PORT is in use by another process'],
      [{ HOST: '192.0.2.1' }, 'HOST is not an address of this machine'],
      [{ DATA_DIR: 'file' }, "DATA_DIR file can't be created"],
      [{ DATA_DIR: 'file/below' }, "DATA_DIR file/below can't be created"],
    ]
    for (const [settings, message] of wrong) {
      const { code, stdout, stderr } = await start(settings).ended
      expect([stderr.trim().split('\n'), code, stdout]).toEqual([[expect.stringContaining(message)], 1, ''])
    }
    blocker.close()
  })

  test('refuses a data folder that another process serves, and loses nothing that was charged when it is killed', async () => {
    using service = start()
    const { base, userKey } = readStart(await service.ready())
    const refused = await start().ended
    expect([refused.code, refused.stderr.trim()]).toEqual([
      1,
      'DATA_DIR .data is in use by another devdata process; stop it, or set another DATA_DIR',
    ])
    await Promise.all(
      Array.from({ length: 20 }, (_, page) => getJson(`${base}/users?per_page=3&page=${page + 1}`, userKey)),
    )
    const before = await getJson(`${base}/api-key/credits`, userKey)
    service.kill()
    await service.ended

    using again = start()
    const restarted = readStart(await again.ready())
    expect(await getJson(`${restarted.base}/api-key/credits`, userKey)).toEqual(before)
    again.stop()
    await again.ended
  })

  test('prints all of it on standard output if the log is for people', async () => {
    using service = start({ LOG_FORMAT: 'pretty' })
    const first = readStart(await service.ready())
    expect((await getJson(`${first.base}/users?per_page=1`, first.userKey)).status).toBe(200)
    service.stop()
    const { code, stdout, stderr } = await service.ended
    expect([code, stderr, readStart(stdout)]).toEqual([0, '', first])
    expect(stdout).not.toContain('Ready on port')
  })

  test('takes settings from .env, where it finds misspelled names, and the environment wins', async () => {
    await writeFile(
      pathOf('.env'),
      '\uFEFFBASE_URL=http://127.0.0.1:1/from-file\nLOG_LEVEL=warning\nPORTS=1\nLISTEN=0.0.0.0\n',
    )
    using service = start({ BASE_URL: 'http://127.0.0.1:1/from-environment' })
    expect(readStart(await service.ready()).base).toBe('http://127.0.0.1:1/from-environment')
    service.stop()
    const { stdout } = await service.ended
    expect(stdout.match(/"message":".*?"/g)).toEqual([
      '"message":"PORTS in .env is not a setting; did you mean PORT?"',
      expect.stringContaining(
        '"message":"Demo keys work only in a trial on this machine. Revoked in this data folder: key 1, key 2.',
      ),
      '"message":"/docs is 503, because the documentation is not built for http://127.0.0.1:1/from-environment; run: npm run docs"',
    ])
    await writeFile(pathOf('.env'), 'DATABSE_URL=hunter2\n')
    const { code, stderr } = await start().ended
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^DATABSE_URL is not a setting; did you mean DATABASE_URL\?/),
    ])
    await rm(pathOf('.env'))
  })

  testOnServer('serves a PostgreSQL database, without demo keys', async () => {
    const prepared = await startTestService('postgresql')
    const { secret } = await prepared.createKey({ credits: 5 })
    using service = start({
      DATABASE_URL: prepared.location.databaseUrl ?? '',
      SHUTDOWN_DELAY_SECONDS: '0',
    })
    const text = await service.ready()
    expect(text).not.toContain('user key')
    const { base } = readStart(text)
    expect((await getJson(`${base}/repos?per_page=5`, secret)).status).toBe(200)
    expect((await getJson(`${base}/repos?per_page=1`, secret)).body).toEqual({
      error: 'insufficient credits: need 1, have 0',
    })
    service.stop()
    expect((await service.ended).code).toBe(0)
    await prepared.close()
  })
})
