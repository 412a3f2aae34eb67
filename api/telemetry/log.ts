/** The service's log: one line for each event, on standard output. */
import process from 'node:process'
import { setImmediate, setInterval } from 'node:timers'
import {
  configure,
  getAnsiColorFormatter,
  getLogger,
  type Logger,
  type LogRecord,
  type Sink,
  type TextFormatter,
} from '@logtape/logtape'
import type { Config } from '../config.ts'
import { describeFailure } from '../database/connection-error.ts'
import type { FailedRequest } from '../http/error-handler.ts'
import { printIfPossible } from './print-if-possible.ts'

/** Configures the log of the process and returns the service's logger. */
export async function configureLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Promise<Logger> {
  const formatter =
    config.logFormat === 'json'
      ? formatJson
      : getAnsiColorFormatter({ timestamp: 'time', category: () => 'devdata', value: 'bare' })
  await configure({
    reset: true,
    sinks: { lines: createLineSink(formatter) },
    loggers: [
      { category: 'devdata', lowestLevel: config.logLevel, sinks: ['lines'] },
      { category: ['logtape', 'meta'], lowestLevel: 'warning', sinks: ['lines'] },
    ],
  })
  return getLogger('devdata')
}

/** Formats a record as one JSON object. LogTape's own formatter takes twice as long, and quotes values in messages. */
export function formatJson({ timestamp, level, message, properties }: LogRecord): string {
  return JSON.stringify({
    time: new Date(timestamp).toISOString(),
    level,
    message: message.join(''),
    ...properties,
  })
}

/** Creates a function that logs warnings, redacted as errors are. */
export function createWarning(logger: Logger): (message: string) => void {
  return (message) => logger.warning('{message}', { message: describeCause(message) })
}

/**
 * Creates a sink that writes the records of one turn of the event loop together, because a write costs more than the
 * rest of a line. Warnings and errors are written immediately, and nothing is lost when the process exits. LogTape's
 * own non-blocking sinks write each record by itself, and may drop some.
 */
function createLineSink(format: TextFormatter): Sink {
  let lines: string[] = []
  function flush(): void {
    if (lines.length === 0) return
    const text = lines.join('\n')
    lines = []
    printIfPossible(() => console.log(text))
  }
  process.on('exit', flush)
  return function write(record) {
    if (lines.length === 0) setImmediate(flush)
    lines.push(format(record).trimEnd())
    if (record.level !== 'info' && record.level !== 'debug') flush()
  }
}

const uuid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi
/** A word, with the rest of an email address if there is one. It matches each word once, so it takes linear time. */
const wordOrEmailAddress = /[\p{L}\p{N}._%+-]+(?<host>@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})?/gu

/** Replaces possible keys and email addresses. */
function redact(text: string): string {
  return text
    .replace(uuid, '[uuid]')
    .replace(wordOrEmailAddress, (word, host?: string) => (host === undefined ? word : '[address]'))
}

/**
 * Describes an error, or a message, for the log: with its stack and its causes, redacted. PostgreSQL's `detail` and the
 * parameters of a statement are left out because they always have values.
 */
export function describeCause(cause: unknown): string {
  const parts: string[] = []
  for (let error = cause; error !== undefined && parts.length < 5; ) {
    parts.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    error = error instanceof Error ? error.cause : undefined
  }
  return redact(parts.join('\ncaused by '))
}

/** Minimum time between two lines of one cause. */
const failureIntervalMs = 1_000

/**
 * Creates a function that logs failed requests. An outage fails thousands of requests a second, so a cause has at most
 * one line a second: the first immediately, then one that counts the requests since and names the newest. A 503 has the
 * database's message. Only a 500 has a stack trace.
 */
export function createFailureLog(logger: Logger): (failed: FailedRequest) => void {
  /** The requests that failed since the last line of their cause. */
  const unreported = new Map<string, { count: number; newest: FailedRequest }>()

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

  return function logFailure(failed) {
    const cause = nameCause(failed)
    const known = unreported.get(cause)
    if (known !== undefined) {
      known.count++
      known.newest = failed
      return
    }
    write(failed, 1)
    const requests = { count: 0, newest: failed }
    unreported.set(cause, requests)
    const timer = setInterval(() => {
      if (requests.count > 0) {
        write(requests.newest, requests.count)
        requests.count = 0
      } else {
        clearInterval(timer)
        unreported.delete(cause)
      }
    }, failureIntervalMs)
    timer.unref()
  }
}

/** Names a cause by its code and the place that threw it, because messages vary. There are only a few of each. */
function nameCause({ status, cause }: FailedRequest): string {
  if (!(cause instanceof Error)) return `${status}`
  const code = 'code' in cause ? `${cause.code}` : ''
  const [place = ''] = /^ +at .*/m.exec(cause.stack ?? '') ?? []
  return status === 503 && code !== '' ? code : `${status} ${code} ${place}`
}
