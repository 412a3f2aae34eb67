import { expect, test } from 'vitest'
import { grantCredits } from '../../api/ledger/keys.ts'
import { readData, readPrice, useTwoInstances } from '../support/idempotency.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase } from '../support/service.ts'

describeOnOneDatabase('a repetition', (kind) => {
  const { service, other, ask } = useTwoInstances(kind)

  let towns = 0
  /** Creates a location with a list of its users, and a function that sets their number. */
  function createTown() {
    const town = `Repetition-${++towns}`
    const users = Array.from({ length: 100 }, (_, index) => createUser(towns * 1000 + index))
    return {
      path: `/users?location=${town}&per_page=100`,
      settle: (count: number) =>
        loadRecords(service.sql, {
          users: users.map((user, index) => ({ ...user, location: index < count ? town : 'elsewhere' })),
        }),
    }
  }

  test('costs the difference to the credits already paid, and the differences add up', async () => {
    const { secret, id } = await service.createKey({ credits: 1_000 })
    const { path, settle } = createTown()
    const paid: number[] = []
    for (const count of [1, 100, 100, 40, 100, 0, 100]) {
      await settle(count)
      const response = await ask(secret, path, 'growing', {
        through: paid.length % 2 === 0 ? service : other,
      })
      const { cost, status, remaining, isReplayed } = readPrice(response)
      expect([status, isReplayed]).toEqual([200, paid.length > 0])
      expect(readData(response)).toHaveLength(count)
      paid.push(cost)
      expect(remaining).toBe(1_000 - paid.reduce((sum, each) => sum + each))
    }
    expect(paid).toEqual([1, 99, 0, 0, 0, 0, 0])
    const entries = await service.sql`
      select cost, items from ledger where api_key_id = ${id} and kind = 'charge' order by position`
    expect(entries).toEqual([
      { cost: 1, items: 1 },
      { cost: 99, items: 100 },
    ])
    expect(await service.readLedger(id)).toEqual({ balance: 900, granted: 1_000, charged: 100 })
  })

  test('is refused whole if the difference exceeds the balance or Max-Credits', async () => {
    const { secret, id } = await service.createKey({ credits: 50 })
    const { path, settle } = createTown()
    await settle(1)
    await ask(secret, path, 'growing')
    await settle(100)
    for (const [most, error] of [
      [undefined, 'insufficient credits: need 99, have 49'],
      ['99', 'insufficient credits: need 99, have 49'],
      ['98', 'Max-Credits is 98, but this request costs 99'],
      ['0', 'Max-Credits is 0, but this request costs 99'],
    ] as const) {
      const headers = most === undefined ? {} : { 'Max-Credits': most }
      const response = await ask(secret, path, 'growing', { headers })
      expect([response.json(), readPrice(response)]).toEqual([
        { error },
        { status: 403, cost: 0, remaining: 49, isReplayed: false },
      ])
    }
    expect(await service.readLedger(id)).toMatchObject({ charged: 1 })
    await grantCredits(service.sql, id, 50)
    const paid = await ask(secret, path, 'growing', { headers: { 'Max-Credits': '99' } })
    expect(readPrice(paid)).toEqual({ status: 200, cost: 99, remaining: 0, isReplayed: true })
    const again = await ask(secret, path, 'growing', { headers: { 'Max-Credits': '0' } })
    expect(readPrice(again)).toEqual({ status: 200, cost: 0, remaining: 0, isReplayed: true })
  })

  test('pays the difference once if many arrive concurrently, at two instances', async () => {
    const { secret, id } = await service.createKey({ credits: 20 })
    const { path, settle } = createTown()
    await settle(5)
    await ask(secret, path, 'growing')
    await settle(20)
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        ask(secret, path, 'growing', { through: index % 2 === 0 ? service : other }),
      ),
    )
    const prices = responses.map(readPrice)
    expect(prices.filter(({ status, isReplayed }) => status === 200 && isReplayed)).toHaveLength(40)
    expect(prices.filter(({ cost }) => cost > 0).map(({ cost }) => cost)).toEqual([15])
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 20, charged: 20 })
  })

  test('is charged whole an hour after the first payment if the data has changed, whatever repetitions paid', async () => {
    const { secret, id } = await service.createKey({ credits: 1_000 })
    const { path, settle } = createTown()
    const costs: number[] = []
    for (const count of [3, 7, 7, 8, 8]) {
      await settle(count)
      costs.push(readPrice(await ask(secret, path, 'growing')).cost)
      await service.sql`
        update idempotency_keys set created_at = created_at - interval '25 minutes' where api_key_id = ${id}`
    }
    expect(costs).toEqual([3, 4, 0, 8, 0])
    expect(await service.readLedger(id)).toEqual({ balance: 985, granted: 1_000, charged: 15 })
  })

  test('is charged whole an hour after the first payment if the data changed before a later one', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const { path, settle } = createTown()
    await settle(2)
    await ask(secret, path, 'growing')
    await settle(5)
    expect(readPrice(await ask(secret, path, 'growing'))).toMatchObject({ cost: 3, isReplayed: true })
    await service.sql`
      update idempotency_keys set created_at = created_at - interval '1 hour' where api_key_id = ${id}`
    expect(readPrice(await ask(secret, path, 'growing'))).toMatchObject({ cost: 5, isReplayed: false })
  })

  test('is refused whole an hour after the first payment, too, if the data has changed', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const { path, settle } = createTown()
    await settle(6)
    await ask(secret, path, 'growing')
    await settle(7)
    const most = (credits: number) => ({ headers: { 'Max-Credits': String(credits) } })
    expect(readPrice(await ask(secret, path, 'growing', most(0)))).toMatchObject({ status: 403 })
    await service.sql`
      update idempotency_keys set created_at = created_at - interval '1 hour' where api_key_id = ${id}`
    for (const [options, error] of [
      [most(6), 'Max-Credits is 6, but this request costs 7'],
      [{}, 'insufficient credits: need 7, have 4'],
    ] as const) {
      expect((await ask(secret, path, 'growing', options)).json()).toEqual({ error })
    }
    await grantCredits(service.sql, id, 3)
    expect(readPrice(await ask(secret, path, 'growing', most(7)))).toEqual({
      status: 200,
      cost: 7,
      remaining: 0,
      isReplayed: false,
    })
  })

  test('costs nothing as a 304, and HEAD quotes what the request costs without the key', async () => {
    const { secret } = await service.createKey({ credits: 1_000 })
    const { path, settle } = createTown()
    await settle(2)
    await ask(secret, path, 'growing')
    await settle(9)
    expect(readPrice(await ask(secret, path, 'growing', { method: 'HEAD' }))).toMatchObject({ cost: 9 })
    const known = await ask(secret, path, 'growing', { headers: { 'If-None-Match': '*' } })
    expect(readPrice(known)).toEqual({ status: 304, cost: 0, remaining: 998, isReplayed: false })
    expect(readPrice(await ask(secret, path, 'growing'))).toMatchObject({ cost: 7, isReplayed: true })
  })

  test('is paid already for a user who was unknown, and not for a repository', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const name = 'come-late/repo-7'
    const price = async (path: string, text: string) => readPrice(await ask(secret, path, text))
    expect(await price('/users/come-late', 'u')).toMatchObject({ status: 404, cost: 1, isReplayed: false })
    expect(await price(`/repos/${name}`, 'r')).toMatchObject({ status: 404, cost: 0, isReplayed: false })
    await loadRecords(service.sql, {
      users: [createUser(7, { login: 'come-late' })],
      repos: [createRepository(7, 'come-late', [])],
    })
    expect(await price('/users/come-late', 'u')).toMatchObject({ status: 200, cost: 0, isReplayed: true })
    expect(await price(`/repos/${name}`, 'r')).toMatchObject({ status: 200, cost: 1, isReplayed: false })
    expect(await service.readLedger(id)).toMatchObject({ charged: 2 })
  })
})
