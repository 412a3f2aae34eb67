/** @module-tag later */
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { claimNotices, noteFailure } from '../../api/ledger/webhook-notices.ts'
import { locationOf, type Run, readJson, runCommand } from '../support/command-line.ts'
import { behaviors, isSigned, startReceiver } from '../support/receiver.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

describeOnOneDatabase('devdata webhooks', (kind) => {
  const service = useService(kind)
  const receiver = useStarted(startReceiver)
  const run: Run = (args, options) => runCommand(args, { ...locationOf(service), ...options })

  test('test sends a signed message once, and says what is wrong', async () => {
    const environment = { WEBHOOK_URL: receiver.webhook.url, WEBHOOK_SECRET: receiver.secret }
    const send = (more: Record<string, string> = {}) =>
      runCommand(['webhooks', 'test'], { directory: tmpdir(), environment: { ...environment, ...more } })
    expect(await send()).toEqual({ code: 0, stdout: 'The receiver has accepted the message\n', stderr: '' })
    const [received] = receiver.received
    expect([received?.type, received && isSigned(received, receiver.secret)]).toEqual(['webhook.test', true])
    receiver.setBehavior(behaviors.fail)
    expect(await send()).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: "The message wasn't delivered: the receiver responded with 500\n",
    })
    for (const wrong of ['', 'http://shop.example.com/', 'https://user:password@shop.example.com/', 'shop']) {
      const { code, stderr } = await send({ WEBHOOK_URL: wrong })
      expect([wrong, code, stderr.startsWith('WEBHOOK_')]).toEqual([wrong, 1, true])
      expect(stderr).not.toContain('password')
    }
    const secretless = await send({ WEBHOOK_SECRET: 'hunter2' })
    expect([secretless.code, secretless.stderr]).toEqual([
      1,
      expect.stringMatching(/^WEBHOOK_SECRET is invalid/),
    ])
    expect(secretless.stderr).not.toContain('hunter2')
  })

  test('list shows what waits, and why an attempt failed', async () => {
    await service.sql`delete from notices`
    expect((await run(['webhooks', 'list'])).stdout).toBe('There are no notices\n')
    const { id, secret } = await service.createKey({ credits: 5 })
    await service.request('/users?per_page=5', { key: secret })
    const [notice] = await claimNotices(service.sql, 1)
    if (notice === undefined) throw new Error('nothing is due')
    await noteFailure(service.sql, notice, 'the receiver responded with 500')
    const { stdout } = await run(['webhooks', 'list'])
    expect(stdout).toMatch(/^ *ID +KIND +KEY +CREATED +STATE +ATTEMPTS +NEXT ATTEMPT +LAST ERROR\n/)
    expect(stdout).toMatch(
      new RegExp(`key\\.exhausted +${id} .* waiting +1 .* the receiver responded with 500\n$`),
    )
    expect(await readJson(run, ['webhooks', 'list'])).toMatchObject([
      { kind: 'key.exhausted', key_id: id, attempts: 1, data: { remaining_credits: 0 } },
    ])
  })
})
