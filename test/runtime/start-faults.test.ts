/**
 * Starts that something disturbs: a full disk of the log.
 *
 * @module-tag later
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildDocs } from '../../docs-site/build.ts'
import { fullDevice } from '../support/faults.ts'
import { listStartCommand, runtimes } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

if (fullDevice === undefined) console.warn('skipped: a full disk; this system has no /dev/full')

describe.each(runtimes)('a start on %s', (runtime) => {
  let directory: string
  let command: string[]
  beforeAll(async () => {
    await buildDocs({ ifStale: true })
    directory = await mkdtemp(join(tmpdir(), 'devdata-start-'))
    command = listStartCommand(runtime, directory)
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test.skipIf(fullDevice === undefined).each(['1', '2'])(
    'serves, and stops as always, though the disk is full that file descriptor %s is written to',
    async (descriptor) => {
      const program = await startProgram(
        ['/bin/sh', '-c', `exec "$@" ${descriptor}>${fullDevice}`, 'sh', ...command],
        {
          directory,
          environment: { PORT: '0', DATABASE_URL: '', SAMPLE_DATA: 'off' },
          announcement: /(?:ready at http:\/\/127\.0\.0\.1:|Ready on port )(\d+)/,
        },
      )
      await using _ended = program
      expect((await fetch(`http://127.0.0.1:${program.announced}/docs`)).status).toBe(200)
      expect(await program.stop()).toBe(0)
    },
  )
})
