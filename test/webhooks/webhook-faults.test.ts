/**
 * Notices and their webhook under random faults: senders are killed at any moment, receivers do anything, and the clock of the
 * database jumps. No notice is lost, none is sent without its crossing, and those of a key come in their order.
 *
 * `TEST_SEED=n` repeats a run.
 *
 * @module-tag later
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { grantCredits } from '../../api/ledger/keys.ts'
import { claimNotices, listNotices } from '../../api/ledger/webhook-notices.ts'
import { type NoticeSender, startSender } from '../../api/webhooks/sender.ts'
import { createRandom } from '../../sample/random.ts'
import { isDrill } from '../support/drill.ts'
import { behaviors, type Receiver, startReceiver } from '../support/receiver.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const { TEST_SEED } = process.env
const seed = TEST_SEED ?? String(Math.floor(Math.random() * 2 ** 31))
const faults = isDrill ? 1_000 : 60
const threshold = 5
/** Of a drill: an hour, because a busy machine may take a second for a fault on the embedded database. */
const timeout = isDrill ? 3_600_000 : 300_000

describeOnEachDatabase('the webhook', (kind) => {
  const service = useService(kind)
  const receiver: Receiver = useStarted(startReceiver)

  test(`loses no notice in ${faults} faults, and invents none (seed ${seed})`, { timeout }, async () => {
    await service.sql`delete from notices` // of the load of the sample data
    const random = createRandom(seed)
    const keys = await Promise.all(
      Array.from({ length: 5 }, () => service.createKey({ credits: 12, notifyBelow: threshold })),
    )
    const senders: NoticeSender[] = []
    const start = () =>
      senders.push(
        startSender({ sql: service.sql, webhook: receiver.webhook, warn: () => {}, pollIntervalMs: 5 }),
      )
    start()
    start()
    let refused = 0
    let minutesFast = 0

    const acts = [
      // An instance claims notices, and is killed before it sends them, or after.
      () => claimNotices(service.sql, random.integer(1, 3)),
      // The clock of the database jumps, forward or back. What waits is given up after a week, so it stays within some days.
      async () => {
        const fast = random.pick([-4_000, -60, -1, 0, 1, 60, 4_000])
        const minutes = fast - minutesFast
        minutesFast = fast
        await service.sql`
          update notices set next_attempt_at = next_attempt_at - make_interval(mins => ${minutes}),
            created_at = created_at - make_interval(mins => ${minutes})
          where outcome is null`
        // Else each claim would read all old versions: the embedded database has no autovacuum.
        if (kind === 'embedded') await service.sql`vacuum notices`
      },
      async () =>
        receiver.setBehavior(behaviors[random.pick(['fail', 'redirect', 'flood', 'drop'] as const)]),
      async () => receiver.setBehavior(behaviors.accept),
      async () => {
        await senders.shift()?.stop()
        start()
      },
    ]

    async function spend({ secret, id }: { secret: string; id: number }): Promise<void> {
      const { status } = await service.request(`/users?per_page=${random.integer(1, 4)}`, { key: secret })
      if (status === 403) {
        refused++
        await grantCredits(service.sql, id, random.integer(5, 12))
      } else expect(status).toBe(200)
    }

    for (let fault = 0; fault < faults; fault++) {
      await Promise.all([...keys.map(spend), random.pick(acts)(), sleep(random.integer(0, 10))])
    }

    // At last, all is well, and time passes.
    receiver.setBehavior(behaviors.accept)
    const isDone = async () => {
      await service.sql`update notices set next_attempt_at = now() where outcome is null`
      return (await listNotices(service.sql, 10_000)).every(({ state }) => state === 'delivered')
    }
    await expect.poll(isDone, { interval: 200 }).toBe(true)
    await Promise.all(senders.map((sender) => sender.stop()))

    for (const { id } of keys) {
      // What the ledger says that there must be.
      const entries = await service.sql<{ position: number; balance: number; cost: number }[]>`
        select position, balance, cost from ledger where api_key_id = ${id} and kind = 'charge' order by position`
      const wanted = entries.flatMap(({ position, balance, cost }) => [
        ...(balance < threshold && balance + cost >= threshold ? [`key.low ${position}`] : []),
        ...(balance === 0 ? [`key.exhausted ${position}`] : []),
      ])
      const accepted = receiver.accepted.filter(({ data }) => data.key_id === id)
      const first = new Map(accepted.map((each) => [each.id, `${each.type} ${each.data.entry}`]))
      expect([...first.values()]).toEqual(wanted)
    }
    expect(refused).toBeGreaterThan(0)
    console.info(`${kind}: ${receiver.received.length} messages, ${receiver.accepted.length} accepted`)
  })
})
