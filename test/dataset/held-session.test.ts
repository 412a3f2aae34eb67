/**
 * A long load on the embedded database, whose only session it holds.
 *
 * @module-tag later
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { dataFiles } from '../../api/database/data-directory.ts'
import { type Database, openDatabase } from '../../api/database/database.ts'
import { explainWait, holdLivenessLock } from '../../api/staging/liveness-lock.ts'
import { testPool } from '../support/databases.ts'
import { type TestResponse, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

describe('a long load on the embedded database, which has one session', () => {
  const service = useService('embedded', { databaseStatementTimeoutSeconds: 1 }) // requests wait 6 seconds for a statement
  const loader = useStarted(openConnection)

  /** Ends the statement of `holdSession`, which looks for a file in the folder of the database. */
  const release = () => writeFile(join(service.location.dataDirectory, dataFiles.database, 'released'), '')

  /**
   * A long statement of a load: it takes some seconds, or until it is released, and then at most a minute. While it
   * runs, the session doesn't notice which clients have disconnected.
   */
  function holdSession(seconds: number | 'until it is released'): Promise<unknown> {
    if (typeof seconds === 'number') return loader.sql`select pg_sleep(${seconds})`.execute()
    return loader.sql`
      do $$ begin
        for turn in 1..600 loop
          if (pg_stat_file('released', true)).size is not null then return; end if;
          perform pg_sleep(0.1);
        end loop;
        raise exception 'nothing has released the session';
      end $$`.execute()
  }

  test('is named by the error of a request that had no response, and only while it runs', async () => {
    const error = Object.assign(new Error('no response'), { code: 'RESPONSE_TIMEOUT' })
    const end = await holdLivenessLock(loader.sql, 7)
    const explained = await explainWait(service.sql, error)
    expect(explained).toMatchObject({ status: 503, code: 'database_unavailable' })
    expect(String(explained.cause)).toContain('A load is running')
    expect(await explainWait(service.sql, new Error('another'))).toMatchObject({ message: 'another' })
    await end?.()
    expect(await explainWait(service.sql, error)).toBe(error)
  })

  async function openConnection(): Promise<Database> {
    const database = await openDatabase({ ...testPool, ...service.location })
    await database.sql`select 1`
    return database
  }

  test.for([
    ['until all requests have one', 'until it is released'],
    ['nearly as long as requests wait', 5.4],
  ] as const)(
    'lets a request have its response or 503, and pay for a response alone, when it takes %s',
    async ([, seconds]) => {
      const { secret, id } = await service.createKey()
      const fresh = await service.createKey()
      const cached = await service.request('/users?per_page=7', { key: secret })
      const held = holdSession(seconds)
      await sleep(50)
      // Another process, whose statement and connection wait for as long as it takes.
      const command = openConnection()
      let isHeld = true
      const health = (async () => {
        for (; isHeld; await sleep(100)) expect((await service.request('/health')).status).toBe(200)
      })()
      const paths = [
        '/users?per_page=7',
        '/users?page=2',
        '/repos?per_page=5',
        '/users?location=paris',
        '/users/ngoldberg',
      ]
      const responses = await Promise.all([
        ...paths.map((path) => service.request(path, { key: secret })),
        service.request('/users/ngoldberg', { key: fresh.secret }),
      ])
      await release() // the statement of the first case ends only now
      for (const { status, headers } of responses) {
        expect([200, 503]).toContain(status)
        if (status === 503) expect(headers.get('Retry-After')).toBe('5')
      }
      await held
      await (await command).close()
      isHeld = false
      await health

      const costOf = ({ headers }: TestResponse) => Number(headers.get('X-Credits-Cost') ?? 0)
      const again = await service.request('/users?per_page=7', { key: secret })
      expect(again.status).toBe(200)
      expect((await service.request('/health')).status).toBe(200)
      const last = responses.pop()
      const paid = [cached, again, ...responses].reduce((sum, response) => sum + costOf(response), 0)
      expect((await service.readLedger(id)).charged).toBe(paid)
      expect((await service.readLedger(fresh.id)).charged).toBe(last && costOf(last))
    },
  )
})
