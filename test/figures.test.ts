/**
 * Figures of an instance that are looked up when they are asked for.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPoolState } from '../api/database/pool-state.ts'
import { createLoopMonitor } from '../api/telemetry/event-loop-delay.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

describeOnEachDatabase('connections', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
  })
  afterAll(() => service.close())

  // The embedded database has one session: while a transaction has it, no other connection comes to be.
  test.runIf(kind === 'postgresql')(
    'are counted by what they do, and so are the statements that wait for one',
    async () => {
      const { sql } = service
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const { max } = sql.options
      const statements = Array.from({ length: max }, () => sql.begin(() => held))
      await expect.poll(() => readPoolState(sql).busy).toBe(max)
      const late = sql.begin(() => held)
      await expect.poll(() => readPoolState(sql).waiting).toBe(1)
      release()
      await Promise.all([...statements, late])
      await expect.poll(() => readPoolState(sql)).toMatchObject({ busy: 0, waiting: 0 })
    },
  )
})

test('the delay of the event loop shows what blocked it', async () => {
  const monitor = createLoopMonitor()
  expect(monitor.read()).toEqual([]) // it begins to look when it is first asked
  await sleep(100)
  const end = performance.now() + 200
  while (performance.now() < end);
  await sleep(100)
  const delays = monitor.read()
  expect(delays.map(([quantile]) => quantile)).toEqual(['0.5', '0.99', '1'])
  expect(delays.at(-1)?.[1]).toBeGreaterThan(0.15)
})
