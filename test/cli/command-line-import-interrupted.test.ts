/** @module-tag later */
import { beforeAll, expect, test } from 'vitest'
import { changeLock } from '../../api/database/migrate.ts'
import {
  createUserLine,
  finishCommand,
  type Location,
  locationOf,
  runCommand,
  startCommand,
} from '../support/command-line.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('devdata import', (kind) => {
  const service = useService(kind, { data: 'empty' })
  let location: Location
  beforeAll(async () => {
    location = locationOf(service)
  })

  /** The tables in which loads stage what they read. */
  const listStagingTables = () =>
    service.sql`select from pg_class where relname ~ '^import_' and relkind = 'r'`

  /** Starts a load that has staged something, and waits for more. */
  async function startLoad(number: number) {
    const child = startCommand(['import', 'ndjson', '-', '--kind', 'users'], { ...location })
    const ended = finishCommand(child)
    child.stdin.on('error', () => {})
    child.stdin.write(createUserLine(number))
    await expect.poll(async () => (await listStagingTables()).length).toBeGreaterThan(0)
    return { child, ended }
  }

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'changes nothing and leaves nothing when %s ends it',
    async (signal) => {
      const [before] = await service.sql<{ version: number }[]>`select version from dataset`
      const { child, ended } = await startLoad(40)
      child.kill(signal)
      const code = signal === 'SIGINT' ? 130 : 143
      expect(await ended).toEqual({ code, stdout: '', stderr: 'Interrupted\n' })
      const [after] = await service.sql<{ version: number }[]>`select version from dataset`
      expect(after).toEqual(before)
      expect(await listStagingTables()).toHaveLength(0)
      expect(await service.sql`select from imports`).toHaveLength(0)
    },
  )

  test('drops what a killed load left, and nothing of what a living one has staged', async () => {
    const living = await startLoad(41)
    const [one] = await service.sql<{ id: number }[]>`select id from imports`
    const killed = await startLoad(42)
    await expect.poll(async () => (await service.sql`select from imports`).length).toBe(2)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await service.sql`select from imports`).toHaveLength(2)
    expect(
      await runCommand(['import', 'ndjson', '-', '--kind', 'users', '--json'], {
        ...location,
        input: createUserLine(43),
      }),
    ).toMatchObject({ code: 0, stderr: '' })
    expect(await service.sql`select id from imports`).toEqual([one])
    living.child.stdin.end()
    expect(await living.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await listStagingTables()).toHaveLength(0)
    const { secret } = await service.createKey()
    for (const [login, status] of Object.entries({
      'line-user-41': 200,
      'line-user-42': 404,
      'line-user-43': 200,
    })) {
      expect([login, (await service.request(`/users/${login}`, { key: secret })).status]).toEqual([
        login,
        status,
      ])
    }
  })

  test.runIf(kind === 'postgresql')('leaves the server nothing to wait for when it is killed', async () => {
    await service.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${changeLock})`
      const child = startCommand(['import', 'ndjson', '-', '--kind', 'users'], { ...location })
      const ended = finishCommand(child)
      child.stdin.end(createUserLine(44))
      await expect.poll(() => countLockWaits(service.sql)).toBe(1)
      child.kill('SIGKILL')
      await ended
      await expect.poll(() => countLockWaits(service.sql)).toBe(0)
    })
  })
})
