/**
 * Webhooks from processes of the service, on both runtimes, whatever the receiver does.
 *
 * @module-tag later
 */
import { expect, test } from 'vitest'
import { listNotices } from '../../api/ledger/webhook-notices.ts'
import { runtimes, startInstanceProcess } from '../support/process.ts'
import { behaviors, isSigned, startReceiver } from '../support/receiver.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

describeOnServer('an instance', () => {
  const service = useService('postgresql', { each: true })
  const receiver = useStarted(startReceiver, { each: true })

  test.each(runtimes)('on %s sends notices, and says what is wrong with the receiver', async (runtime) => {
    await service.sql`delete from notices` // of the load of the sample data
    await using instance = await startInstanceProcess(
      service.location.databaseUrl,
      { WEBHOOK_URL: receiver.webhook.url, WEBHOOK_SECRET: receiver.secret },
      { runtime },
    )
    const { secret, id } = await service.createKey({ credits: 4, notifyBelow: 4 })
    const spend = async (path: string) => {
      const response = await fetch(instance.url + path, { headers: { Authorization: `Bearer ${secret}` } })
      await response.arrayBuffer()
      return response.status
    }
    expect(await spend('/users?per_page=1')).toBe(200)
    await receiver.waitFor(1)
    const [low] = receiver.received
    if (low === undefined) throw new Error('nothing was received')
    expect([low.type, isSigned(low, receiver.secret), low.data]).toEqual([
      ...['key.low', true],
      { key_id: id, key_name: null, remaining_credits: 3, notify_below: 4, entry: 2 },
    ])

    const errors = {
      fail: 'the receiver responded with 500',
      redirect: 'the receiver responded with 307',
      flood: 'the receiver responded with 500',
      drop: expect.stringMatching(/^the receiver can't be reached: /),
      hang: "the receiver didn't respond within 5 seconds",
    }
    receiver.setBehavior(behaviors.fail)
    expect(await spend('/users?per_page=3')).toBe(200)
    const readLast = async () => (await listNotices(service.sql, 1))[0]
    for (const [behavior, error] of Object.entries(errors)) {
      receiver.setBehavior(behaviors[behavior as keyof typeof behaviors])
      await service.sql`update notices set next_attempt_at = now(), last_error = null where outcome is null`
      await expect.poll(async () => (await readLast())?.last_error).toEqual(error)
      expect((await fetch(`${instance.url}/health`)).status).toBe(200)
    }
    receiver.setBehavior(behaviors.accept)
    await service.sql`update notices set next_attempt_at = now() where outcome is null`
    await receiver.waitFor(2)
    await expect.poll(async () => (await readLast())?.state).toBe('delivered')
    expect(receiver.strayed).toEqual([])
    expect(await instance.stop()).toBe(0)
  })
})
