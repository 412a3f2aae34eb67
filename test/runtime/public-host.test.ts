/**
 * A start that other machines can reach says that it needs a `BASE_URL`.
 *
 * @module-tag later
 */
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { buildDocs } from '../../docs-site/build.ts'
import { listStartCommand, runtimes } from '../support/process.ts'
import { startService } from '../support/start.ts'

const message =
  'HOST is 0.0.0.0, which other machines can reach, but BASE_URL is not set: links and docs show whatever host a client ' +
  'names. Set BASE_URL to the public URL'

describe.each(runtimes)('a start on %s', (runtime) => {
  let directory: string
  beforeAll(async () => {
    await buildDocs({ ifStale: true })
    directory = await mkdtemp(join(tmpdir(), 'devdata-public-host-'))
    cpSync(join(inject('databases').embedded, 'empty'), join(directory, '.data'), { recursive: true })
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test.for<[settings: Record<string, string>, isWarned: boolean]>([
    [{ HOST: '0.0.0.0' }, true],
    [{ HOST: '0.0.0.0', BASE_URL: 'http://127.0.0.1:1' }, false],
    [{ HOST: '127.0.0.1' }, false],
  ])('with %j says that BASE_URL is missing: %j', async ([settings, isWarned]) => {
    using service = startService(listStartCommand(runtime, directory), directory, {
      SAMPLE_DATA: 'off',
      LOG_LEVEL: 'warning',
      LOG_FORMAT: 'json',
      ...settings,
    })
    await service.ready()
    service.stop()
    const { stdout } = await service.ended
    expect(stdout.includes(JSON.stringify(message))).toBe(isWarned)
    expect(stdout.includes('BASE_URL')).toBe(isWarned)
  })
})
