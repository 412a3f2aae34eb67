/**
 * The service's log: one line an event, on standard output.
 *
 * @module
 */
import {
  configure,
  getAnsiColorFormatter,
  getConsoleSink,
  getJsonLinesFormatter,
  getLogger,
  type Logger,
} from '@logtape/logtape'
import type { Config } from './config.ts'

/** Configures the process's log and returns the service's logger. */
export async function configureLog({
  logLevel,
  logFormat,
}: Pick<Config, 'logLevel' | 'logFormat'>): Promise<Logger> {
  const formatter =
    logFormat === 'json'
      ? getJsonLinesFormatter({ properties: 'flatten' })
      : getAnsiColorFormatter({ timestamp: 'time', category: () => 'devdata' })
  await configure({
    reset: true,
    sinks: { console: getConsoleSink({ formatter }) },
    loggers: [
      { category: 'devdata', lowestLevel: logLevel, sinks: ['console'] },
      { category: ['logtape', 'meta'], lowestLevel: 'warning', sinks: ['console'] },
    ],
  })
  return getLogger('devdata')
}
