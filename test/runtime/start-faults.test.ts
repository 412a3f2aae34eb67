/**
 * Starts that something disturbs: a client that says nothing, a signal, a full disk.
 *
 * @module-tag later
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { fullDevice } from '../support/faults.ts'
import { listStartCommand, runtimes, startInstanceProcess } from '../support/process.ts'
import { startProgram } from '../support/program.ts'
import { getServerUrl, testOnServer } from '../support/server.ts'
import { useStartFolder } from '../support/start.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

if (fullDevice === undefined) console.warn('skipped: a full disk; this system has no /dev/full')

describe.each(runtimes)('a start on %s', (runtime) => {
  const { pathOf, start } = useStartFolder(runtime)

  testOnServer(
    'that fails says why and ends with 1, though a client is connected that sends nothing',
    async () => {
      let isShut = true
      await using proxy = await startTcpProxy(
        getServerUrl(),
        ({ client, database }) => client.pipe(database).pipe(client),
        () => isShut,
      )
      const absent = new URL(getServerUrl())
      absent.pathname = '/absent'
      await using instance = await startInstanceProcess(
        proxy.urlOf(absent.href),
        {},
        { runtime, until: 'listening' },
      )
      const client = connect(Number(new URL(instance.url).port), '127.0.0.1').on('error', () => {})
      await once(client, 'connect')
      isShut = false
      await expect.poll(instance.isRunning).toBe(false)
      client.destroy()
      expect(instance.readLog()).toContain('DATABASE_URL: the database refused access: database "absent"')
      expect(await instance.stop()).toBe(1)
    },
  )

  test('stops on SIGTERM while it creates the database, and the next start creates it', async () => {
    using service = start({ SAMPLE_DATA: 'off' })
    await expect.poll(() => existsSync(pathOf('.data/database.new/base')), { interval: 5 }).toBe(true)
    service.stop()
    const { code, stdout, stderr } = await service.ended
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.match(/"message":".*?"/g)).toEqual([
      '"message":"Stopping after SIGTERM"',
      '"message":"Stopped"',
    ])
    expect(existsSync(pathOf('.data/database'))).toBe(false)

    using again = start({ SAMPLE_DATA: 'off' })
    await again.ready()
    again.stop()
    expect((await again.ended).code).toBe(0)
  })

  test.skipIf(fullDevice === undefined).each(['1', '2'])(
    'serves, and stops as always, though the disk is full that file descriptor %s is written to',
    async (descriptor) => {
      const program = await startProgram(
        [
          '/bin/sh',
          '-c',
          `exec "$@" ${descriptor}>${fullDevice}`,
          'sh',
          ...listStartCommand(runtime, pathOf()),
        ],
        {
          directory: pathOf(),
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
