/** The event loop delay in the metrics. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLoopMonitor } from '../../api/telemetry/metrics.ts'

test('the metrics show how long something blocked the event loop', async () => {
  const readDelays = createLoopMonitor()
  expect(readDelays()).toEqual({}) // it begins to look when it is first asked
  await sleep(100)
  const end = performance.now() + 200
  while (performance.now() < end);
  await sleep(100)
  const delays = readDelays()
  expect(Object.keys(delays).sort()).toEqual(['0.5', '0.99', '1'])
  expect(delays['1']).toBeGreaterThan(0.15)
})
