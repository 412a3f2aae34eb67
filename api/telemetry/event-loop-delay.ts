/**
 * How late the event loop comes to its work: what everybody who waits for this process feels.
 *
 * @module
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setInterval } from 'node:timers'

/** Between two samples, in milliseconds. */
const interval = 20

/** Reads the delays since the last reading: quantiles, in seconds. */
export interface LoopMonitor {
  read(): (readonly [quantile: string, seconds: number])[]
}

/**
 * Creates a monitor that samples from its first reading on, so that it costs nothing where nobody reads it. It looks how
 * late a timer is: `monitorEventLoopDelay` of Node is another thing on Deno, and misses what blocks the loop there.
 */
export function createLoopMonitor(): LoopMonitor {
  let delays: RecordableHistogram | undefined
  return {
    read() {
      if (delays === undefined) {
        delays = createHistogram()
        sample(delays)
        return []
      }
      if (delays.count === 0) return []
      const found = [
        ['0.5', delays.percentile(50) / 1e9],
        ['0.99', delays.percentile(99) / 1e9],
        ['1', delays.max / 1e9],
      ] as const
      delays.reset()
      return [...found]
    },
  }
}

function sample(delays: RecordableHistogram): void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const late = now - last - interval
    last = now
    delays.record(Math.max(1, Math.round(late * 1e6))) // nanoseconds, of which it takes no less than one
  }, interval)
  timer.unref()
}
