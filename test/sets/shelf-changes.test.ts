/** Small sets share rows, and leave them when they grow (api/sets/set-encoding.ts). */
import { expect, test } from 'vitest'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { maxShelvedIds } from '../../api/sets/set-encoding.ts'
import { readListResponse } from '../support/list-response.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('a small set', (kind) => {
  const service = useService(kind, { each: true, key: { role: 'admin' }, data: 'empty' })

  /** Loads users of a place from a number on. */
  const settle = (first: number, count: number, location = 'Ulm') =>
    loadRecords(service.sql, {
      users: Array.from({ length: count }, (_, index) => createUser(first + index, { location })),
    })

  /** The total of a list, once all sets agree with the rows. */
  async function count(query: string): Promise<number> {
    expect((await verifySets(service.sql, 'all')).faults).toEqual([])
    return readListResponse(await service.request(query, { key: service.key })).total
  }

  async function readShelved(): Promise<readonly unknown[]> {
    return service.sql`
      select location_key as term, users_on_shelf as users, null as repositories from locations
      union all
      select name, users_on_shelf, repositories_on_shelf from dependencies where name <> '' order by term`
  }

  test('has its members, also while it leaves its shelf, and until none is left', async () => {
    const place = (isOnShelf: boolean) => [{ term: 'ULM', users: isOnShelf, repositories: null }]
    await settle(1, maxShelvedIds - 1)
    await settle(101, 1)
    expect(await count('/users?location=ulm')).toBe(maxShelvedIds)
    expect(await readShelved()).toEqual(place(true))
    // Two come and one moves away, in one load.
    await loadRecords(service.sql, {
      users: [
        createUser(1, { location: 'Bonn' }),
        createUser(102, { location: 'Ulm' }),
        createUser(103, { location: 'Ulm' }),
      ],
    })
    expect(await count('/users?location=ulm')).toBe(maxShelvedIds + 1)
    expect(await readShelved()).toEqual([{ term: 'BONN', users: true, repositories: null }, ...place(false)])
    await settle(1, maxShelvedIds + 1, 'Bonn')
    expect(await count('/users?location=bonn')).toBe(maxShelvedIds + 1)
    await removeRows(service.sql, { users: Array.from({ length: 200 }, (_, index) => index + 1) })
    expect(await count('/users?location=bonn')).toBe(0)
    expect(await readShelved()).toEqual([])
  })

  test('is forgotten with its place once its last user has moved', async () => {
    await settle(1, 1)
    await settle(1, 1, 'Bonn')
    expect(await count('/users?location=ulm')).toBe(0)
    expect(await readShelved()).toEqual([{ term: 'BONN', users: true, repositories: null }])
  })

  test('of repositories leaves its shelf alone: that of the users stays', async () => {
    const repos = Array.from({ length: maxShelvedIds + 1 }, (_, index) =>
      createRepository(index + 1, 'user-1', ['common', `rare-${index}`]),
    )
    await loadRecords(service.sql, { users: [createUser(1)], repos })
    expect(await count('/repos?dependency_names=common')).toBe(maxShelvedIds + 1)
    expect(await count('/users?dependency_names=common')).toBe(1)
    expect(await count('/repos?dependency_names=rare-3')).toBe(1)
    expect(await readShelved()).toContainEqual({ term: 'common', users: true, repositories: false })
    expect(await readShelved()).toContainEqual({ term: 'rare-3', users: true, repositories: true })
  })
})
