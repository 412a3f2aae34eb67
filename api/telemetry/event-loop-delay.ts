/**
 * Event loop delay: how late timers run.
 *
 * @module
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setInterval } from 'node:timers'

const sampleIntervalMs = 20

/** Reads the delays since the last reading, by quantile, in seconds. */
export interface LoopMonitor {
  read(): (readonly [quantile: string, seconds: number])[]
}

/**
 * Creates a monitor. It starts to sample with its first reading, so it costs nothing where nobody reads it. Node's
 * `monitorEventLoopDelay` isn't used because on Deno it misses what blocks the event loop.
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
      const quantiles = [
        ['0.5', delays.percentile(50) / 1e9],
        ['0.99', delays.percentile(99) / 1e9],
        ['1', delays.max / 1e9],
      ] as const
      delays.reset()
      return [...quantiles]
    },
  }
}

function sample(delays: RecordableHistogram): void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const lateMs = now - last - sampleIntervalMs
    last = now
    delays.record(Math.max(1, Math.round(lateMs * 1e6))) // in nanoseconds, at least 1
  }, sampleIntervalMs)
  timer.unref()
}
