/** Notices about keys and loads: which there are, and who may send them when (decisions/0007-operations.md). */
import { beforeEach, expect, test } from 'vitest'
import { changeKey, grantCredits } from '../../api/ledger/keys.ts'
import {
  type ClaimedNotice,
  claimNotices,
  listNotices,
  noteDelivery,
  noteFailure,
} from '../../api/ledger/webhook-notices.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

describeOnEachDatabase('notices', (kind) => {
  const service = useService(kind, { each: true })
  beforeEach(async () => {
    await service.sql`delete from notices` // of the load of the sample data
  })

  const spend = async (key: string, count: number) =>
    (await service.request(`/users?per_page=${count}`, { key })).status
  /** The notices of a key, oldest first: kind and balance. */
  async function readNotices(id: number) {
    const all = await listNotices(service.sql, 1_000)
    return all
      .filter(({ key_id }) => key_id === id)
      .reverse()
      .map(({ kind: name, data }) => [name, data.remaining_credits])
  }
  const claimIds = async (max = 100) => (await claimNotices(service.sql, max)).map(({ id }) => id)
  /** Sets the clock forward for all notices, or back. */
  const shiftClock = (hours: number) => service.sql`
    update notices set next_attempt_at = next_attempt_at - make_interval(hours => ${hours}),
      created_at = created_at - make_interval(hours => ${hours})`

  test('say once that a charge has taken a balance below its threshold, and that it has taken it to 0', async () => {
    const { id, secret } = await service.createKey({ credits: 20, notifyBelow: 10, name: 'Ada' })
    expect(await spend(secret, 10)).toBe(200) // 10: not below
    expect(await readNotices(id)).toEqual([])
    await spend(secret, 3)
    await spend(secret, 3)
    expect(await readNotices(id)).toEqual([['key.low', 7]])
    expect(await spend(secret, 5)).toBe(403) // refused: nothing changes
    await spend(secret, 4)
    expect(await readNotices(id)).toEqual([
      ['key.low', 7],
      ['key.exhausted', 0],
    ])
    await grantCredits(service.sql, id, 5) // still low
    await spend(secret, 1)
    await grantCredits(service.sql, id, 6)
    await spend(secret, 10) // both at once
    expect(await readNotices(id)).toEqual([
      ['key.low', 7],
      ['key.exhausted', 0],
      ['key.low', 0],
      ['key.exhausted', 0],
    ])
    const [notice] = (await listNotices(service.sql, 1_000)).filter(({ key_id }) => key_id === id).reverse()
    expect(notice).toMatchObject({
      state: 'waiting',
      attempts: 0,
      last_error: null,
      data: { key_id: id, key_name: 'Ada', remaining_credits: 7, notify_below: 10, entry: 3 },
    })
  })

  test('are none about keys without a threshold until they are exhausted, and none about grants and admins', async () => {
    const { id, secret } = await service.createKey({ credits: 5 })
    await spend(secret, 4)
    await grantCredits(service.sql, id, -1)
    expect(await readNotices(id)).toEqual([])
    await grantCredits(service.sql, id, 1)
    await spend(secret, 1)
    expect(await readNotices(id)).toEqual([['key.exhausted', 0]])
    const admin = await service.createKey({ role: 'admin', credits: 0, notifyBelow: 10 })
    await spend(admin.secret, 5)
    expect(await readNotices(admin.id)).toEqual([])
    const later = await service.createKey({ credits: 5 })
    await changeKey(service.sql, later.id, { notifyBelow: 10 }) // it is below already: nothing crosses it
    await spend(later.secret, 1)
    expect(await readNotices(later.id)).toEqual([])
  })

  test('are one for many concurrent charges', async () => {
    const { id, secret } = await service.createKey({ credits: 100, notifyBelow: 50 })
    const statuses = await Promise.all(Array.from({ length: 60 }, () => spend(secret, 2)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(50)
    expect(await readNotices(id)).toEqual([
      ['key.low', 48],
      ['key.exhausted', 0],
    ])
  })

  test('are none of a charge that is repeated under its Idempotency-Key', async () => {
    const { id, secret } = await service.createKey({ credits: 10, notifyBelow: 10 })
    const headers = { 'Idempotency-Key': 'once' }
    for (let time = 0; time < 3; time++) await service.request('/users?per_page=2', { key: secret, headers })
    expect(await readNotices(id)).toEqual([['key.low', 8]])
  })

  test('say that a load was applied', async () => {
    await loadRecords(service.sql, { users: [createUser(9_100_001)] })
    const [load] = await listNotices(service.sql, 1)
    expect(load).toMatchObject({
      kind: 'load.applied',
      key_id: null,
      data: { command: expect.any(String), source: expect.any(String), dataset_version: expect.any(Number) },
    })
  })

  /** Makes a key with this many notices, and returns their ids. */
  async function createNotices(count: number): Promise<number[]> {
    const { id, secret } = await service.createKey({ credits: count })
    for (let number = 1; number <= count; number++) {
      await grantCredits(service.sql, id, -count + 1)
      await spend(secret, 1)
      await grantCredits(service.sql, id, count)
    }
    const all = await listNotices(service.sql, 1_000)
    return all.flatMap((notice) => (notice.key_id === id ? [notice.id] : [])).reverse()
  }

  test('are sent in the order of their key, each by one instance at a time', async () => {
    const one = await createNotices(3)
    const other = await createNotices(2)
    const claims = await Promise.all(Array.from({ length: 10 }, () => claimIds()))
    expect(claims.flat().sort((a, b) => a - b)).toEqual([one[0], other[0]])
    expect(await claimIds()).toEqual([])
    await noteDelivery(service.sql, { id: one[0] ?? 0 })
    expect(await claimIds()).toEqual([one[1]])
    await shiftClock(1) // the instance was killed
    expect((await claimIds()).sort((a, b) => a - b)).toEqual([one[1], other[0]])
  })

  test('wait longer after each failure, and are given up after 24 hours, but not because of a clock or a crash', async () => {
    const [id = 0] = await createNotices(1)
    const read = async () => (await listNotices(service.sql, 1))[0]
    const claim = async () => (await claimNotices(service.sql, 1))[0] as ClaimedNotice
    const waits: number[] = []
    for (let attempts = 1; attempts <= 18; attempts++) {
      const notice = await claim()
      expect(notice).toMatchObject({ id, attempts })
      await noteFailure(service.sql, notice, 'no')
      const [row] = await service.sql<{ seconds: number }[]>`
        select round(extract(epoch from next_attempt_at - now()))::integer as seconds from notices where id = ${id}`
      waits.push(row?.seconds ?? 0)
      await service.sql`update notices set next_attempt_at = now() where id = ${id}`
    }
    expect(waits.slice(0, 8)).toEqual([5, 20, 80, 320, 1_280, 5_120, 7_200, 7_200])
    expect(await read()).toMatchObject({ state: 'waiting', attempts: 18, last_error: 'no' }) // it is young
    await shiftClock(-30)
    const early = await claim() // from the future, because the clock was set back
    await noteFailure(service.sql, early, 'no')
    expect(await read()).toMatchObject({ state: 'waiting', attempts: 19 })
    await shiftClock(30 + 25)
    const late = await claim()
    await noteFailure(service.sql, { ...late, attempts: late.attempts - 1 }, 'of an attempt before')
    expect(await read()).toMatchObject({ state: 'waiting', last_error: 'no' })
    await noteFailure(service.sql, late, 'no')
    expect(await read()).toMatchObject({ state: 'given_up', next_attempt_at: null })
    expect(await claimIds()).toEqual([])
  })

  test('wait for a week, a day longer once they were attempted, and are deleted then', async () => {
    const [delivered = 0, attempted = 0, unattempted = 0] = await createNotices(3)
    await noteDelivery(service.sql, { id: delivered })
    await service.sql`update notices set attempts = 1 where id = ${attempted}`
    const readStates = async () => (await listNotices(service.sql, 100)).map(({ id, state }) => [id, state])
    await shiftClock(7 * 24 + 1)
    expect(await claimIds()).toEqual([attempted])
    expect(await readStates()).toEqual([
      [unattempted, 'given_up'],
      [attempted, 'waiting'],
      [delivered, 'delivered'],
    ])
    await shiftClock(24)
    expect(await claimIds()).toEqual([])
    const [next] = await createNotices(1)
    expect(await readStates()).toEqual([[next, 'waiting']])
    await shiftClock(9 * 24)
    await loadRecords(service.sql, { users: [createUser(9_100_002)] })
    expect((await listNotices(service.sql, 100)).map(({ kind }) => kind)).toEqual(['load.applied'])
  })
})
