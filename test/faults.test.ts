/**
 * Faults while two instances answer more clients than they can at once: whatever breaks, what was delivered was paid,
 * what is asked for again under an idempotency key is paid once, and the service comes back by itself.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Drill, type Fault, type Report, startDrill } from './support/fault-drill.ts'
import {
  crashServer,
  cutConnection,
  cutNetwork,
  endBeforeCommit,
  fullDevice,
  fullDisk,
  killBackend,
  killInstance,
  readOnlyPrimary,
} from './support/faults.ts'
import { findPostgresBinaries, postgresMissing } from './support/postgres-cluster.ts'

const hasPostgres = findPostgresBinaries() !== undefined
if (!hasPostgres) console.warn(`skipped: ${postgresMissing}`)
if (fullDevice === undefined) console.warn('skipped: a full disk; this system has no /dev/full')

/** Set it to what a run printed, and clients ask the same things in the same order. */
const seed = process.env.FAULTS_SEED ?? String(Date.now())
const clients = 1_000

describe.skipIf(!hasPostgres)('with 1,000 clients at two instances', () => {
  let drill: Drill
  beforeAll(async () => {
    console.log(`FAULTS_SEED=${seed}`)
    drill = await startDrill(seed)
  })
  afterAll(() => drill?.[Symbol.asyncDispose]())

  /** The promise of recovery is printed, not asserted tightly: a machine of tests is no measure. */
  async function sufferFrom(name: string, fault: Fault): Promise<Report> {
    const report = await drill.storm(fault, { clients })
    const { mismatches, ...figures } = report
    console.log(`${name}: ${JSON.stringify(figures)}`)
    expect(mismatches.slice(0, 10)).toEqual([])
    return report
  }

  test.each<[name: string, fault: Fault]>([
    ['kill -9 of an instance', killInstance],
    ['kill -9 of a server process', killBackend],
    ['a crash of the server', crashServer],
    ['connections cut before the database has all of a debit', cutConnection('unsent', 'half sent')],
    [
      'connections cut while a debit is made, and after its commit',
      cutConnection('sent', 'answered', 'half answered'),
    ],
    ['a network that is cut', cutNetwork],
  ])(
    '%s costs nobody a credit that is not in the ledger, and nobody is charged twice',
    async (name, fault) => {
      await sufferFrom(name, fault)
    },
  )

  test('a server process that ends before the commit delivers nothing and charges nothing', async () => {
    const { lost } = await sufferFrom('end before the commit', endBeforeCommit)
    expect(lost).toBe(0)
  })

  test('a primary that takes no writes delivers nothing and charges nothing, and says 503', async () => {
    const { lost, refused } = await sufferFrom('a read-only primary', readOnlyPrimary)
    expect([lost, refused['Database unavailable']]).toEqual([0, expect.any(Number)])
  })

  test.skipIf(fullDevice === undefined)(
    'a full disk delivers nothing that it can’t record, and says 503',
    async () => {
      const { lost, refused } = await sufferFrom('a full disk', fullDisk)
      expect([lost, refused['Database unavailable']]).toEqual([0, expect.any(Number)])
    },
  )
})
