/**
 * `devdata import github` killed at random points, and started again until it ends.
 *
 * @module-tag longest
 */
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Sql } from '../../../api/database/connect.ts'
import { openDatabase } from '../../../api/database/database.ts'
import { exportNdjson } from '../../../api/sources/ndjson/export.ts'
import { createRandom } from '../../../sample/random.ts'
import { finishCommand, locationOf, startCommand } from '../../support/command-line.ts'
import { testPool } from '../../support/databases.ts'
import { isDrill, seed } from '../../support/drill.ts'
import { createFolder, readFiles } from '../../support/export-folder.ts'
import { startTestForge } from '../../support/github-import.ts'
import { describeOnOneDatabase, startTestService, type TestService } from '../../support/service.ts'
import { useStarted } from '../../support/suite.ts'

const kills = isDrill ? 25 : 3

describeOnOneDatabase('An import that is killed', (kind) => {
  const fake = useStarted(() => startTestForge({ repositories: 14 }))

  function start({ location }: { location: ReturnType<typeof locationOf> }, clones: string, batch: string[]) {
    const { apiUrl } = fake.forge
    const args = ['acme-works', '--api', apiUrl, '--clones', clones, '--concurrency', '1', ...batch]
    const { environment, directory } = location
    return startCommand(['import', 'github', ...args, '--json'], {
      environment: { ...environment, GITHUB_TOKEN: fake.addToken() },
      directory,
    })
  }

  /** Requests since the last time: queries, and begun fetches. */
  function takeRequests(): { queries: number; fetches: number } {
    const requests = fake.forge.requests.splice(0)
    const count = (is: (request: (typeof requests)[number]) => boolean) => requests.filter(is).length
    return {
      queries: count((request) => request.kind === 'query'),
      fetches: count(({ kind: each, what }) => each === 'git' && what.endsWith('info/refs')),
    }
  }

  /** An empty dataset with a key that has been charged, which nobody runs. */
  async function createDataset() {
    const service = await startTestService(kind, { data: 'empty' })
    const { secret } = await service.createKey()
    await service.request('/users/nobody', { key: secret })
    const ledger = await readLedger(service.sql)
    const location = locationOf(service)
    await service.stop()
    return { service, location, ledger }
  }

  async function readLedger(sql: Sql) {
    return {
      entries: await sql`select to_json(l) as entry from ledger l order by api_key_id, position`,
      balances: await sql`select * from balances order by 1`,
      keys: await sql`select id, role from api_keys order by id`,
    }
  }

  /** Reads what an import left, and removes the database. */
  async function readRemains(service: TestService) {
    const database = await openDatabase({ ...testPool, ...service.location })
    try {
      await using folder = await createFolder()
      await exportNdjson(database.sql, folder.path)
      const staging = await database.sql`
        select relname from pg_class where relname ~ '^import_' and relkind = 'r'`
      return {
        files: await readFiles(folder.path),
        staging: [...staging, ...(await database.sql`select id from imports`)],
        ledger: await readLedger(database.sql),
      }
    } finally {
      await database.close()
      await service.close()
    }
  }

  test.each([
    { name: 'loads the same', batch: [] },
    { name: 'in batches loads the same', batch: ['--batch', '3'] },
  ])(
    `${kills} times at random, and started again, $name and repeats at most what was under way`,
    async ({ name, batch }) => {
      console.info(`TEST_SEED=${seed}`)
      const random = createRandom(`${seed} ${kind} ${name}`)
      const undisturbed = await createDataset()
      const folder = `${fake.clones}-${batch.join('')}`
      const startedAt = performance.now()
      const { code } = await finishCommand(start(undisturbed, folder, batch))
      expect(code).toBe(0)
      const durationMs = performance.now() - startedAt
      const once = takeRequests()
      const { files } = await readRemains(undisturbed.service)

      const figures = { kills: 0, imports: 0, repeated: { queries: 0, fetches: 0 } }
      while (figures.kills < kills) {
        const dataset = await createDataset()
        const clones = `${folder}-${++figures.imports}`
        const killsBefore = figures.kills
        for (let hasEnded = false; !hasEnded; ) {
          const child = start(dataset, clones, batch)
          const ended = finishCommand(child)
          const timer = new AbortController()
          const killing = sleep(random.integer(0, Math.ceil(durationMs)), true, {
            signal: timer.signal,
          }).catch(() => false)
          const isKilled = figures.kills < kills && (await Promise.race([killing, ended.then(() => false)]))
          timer.abort()
          if (isKilled) child.kill('SIGKILL')
          const result = await ended
          for (const token of fake.forge.tokens.values()) token.forgetNotices()
          hasEnded = result.code === 0
          if (hasEnded) continue
          expect([result.code, result.stderr]).toEqual([null, ''])
          figures.kills++
        }
        const { queries, fetches } = takeRequests()
        const repeated = { queries: queries - once.queries, fetches: fetches - once.fetches }
        expect(repeated.queries).toBeLessThanOrEqual(figures.kills - killsBefore)
        expect(repeated.fetches).toBeLessThanOrEqual(figures.kills - killsBefore)
        figures.repeated.queries += repeated.queries
        figures.repeated.fetches += repeated.fetches
        const remains = await readRemains(dataset.service)
        expect(remains.files).toEqual(files)
        expect(remains.staging).toEqual([])
        expect(remains.ledger).toEqual(dataset.ledger)
        expect(await readdir(clones)).not.toContain('import.journal')
      }
      console.info(JSON.stringify({ kind, name, durationMs: Math.round(durationMs), once, ...figures }))
    },
  )
})
