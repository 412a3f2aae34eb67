/**
 * The service's log: one line an event, on standard output.
 *
 * @module
 */
import process from 'node:process'
import { setImmediate } from 'node:timers'
import {
  configure,
  getAnsiColorFormatter,
  getLogger,
  type Logger,
  type LogRecord,
  type Sink,
} from '@logtape/logtape'
import type { Config } from './config.ts'

/** Configures the process's log and returns the service's logger. */
export async function configureLog({
  logLevel,
  logFormat,
}: Pick<Config, 'logLevel' | 'logFormat'>): Promise<Logger> {
  const format =
    logFormat === 'json'
      ? formatJson
      : getAnsiColorFormatter({ timestamp: 'time', category: () => 'devdata', value: writeValue })
  const sink = createLineSink(format)
  await configure({
    reset: true,
    sinks: { lines: sink },
    loggers: [
      { category: 'devdata', lowestLevel: logLevel, sinks: ['lines'] },
      { category: ['logtape', 'meta'], lowestLevel: 'warning', sinks: ['lines'] },
    ],
  })
  return getLogger('devdata')
}

/** What is put into a message stands there as it is, without quotes. */
function writeValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `time` and `level`, the message, and what belongs to it: one object. */
export function formatJson({ timestamp, level, message, properties }: LogRecord): string {
  const text = message.map((part, index) => (index % 2 === 0 ? part : writeValue(part))).join('')
  return JSON.stringify({ time: new Date(timestamp).toISOString(), level, message: text, ...properties })
}

/**
 * Writes what was logged in one turn of the event loop at once, since each write of its own costs more than all else
 * about a line. What is worse than `info` is written immediately, and nothing is left over when the process ends.
 */
function createLineSink(format: (record: LogRecord) => string): Sink {
  let lines: string[] = []
  function flush(): void {
    if (lines.length === 0) return
    const text = lines.join('\n')
    lines = []
    console.log(text)
  }
  process.on('exit', flush)
  return function write(record) {
    if (lines.length === 0) setImmediate(flush)
    lines.push(format(record).trimEnd())
    if (record.level !== 'info' && record.level !== 'debug') flush()
  }
}

const uuid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi
const emailAddress = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu

/**
 * An error, or what is said of one, for the log: its stack, its causes, without what could be a key or somebody's
 * address. Messages of a database may repeat values; its `detail` and the parameters of the statement always do, and are
 * left out.
 */
export function describeCause(cause: unknown): string {
  const parts: string[] = []
  for (let error = cause; error !== undefined && parts.length < 5; ) {
    parts.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    error = error instanceof Error ? error.cause : undefined
  }
  return parts.join('\ncaused by ').replace(uuid, '[uuid]').replace(emailAddress, '[address]')
}
