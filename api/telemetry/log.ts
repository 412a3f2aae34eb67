/**
 * The service's log: one line an event, on standard output.
 *
 * @module
 */
import process from 'node:process'
import { setImmediate, setTimeout } from 'node:timers'
import {
  configure,
  getAnsiColorFormatter,
  getLogger,
  type Logger,
  type LogRecord,
  type Sink,
} from '@logtape/logtape'
import type { Config } from '../config.ts'
import { describeFailure } from '../database/connection-error.ts'
import type { FailedRequest } from '../http/error-handler.ts'

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
/** A word, and the rest of an e-mail address if one follows. Each word is read once: time grows with the text's length. */
const wordOrEmailAddress = /[\p{L}\p{N}._%+-]+(?<host>@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})?/gu

/** Takes out what could be a key or somebody's e-mail address. */
function redact(text: string): string {
  return text
    .replace(uuid, '[uuid]')
    .replace(wordOrEmailAddress, (word, host?: string) => (host === undefined ? word : '[address]'))
}

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
  return redact(parts.join('\ncaused by '))
}

/** A cause has one line in this time, in milliseconds. */
const failureInterval = 1_000
/** Causes that have lines of their own at a time. All others share one. */
const maxCauses = 20

/**
 * Creates a function that logs failed requests. An outage fails thousands of requests a second: the first of a cause
 * has a line at once, and then one line a second counts the requests since the last line, and names the newest. A 503
 * has the database's message; only a defect of ours has a stack trace.
 */
export function createFailureLog(logger: Logger): (failed: FailedRequest) => void {
  const held = new Map<string, { count: number; newest?: FailedRequest }>()

  function write({ requestId, status, message, cause }: FailedRequest, count: number): void {
    const isOutage = status === 503 && cause instanceof Error
    logger.error(count === 1 ? '{status} {error}' : '{status} {error} ({count} requests)', {
      request_id: requestId,
      status,
      error: message,
      count,
      cause: isOutage ? redact(describeFailure(cause)) : describeCause(cause),
    })
  }

  function hold(key: string): void {
    const waiting: { count: number; newest?: FailedRequest } = { count: 0 }
    held.set(key, waiting)
    setTimeout(() => {
      held.delete(key)
      if (waiting.newest === undefined) return
      write(waiting.newest, waiting.count)
      hold(key)
    }, failureInterval).unref()
  }

  return function log(failed) {
    const cause = nameCause(failed)
    const key = held.has(cause) || held.size < maxCauses ? cause : 'others'
    const waiting = held.get(key)
    if (waiting === undefined) {
      write(failed, 1)
      hold(key)
      return
    }
    waiting.count++
    waiting.newest = failed
  }
}

/** Outages go by their code: their messages name a file or an address that differs from one to the next. */
function nameCause({ status, cause }: FailedRequest): string {
  if (!(cause instanceof Error)) return `${status} ${cause}`
  const code = 'code' in cause ? String(cause.code) : ''
  return status === 503 && code !== '' ? code : `${status} ${code} ${cause.message}`
}
