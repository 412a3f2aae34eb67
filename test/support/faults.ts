/** The faults of the drills, on the real thing. */
import { existsSync } from 'node:fs'
import { rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Sql } from '../../api/database/connect.ts'
import type { Random } from '../../sample/random.ts'
import type { BreakingPoint, FaultyProxy } from './faulty-proxy.ts'
import type { PostgresCluster } from './postgres-cluster.ts'
import type { InstanceProcess } from './process.ts'

/** Two instances on one database, under load. */
export interface Site {
  instances: [InstanceProcess, InstanceProcess]
  random: Random
  /** Runs a statement as an operator, past the proxy. */
  ask<Result>(run: (sql: Sql) => Promise<Result>): Promise<Result>
  /** Starts another instance in place of one. */
  replace(place: 0 | 1): Promise<void>
  /** Waits until an instance responds that the database is unavailable. */
  waitForUnavailable(): Promise<void>
  /** Waits until both instances serve clients. Throws if they don't within a minute. */
  waitForService(): Promise<void>
}

/** Two instances on one server. */
export interface ServerSite extends Site {
  cluster: PostgresCluster
  /** Between the first instance and the server. */
  proxy: FaultyProxy
}

/** Breaks something, and repairs it. */
export interface Fault<Place extends Site = ServerSite> {
  inflict(site: Place): Promise<void>
  /** The first instance stops responding. Default: both must respond again. */
  killsFirst?: boolean
  /** A charge can be committed without a response. Default: true. */
  isAmbiguous?: boolean
}

/** A service that has not recovered after this time is broken. */
export const maxRecoveryMs = 60_000

/** A device that is always full, in the place of a disk that is; undefined on systems without it. */
export const fullDevice = existsSync('/dev/full') ? '/dev/full' : undefined

/** How long a fault that lasts is left, in milliseconds. */
const lasting = 700
/** How often in a row a connection is broken. */
const breaks = 4

/** Waits until the server takes statements. */
async function waitForServer({ cluster }: Pick<ServerSite, 'cluster'>): Promise<void> {
  for (const deadline = Date.now() + maxRecoveryMs; ; await sleep(10)) {
    const sql = postgres(cluster.url, { max: 1, connect_timeout: 5, onnotice: () => {} })
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}

/** `kill -9` of an instance, and another one in its place. */
export const killInstance: Fault = {
  killsFirst: true,
  async inflict(site) {
    await site.instances[0].kill()
    await site.replace(0)
  },
}

/** `kill -9` of a server process that serves an instance: the server ends all others, and recovers. */
export const killBackend: Fault = {
  async inflict(site) {
    const [victim] = await site.ask(
      (sql) => sql<{ pid: number }[]>`
        select pid from pg_stat_activity where pid <> pg_backend_pid() and query like '%settle(%'
        order by state = 'active' desc, random() limit 1`,
    )
    if (victim === undefined) throw new Error('no server process settles')
    let see = () => {}
    const hasCrashed = new Promise<void>((resolve) => {
      see = resolve
    })
    const witness = postgres(site.cluster.url, { max: 1, onnotice: () => {}, onclose: () => see() })
    await witness`select 1`
    process.kill(victim.pid, 'SIGKILL')
    await hasCrashed
    await witness.end({ timeout: 1 })
    await waitForServer(site)
  },
}

/** A crash of the whole server, which is started again. */
export const crashServer: Fault = {
  async inflict({ cluster }) {
    await cluster.stop('immediate')
    await cluster.start()
  },
}

/** Connections of the first instance are cut, at these points of the statement that settles, several times in a row. */
export function cutConnection(...points: Exclude<BreakingPoint, 'uncommitted'>[]): Fault {
  return {
    isAmbiguous: points.some((point) => point !== 'unsent' && point !== 'half sent'),
    async inflict({ proxy }) {
      for (let turn = 0; turn < breaks; turn++) {
        for (const point of points) await proxy.breakNext(point)
      }
    },
  }
}

/** A server process is told to end (as by a shutdown, or an operator) after it has settled and before it commits. */
export const endBeforeCommit: Fault = {
  isAmbiguous: false,
  async inflict(site) {
    for (let turn = 0; turn < breaks; turn++) {
      const pid = await site.proxy.breakNext('uncommitted')
      await site.ask((sql) => sql`select pg_terminate_backend(${pid})`)
    }
  },
}

/** Between the first instance and the server, all connections are cut, and new ones too, for a while. */
export const cutNetwork: Fault = {
  async inflict({ proxy }) {
    proxy.shut()
    await sleep(lasting)
    proxy.restore()
  },
}

/** The primary takes no writes for a while, as after a failover. */
export const readOnlyPrimary: Fault = {
  isAmbiguous: false,
  async inflict(site) {
    const setReadOnly = (value: 'on' | 'off') =>
      site.ask(async (sql) => {
        await sql`alter system set default_transaction_read_only = ${sql(value)}`
        await sql`select pg_reload_conf()`
      })
    await setReadOnly('on')
    await Promise.all([sleep(lasting), site.waitForUnavailable()])
    await setReadOnly('off')
  },
}

/**
 * The disk is full for a while, for the table of idempotency keys: a group that has one can't be written. The table is
 * emptied, and its file changed for the device that is always full; that takes no key from a client that will still
 * need it, since all that was charged so far is delivered.
 */
export const fullDisk: Fault = {
  isAmbiguous: false,
  async inflict(site) {
    await fillDisk(site, 'idempotency_keys')
    await Promise.all([sleep(lasting), site.waitForUnavailable()])
    // Nothing could be written to the table: nothing is lost with its file.
    await site.ask((sql) => sql`truncate idempotency_keys`)
  },
}

/** Puts the device that is always full in the place of a table's file. What was in the table is gone. */
export async function fillDisk(
  { cluster, ask }: Pick<ServerSite, 'cluster' | 'ask'>,
  table: string,
): Promise<void> {
  if (fullDevice === undefined) throw new Error('this system has no device that is always full')
  const device = fullDevice
  await ask((sql) =>
    sql.begin(async (tx) => {
      await tx`lock table ${tx(table)} in access exclusive mode`
      await tx`truncate ${tx(table)}`
      const [file] = await tx<{ path: string }[]>`select pg_relation_filepath(${table}) as path`
      if (file === undefined) throw new Error('the table has no file')
      const path = join(cluster.directory, 'data', file.path)
      await symlink(device, `${path}.full`)
      await rename(`${path}.full`, path)
    }),
  )
}

/** One fault after the other, chosen at random, for a time. The service must recover from each. */
export function repeatFaults(faults: readonly Fault[], durationMs: number): Fault {
  return {
    killsFirst: faults.some(({ killsFirst }) => killsFirst === true),
    async inflict(site) {
      for (const end = Date.now() + durationMs; Date.now() < end; ) {
        await site.random.pick(faults).inflict(site)
        await site.waitForService()
        await sleep(site.random.integer(0, 1_000))
      }
    },
  }
}
