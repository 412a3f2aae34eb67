/**
 * Two database servers with Patroni, as `deploy/high-availability` has them: whatever becomes of the primary, every
 * delivery is paid, and no idempotency key is charged twice.
 *
 * @module-tag longest
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isDrill, seed } from '../support/drill.ts'
import { type Drill, startDrillOn } from '../support/fault-drill.ts'
import type { Site } from '../support/faults.ts'
import { hasPatroni, type PatroniCluster, startPatroniCluster } from '../support/patroni.ts'
import { findPostgresBinaries } from '../support/postgres-binaries.ts'

const binaries = findPostgresBinaries()
const isAvailable = binaries !== undefined && (await hasPatroni())
if (!isAvailable) console.warn('skipped: install PostgreSQL, Patroni, etcd and HAProxy')

const clients = isDrill ? 400 : 100
/** In a short run, other tests need the processors too: most of the time, servers wait for each other. */
const pauseMs = isDrill ? 0 : 1_000
const storms = isDrill ? 3 : 1

describe.skipIf(!isAvailable)(`with ${clients} clients`, () => {
  let cluster: PatroniCluster
  let drill: Drill<Site>
  beforeAll(async () => {
    if (binaries === undefined) return
    console.log(`TEST_SEED=${seed}`)
    cluster = await startPatroniCluster(binaries)
    const { databaseUrl, serverUrls } = cluster
    // Each server is a replica until it becomes the primary.
    const settings = { DATABASE_REPLICA_URL: serverUrls.join(',') }
    drill = await startDrillOn([databaseUrl, databaseUrl], seed, settings)
  })
  afterAll(async () => {
    await drill?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  const faults = ['switchOver', 'loseMachine', 'loseStandby', 'freezeMachine'] as const
  test.each(isDrill ? [...faults, 'loseEtcd' as const] : faults)(
    '%s loses nothing that is paid',
    async (name) => {
      for (let storm = 0; storm < storms; storm++) {
        const { mismatches, ...figures } = await drill.storm(cluster[name], { clients, pauseMs })
        console.log(`${name}: ${JSON.stringify(figures)}`)
        expect(mismatches.slice(0, 10)).toEqual([])
        expect(figures.delivered).toBeGreaterThan(0)
      }
    },
  )
})
