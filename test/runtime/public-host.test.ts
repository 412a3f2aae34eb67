/**
 * A start that other machines can reach says that it needs a `BASE_URL`.
 *
 * @module-tag later
 */
import { describe, expect, test } from 'vitest'
import { runtimes, startInstanceProcess } from '../support/process.ts'

const message =
  'HOST is 0.0.0.0, which other machines can reach, but BASE_URL is not set: links and docs show whatever host a client ' +
  'names. Set BASE_URL to the public URL'

describe.each(runtimes)('a start on %s', (runtime) => {
  test.for<[settings: Record<string, string>, isWarned: boolean]>([
    [{ HOST: '0.0.0.0' }, true],
    [{ HOST: '0.0.0.0', BASE_URL: 'http://127.0.0.1:1' }, false],
    [{ HOST: '127.0.0.1' }, false],
  ])('with %j says that BASE_URL is missing: %j', async ([settings, isWarned]) => {
    // It says so before it waits for its database, which isn't there.
    await using instance = await startInstanceProcess(
      'postgres://127.0.0.1:1/none',
      { LOG_LEVEL: 'warning', LOG_FORMAT: 'json', ...settings },
      { runtime, until: 'listening' },
    )
    expect(instance.readLog().includes(JSON.stringify(message))).toBe(isWarned)
    expect(instance.readLog().includes('BASE_URL')).toBe(isWarned)
  })
})
