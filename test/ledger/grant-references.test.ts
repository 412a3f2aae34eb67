/** Grants under a reference: a script that repeats one grants once (decisions/0001-billing.md). */
import { expect, test } from 'vitest'
import { deleteKey, grantCredits, KeyError, maxBalance } from '../../api/ledger/keys.ts'
import { pruneLedger } from '../../api/ledger/prune.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { openSameDatabase } from '../support/instance.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'
import { readEntries, readPage, usagePath } from '../support/usage.ts'

describeOnOneDatabase('a grant under a reference', (kind) => {
  const service = useService(kind)

  const grant = (id: number, credits: number, reference: string) =>
    grantCredits(service.sql, id, credits, reference)

  async function readReferences(secret: string) {
    return readEntries(await readPage(service, secret, usagePath)).map(({ entry, granted, reference }) => [
      entry,
      granted,
      reference,
    ])
  }

  test('changes nothing when it is repeated, whatever happened in between', async () => {
    const { id, secret } = await service.createKey({ credits: 10 })
    expect(await grant(id, 100, 'January')).toMatchObject({
      outcome: 'granted',
      key: { remaining_credits: 110 },
    })
    await service.request('/users?per_page=30', { key: secret })
    await grantCredits(service.sql, id, -80) // no balance is left
    expect(await grant(id, 100, 'January')).toMatchObject({
      outcome: 'repeated',
      key: { id, remaining_credits: 0 },
    })
    expect(await grant(id, 100, 'February')).toMatchObject({
      outcome: 'granted',
      key: { remaining_credits: 100 },
    })
    expect(await readReferences(secret)).toEqual([
      [5, 100, 'February'],
      [4, -80, null],
      [3, 0, null],
      [2, 100, 'January'],
      [1, 10, null],
    ])
  })

  test('withdraws once, too', async () => {
    const { id } = await service.createKey({ credits: 100 })
    expect(await grant(id, -60, 'refund')).toMatchObject({
      outcome: 'granted',
      key: { remaining_credits: 40 },
    })
    expect(await grant(id, -60, 'refund')).toMatchObject({
      outcome: 'repeated',
      key: { remaining_credits: 40 },
    })
    expect(await service.readLedger(id)).toMatchObject({ balance: 40, granted: 40 })
  })

  test('is refused for another number of credits, with the number that was granted', async () => {
    const { id } = await service.createKey({ credits: 0 })
    await grant(id, 100, 'January')
    for (const credits of [101, -100, 0, maxBalance]) {
      await expect(grant(id, credits, 'January')).rejects.toThrow(
        new KeyError(
          'conflict',
          `Under the reference "January", key ${id} was granted 100 credits, not ${credits}; use another reference for another grant`,
        ),
      )
    }
    expect(await service.readLedger(id)).toMatchObject({ balance: 100, granted: 100 })
  })

  test('does not use up its reference when it is refused', async () => {
    const { id } = await service.createKey({ credits: 10 })
    await expect(grant(id, -11, 'refund')).rejects.toThrow("11 can't be withdrawn")
    expect(await grant(id, -10, 'refund')).toMatchObject({ outcome: 'granted' })
  })

  test('is the key’s own: another key may have the same reference', async () => {
    const [one, two] = [await service.createKey({ credits: 0 }), await service.createKey({ credits: 0 })]
    for (const { id } of [one, two]) expect(await grant(id, 5, 'x')).toMatchObject({ outcome: 'granted' })
    await deleteKey(service.sql, one.id)
    await expect(grant(one.id, 5, 'x')).rejects.toThrow(
      new KeyError('unknown_key', `There is no key ${one.id}`),
    )
    expect(await grant(two.id, 5, 'x')).toMatchObject({ outcome: 'repeated' })
  })

  test('is made once if it is asked for many times concurrently, by two processes, beside charges', async () => {
    const { id, secret } = await service.createKey({ credits: 100 })
    const database = kind === 'postgresql' ? await openSameDatabase(service) : undefined
    try {
      const [outcomes, charges] = await Promise.all([
        Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            grantCredits((index % 2 === 0 ? database : undefined)?.sql ?? service.sql, id, 7, 'once'),
          ),
        ),
        Promise.all(Array.from({ length: 20 }, () => service.request('/users?per_page=2', { key: secret }))),
      ])
      expect(outcomes.filter(({ outcome }) => outcome === 'granted')).toHaveLength(1)
      expect(outcomes.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(39)
      expect(charges.map(({ status }) => status)).toEqual(charges.map(() => 200))
      expect(await service.readLedger(id)).toEqual({ balance: 67, granted: 107, charged: 40 })
    } finally {
      await database?.close()
    }
  })

  test('of two concurrent numbers of credits is made with one, and the other is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await service.createKey({ credits: 0 })
      const results = await Promise.allSettled(
        [3, 4, 3, 4, 3, 4].map((credits) => grant(id, credits, 'contested')),
      )
      const { granted } = await service.readLedger(id)
      expect([3, 4]).toContain(granted)
      expect(results.map(({ status }) => status)).toEqual(
        [3, 4, 3, 4, 3, 4].map((credits) => (credits === granted ? 'fulfilled' : 'rejected')),
      )
    }
  })

  test('is recognized after its entry was folded', async () => {
    const { id, secret } = await service.createKey({ credits: 0 })
    await grant(id, 50, 'January')
    await grant(id, 60, 'February')
    await service.request('/users/ngoldberg', { key: secret })
    await service.sql`update ledger set created_at = created_at - interval '10 days' where api_key_id = ${id} and position < 4`
    await pruneLedger(service.sql, new Date(Date.now() - 5 * 86_400_000))
    // The folded entry stands at the position of February's.
    expect(await readReferences(secret)).toEqual([
      [4, 0, null],
      [3, 110, null],
    ])
    expect(await grant(id, 50, 'January')).toMatchObject({ outcome: 'repeated' })
    expect(await grant(id, 60, 'February')).toMatchObject({ outcome: 'repeated' })
    await expect(grant(id, 51, 'January')).rejects.toThrow('was granted 50 credits, not 51')
    expect(await service.readLedger(id)).toMatchObject({ balance: 109 })
    expect((await verifyLedger(service.sql)).problems).toEqual([])
  })
})
