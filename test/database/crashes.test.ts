/**
 * One crash after the other under load: instances, server processes and the whole server. Afterwards the ledger adds
 * up, and each delivered response has its entry (decisions/0001-billing.md).
 *
 * @module-tag later
 */
import { expect, test } from 'vitest'
import { isDrill, seed } from '../support/drill.ts'
import { startDrill } from '../support/fault-drill.ts'
import { crashServer, killBackend, killInstance, repeatFaults } from '../support/faults.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'

const hasPostgres = findPostgresBinaries() !== undefined
if (!hasPostgres) console.warn(`skipped: ${postgresMissing}`)

const clients = isDrill ? 1_000 : 200
const durationMs = isDrill ? 120_000 : 8_000

test.skipIf(!hasPostgres)(
  `${durationMs / 1000} seconds of crashes under load leave a ledger that adds up, with an entry for each delivery`,
  async () => {
    console.log(`TEST_SEED=${seed}`)
    await using drill = await startDrill(seed)
    const crashes = repeatFaults([killInstance, killBackend, crashServer], durationMs)
    const { mismatches, ...figures } = await drill.storm(crashes, { clients })
    console.log(JSON.stringify(figures))
    expect(mismatches.slice(0, 10)).toEqual([])
    expect(figures.delivered).toBeGreaterThan(0)
  },
)
