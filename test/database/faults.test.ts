/**
 * Faults while two instances have more clients than they can serve at a time: every delivery is paid, no idempotency
 * key is charged twice, and the service recovers by itself (decisions/0001-billing.md).
 *
 * @module-tag later
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isDrill, seed } from '../support/drill.ts'
import { type Drill, type Report, startDrill } from '../support/fault-drill.ts'
import {
  crashServer,
  cutConnection,
  cutNetwork,
  endBeforeCommit,
  type Fault,
  fullDevice,
  fullDisk,
  killBackend,
  killInstance,
  readOnlyPrimary,
  type ServerSite,
} from '../support/faults.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'

const hasPostgres = findPostgresBinaries() !== undefined
if (!hasPostgres) console.warn(`skipped: ${postgresMissing}`)
if (fullDevice === undefined) console.warn('skipped: a full disk; this system has no /dev/full')

const clients = isDrill ? 1_000 : 400
const storms = isDrill ? 2 : 1

describe.skipIf(!hasPostgres)(`with ${clients} clients at two instances`, () => {
  let drill: Drill<ServerSite>
  beforeAll(async () => {
    console.log(`TEST_SEED=${seed}`)
    drill = await startDrill(seed)
  })
  afterAll(() => drill?.[Symbol.asyncDispose]())

  /** Expects that every promise holds. How long recovery takes is printed only: it depends on the machine. */
  async function expectRecovery(name: string, fault: Fault): Promise<Report[]> {
    const reports: Report[] = []
    for (let storm = 0; storm < storms; storm++) {
      const report = await drill.storm(fault, { clients })
      const { mismatches, ...figures } = report
      console.log(`${name}: ${JSON.stringify(figures)}`)
      expect(mismatches.slice(0, 10)).toEqual([])
      reports.push(report)
    }
    return reports
  }

  test.each<[name: string, fault: Fault]>([
    ['kill -9 of an instance', killInstance],
    ['kill -9 of a server process', killBackend],
    ['a crash of the server', crashServer],
    ['connections cut before the database has the whole debit', cutConnection('unsent', 'half sent')],
    [
      'connections cut during a debit, and after its commit',
      cutConnection('sent', 'committed', 'half received'),
    ],
    ['a network that is cut', cutNetwork],
  ])('%s charges nothing outside of the ledger, and nothing twice', async (name, fault) => {
    await expectRecovery(name, fault)
  })

  test('a server process that ends before the commit delivers nothing and charges nothing', async () => {
    for (const { lost } of await expectRecovery('end before the commit', endBeforeCommit)) {
      expect(lost).toBe(0)
    }
  })

  test('a read-only primary delivers nothing and charges nothing, and is 503', async () => {
    for (const { lost, refused } of await expectRecovery('a read-only primary', readOnlyPrimary)) {
      expect([lost, refused['Database unavailable']]).toEqual([0, expect.any(Number)])
    }
  })

  test.skipIf(fullDevice === undefined)(
    'a full disk delivers nothing that can’t be recorded, and is 503',
    async () => {
      for (const { lost, refused } of await expectRecovery('a full disk', fullDisk)) {
        expect([lost, refused['Database unavailable']]).toEqual([0, expect.any(Number)])
      }
    },
  )
})
