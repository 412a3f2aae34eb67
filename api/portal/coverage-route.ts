/** What the dataset covers, for everybody: `/docs/coverage.json`, and the slots of pages. */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hono } from 'hono'
import type { Coverage } from '../catalog/coverage.ts'
import { shareRead } from '../concurrency/batcher.ts'
import { unavailable } from '../errors.ts'
import { type KeptDocument, keepDocument, sendKeptDocument } from '../http/kept-document.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { type NoCoverage, writeCoverageSlots } from './coverage-slots.ts'
import type { Slots } from './slots.ts'

/** How often the database is asked at most, also while it fails. */
const intervalMs = 10_000
/** While the database can't be reached, what was read before is served for this time. */
const maxAgeMs = 3_600_000
/** A page doesn't wait longer for its figures. */
const maxPageWaitMs = 1_000

/**
 * Returns what the dataset covers. It is kept in memory: anybody may ask for it, and the database is asked once in ten
 * seconds at most. Throws what reading throws, or an `ApiError` (503) if that takes too long, unless there is something
 * that was read within the last hour.
 */
export type CoverageReader = () => Promise<{ coverage: Coverage; document: KeptDocument }>

/** Creates a reader. */
export function createCoverageReader(readCoverage: () => Promise<Coverage | 'timed_out'>): CoverageReader {
  let read: { coverage: Coverage; document: KeptDocument; atMs: number } | undefined
  let failure: unknown
  let dueMs = Number.NEGATIVE_INFINITY
  const refresh = shareRead(async () => {
    if (performance.now() < dueMs) return // another call has read it
    try {
      const coverage = await readCoverage()
      if (coverage === 'timed_out') throw unavailable('Database unavailable')
      const text = JSON.stringify(coverage)
      const isSame = text === read?.document.body
      const document = isSame && read ? read.document : keepDocument(text, 'application/json', [text])
      read = { coverage, document, atMs: performance.now() }
    } catch (error) {
      failure = error
    }
    dueMs = performance.now() + intervalMs
  })
  return async () => {
    if (performance.now() >= dueMs) await refresh()
    if (read === undefined || performance.now() - read.atMs > maxAgeMs) throw failure
    return read
  }
}

/** Adds `/docs/coverage.json`. The route throws what the reader throws. */
export function addCoverageRoute(app: Hono<HonoEnvironment>, readCoverage: CoverageReader): void {
  app.get('/docs/coverage.json', async (c) => {
    const { document } = await readCoverage()
    return sendKeptDocument(c, document)
  })
}

/** The slots that the dataset fills, with a tag that changes with them. */
export type CoverageSlotsReader = () => Promise<{ slots: Slots; tag: string }>

/**
 * Creates a function that returns the slots. It never throws: a page without figures is better than none.
 *
 * @param readCoverage undefined: the operator publishes none
 */
export function createCoverageSlots(readCoverage: CoverageReader | undefined): CoverageSlotsReader {
  let known: Coverage | NoCoverage = 'unreadable'
  const find = async (): Promise<Coverage | NoCoverage> => {
    if (readCoverage === undefined) return 'not public'
    const reading = readCoverage().then(
      ({ coverage }) => {
        known = coverage
      },
      () => {
        known = 'unreadable'
      },
    )
    await Promise.race([reading, sleep(maxPageWaitMs, undefined, { ref: false })])
    return known
  }
  let last: { found: Coverage | NoCoverage; untilMs: number; slots: Slots; tag: string } | undefined
  return async () => {
    const found = await find()
    if (found === last?.found && performance.now() < last.untilMs) return last
    const slots = writeCoverageSlots(found, Date.now())
    const tag = hash('sha256', JSON.stringify(slots), 'base64url').slice(0, 11)
    last = { found, untilMs: performance.now() + intervalMs, slots, tag }
    return last
  }
}
