/**
 * The keys that a first start on the embedded database prints. They are made alike on Node and on Deno; `start.test.ts`
 * uses them on both.
 *
 * @module-tag later
 */
import { cpSync, existsSync } from 'node:fs'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { demoCredits, prepareDemoKeys } from '../../api/runtime/trial.ts'
import { runCommand } from '../support/command-line.ts'
import { useService } from '../support/service.ts'
import { getJson, readStart, useStartFolder } from '../support/start.ts'

const { pathOf, start } = useStartFolder('node')

test('demo keys are created for a trial alone, stop working outside of it, and never come back by themselves', async () => {
  const dataDirectory = pathOf('.data')
  const file = join(dataDirectory, 'demo-keys.json')
  const key = /[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}/
  cpSync(join(inject('databases').directory, 'empty'), dataDirectory, { recursive: true })
  /** Starts with settings, looks, and stops. */
  async function look<T>(
    settings: Record<string, string>,
    work: (text: string) => T | Promise<T>,
  ): Promise<T> {
    using service = start({ SAMPLE_DATA: 'off', ...settings })
    const result = await work(await service.ready())
    service.stop()
    expect((await service.ended).code).toBe(0)
    return result
  }
  const devdata = (...args: string[]) => runCommand(args, { directory: pathOf(), environment: {} })

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
    const { base } = readStart(text)
    for (const secret of [userKey, adminKey]) {
      expect((await getJson(`${base}/users`, secret)).status).toBe(401)
    }
  })
  expect(await look({}, (text) => text)).not.toMatch(key)

  for (const id of ['1', '2']) expect((await devdata('keys', 'restore', id)).code).toBe(0)
  expect(await look({}, readStart)).toMatchObject({ userKey, adminKey })
  expect((await devdata('keys', 'delete', '2')).code).toBe(0)
  const withoutAdmin = await look({}, (text) => text)
  expect(withoutAdmin).toContain(userKey)
  expect(withoutAdmin).not.toContain(adminKey)
  await rm(file) // a lost file is not a reason for new keys
  expect(await look({}, (text) => text)).not.toMatch(key)
})

describe('a start that can’t write the file of the demo keys', () => {
  const service = useService('embedded', { data: 'empty' })

  test('creates no keys, and the next start does', async () => {
    const dataDirectory = pathOf('unwritable')
    const config = { dataDirectory, defaultRateLimit: null }
    await expect(prepareDemoKeys(service.sql, config)).rejects.toThrow('ENOENT')
    await mkdir(dataDirectory)
    const { user } = await prepareDemoKeys(service.sql, config)
    expect(await prepareDemoKeys(service.sql, config)).toMatchObject({ user })
    const response = await service.request('/api-key/credits', { key: user })
    expect(response.json()).toMatchObject({ api_key: user, remaining_credits: demoCredits })
  })
})
