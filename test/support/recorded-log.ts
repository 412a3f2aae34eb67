/** Records the log of services in this process. */
import { configure, type LogLevel, type LogRecord } from '@logtape/logtape'

/** Gives what is logged from a level on to `keep`, until LogTape's `reset()` is called. */
export function recordLog(lowestLevel: LogLevel, keep: (record: LogRecord) => void): Promise<void> {
  return configure({
    reset: true,
    sinks: { memory: keep },
    loggers: [
      { category: 'devdata', lowestLevel, sinks: ['memory'] },
      { category: ['logtape', 'meta'], lowestLevel: 'warning', sinks: ['memory'] },
    ],
  })
}
