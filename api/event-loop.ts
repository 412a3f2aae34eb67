/**
 * How late the event loop comes to its work: what everybody who waits for this process feels.
 *
 * @module
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Between two samples, in milliseconds. */
const resolution = 20

/** Reads the delays since the last reading: quantiles, in seconds. */
export interface LoopMonitor {
  read(): (readonly [quantile: string, seconds: number])[]
}

/** Creates a monitor that samples from its first reading on, so that it costs nothing where nobody reads it. */
export function createLoopMonitor(): LoopMonitor {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined
  return {
    read() {
      if (delays === undefined) {
        delays = monitorEventLoopDelay({ resolution })
        delays.enable()
        return []
      }
      if (delays.count === 0) return []
      // A sample is the time from one tick to the next: the delay is what is beyond the interval.
      const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1e3)
      const found = [
        ['0.5', late(delays.percentile(50))],
        ['0.99', late(delays.percentile(99))],
        ['1', late(delays.max)],
      ] as const
      delays.reset()
      return [...found]
    },
  }
}
