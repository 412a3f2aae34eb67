import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readDataset } from '../../../api/catalog/dataset.ts'
import { selectTime } from '../../../api/database/connect.ts'
import { changeLock } from '../../../api/database/migrate.ts'
import { applyImport } from '../../../api/dataset/apply-load.ts'
import { importNdjson } from '../../../api/sources/ndjson/import.ts'
import { parseItem } from '../../../api/staging/records.ts'
import { beginStaging } from '../../../api/staging/staging.ts'
import { type Item, readFilters } from '../../support/catalog.ts'
import { openSameDatabase } from '../../support/instance.ts'
import { readListResponse } from '../../support/list-response.ts'
import { countLockWaits } from '../../support/lock-waits.ts'
import { createAdmin, createSource, type Load, load, toLines } from '../../support/ndjson.ts'
import { createCommit, createRepository, createUser, testOrigin } from '../../support/records.ts'
import { testOnServer } from '../../support/server.ts'
import { describeOnEachDatabase, startTestService, useService } from '../../support/service.ts'

testOnServer('a load dates the data to its own end, though it has waited for another one', async () => {
  const service = await startTestService('postgresql', { data: 'empty' })
  const other = await openSameDatabase(service)
  try {
    const { loading, released } = await other.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${changeLock})`
      const loading = load(service, { users: [createUser(1)] })
      while ((await countLockWaits(tx)) === 0) await sleep(20)
      const [clock] = await tx<{ released: string }[]>`
        select ${selectTime(tx, tx`clock_timestamp()`)} as released`
      return { loading, released: clock?.released }
    })
    await loading
    const { updated_at } = await readDataset(service.sql)
    expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(released ?? ''))
  } finally {
    await other.close()
    await service.close()
  }
})

describeOnEachDatabase('a load beside another one', (kind) => {
  test('keeps what the other has staged; on a server, it says that it waits', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const steps = new Set<string>()
    const { promise: waits, resolve: noteWait } = Promise.withResolvers<void>()
    const staging = await beginStaging(service.sql)
    await staging.add(0, parseItem('users', JSON.stringify(createUser(1))))
    await staging.flush()
    const loadSecond = () =>
      importNdjson(service.sql, {
        sources: [createSource('users', toLines([createUser(2)]))],
        onProgress({ step }) {
          steps.add(step)
          if (step === 'waiting for another load') noteWait()
        },
      })
    if (kind === 'embedded') {
      await loadSecond() // whatever waits there waits for the session
    } else {
      const second = await service.sql.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(${changeLock})`
        const loading = loadSecond()
        await waits
        return { loading }
      })
      await second.loading
    }
    await applyImport(service.sql, staging.id, { origin: testOrigin })
    await staging.end()
    const waiting = kind === 'embedded' ? [] : ['waiting for another load']
    expect([...steps]).toEqual(['reading users', ...waiting, 'applying'])
    const { data } = readListResponse(await service.request('/users', { key: await createAdmin(service) }))
    expect(data.map(({ login }) => login).sort()).toEqual(['user-1', 'user-2'])
    await service.close()
  })
})

describeOnEachDatabase('a load beside readers', (kind) => {
  const service = useService(kind, { key: { role: 'admin' }, data: 'empty' })
  const people = 250

  /** Everything says which generation it is of; each brings something that was not there, too. */
  function createGeneration(generation: number): Load {
    const url = 'https://forge.example/r/1'
    const author = `author-${generation}@example.org`
    return {
      users: Array.from({ length: people + generation }, (_, index) =>
        createUser(index + 1, {
          bio: `generation ${generation}`,
          location: `Place ${generation}`,
          email: index < 10 ? author : null,
        }),
      ),
      repos: Array.from({ length: 120 + generation }, (_, index) =>
        createRepository(index + 1, `user-${index + 1}`, [`package-${generation}`], {
          description: `generation ${generation}`,
        }),
      ),
      commits: Array.from({ length: 50 + generation }, (_, index) => ({
        ...createCommit(index + 1, url, author, index),
        message: `generation ${generation}`,
      })),
    }
  }

  test('shows them the data before it or after it, never a mixture, and no error', async () => {
    await load(service, createGeneration(1))
    const newest = 6
    let isLoading = true
    const reads: Record<string, number> = {}

    /** Reads one list again and again; it must be of one generation, and never of an older one than before. */
    async function readInLoop(path: string, check: (items: Item[], total: number) => number): Promise<void> {
      let last = 1
      while (isLoading) {
        const { data, total } = readListResponse(await service.request(path, { key: service.key }))
        const generation = check(data, total)
        expect([path, generation]).toEqual([path, Math.max(generation, last)])
        last = generation
        reads[path] = (reads[path] ?? 0) + 1
      }
    }
    /** The one generation that all items are of, by a text field. */
    function generationOf(items: readonly Item[], field: string): number {
      const generations = new Set(items.map((item) => item[field]))
      expect(generations.size).toBe(1)
      return Number(String([...generations][0]).replace('generation ', ''))
    }

    const readers = [
      readInLoop('/users?per_page=100&page=3', (items, total) => {
        const generation = generationOf(items, 'bio')
        expect([total, items.length]).toEqual([people + generation, people + generation - 200])
        return generation
      }),
      readInLoop('/repos?per_page=100', (items, total) => {
        const generation = generationOf(items, 'description')
        expect(total).toBe(120 + generation)
        for (const { dependencies } of items) {
          expect(dependencies).toMatchObject([{ dependency: { dependency_name: `package-${generation}` } }])
        }
        return generation
      }),
      readInLoop('/repos/user-1/repo-1/commits?per_page=100', (items, total) => {
        const generation = generationOf(items, 'message')
        expect([total, items.length]).toEqual([50 + generation, 50 + generation])
        return generation
      }),
      readInLoop(
        `/users?per_page=100&dependency_names=${Array.from({ length: newest }, (_, index) => `package-${index + 1}`)}`,
        (items, total) => {
          const generation = generationOf(items, 'bio')
          expect(total).toBe(120 + generation)
          return generation
        },
      ),
      readInLoop('/users?per_page=100&location=place', (items, total) => {
        const generation = generationOf(items, 'bio')
        expect(total).toBe(people + generation)
        return generation
      }),
    ]
    const loading = (async () => {
      try {
        for (let generation = 2; generation <= newest; generation++)
          await load(service, createGeneration(generation))
      } finally {
        isLoading = false
      }
    })()
    await Promise.all([...readers, loading])
    expect(Object.keys(reads)).toHaveLength(readers.length)
    const { data } = readListResponse(await service.request('/users', { key: service.key }))
    expect(data[0]).toMatchObject({ bio: `generation ${newest}` })
    expect(await readFilters(service, service.key, ['package-1', `package-${newest}`])).toMatchObject({
      'package-1': { users: [], repos: [] },
    })
  })
})
