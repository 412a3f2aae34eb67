/** A whole service for a test: the app on a database of its own. Every response is compared with openapi.yml. */
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { describe, inject, test } from 'vitest'
import type { Sql } from '../../api/database/connect.ts'
import { type Database, openDatabase } from '../../api/database/database.ts'
import { type Scope, scopes } from '../../api/ledger/api-key.ts'
import { createKey, type NewKey } from '../../api/ledger/keys.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { clusterUrl, createOnCluster } from './citus.ts'
import { databaseUrl, testPool } from './databases.ts'
import { isDrill } from './drill.ts'
import { createInstance } from './instance.ts'
import { startLiveService } from './live-service.ts'
import { describeOnServer, getServerUrl, hasServer } from './server.ts'
import { useStarted } from './suite.ts'

/** The runtime of the service's process. Undefined: tests call the app in their own process. */
export const liveRuntime = inject('runtime')

/** A test that uses the service's internals, or creates instances: it doesn't run over the wire. */
export const testInside = test.skipIf(liveRuntime !== undefined)

/** The longest URL that reaches the app, headers included. The server refuses longer ones. */
export const maxAddressLength = liveRuntime === undefined ? Number.POSITIVE_INFINITY : 49_000

/** Which database a test runs on. */
export type DatabaseKind = Database['kind']

/** A test's service. */
export interface TestServiceOptions {
  /** What is in the database at the start. Default: the sample data. */
  data?: 'empty' | 'sample'
  baseUrl?: string
  /** Needs a `baseUrl`. Default: false. */
  signIn?: boolean
  /** Default: true. */
  compressResponses?: boolean
  databasePoolSize?: number
  databaseStatementTimeoutSeconds?: number
}

/** A response with its body. */
export interface TestResponse {
  status: number
  headers: Headers
  /** The body as text, decompressed. */
  text: string
  /** Bytes of the body as received. */
  size: number
  /** The body as JSON. Throws if it is not JSON. */
  json(): unknown
}

/** What a request is sent with. */
export interface RequestOptions {
  method?: string
  /** API key for the Authorization header. */
  key?: string | undefined
  headers?: Record<string, string>
  /** Sent as JSON; a string as it is. */
  body?: unknown
}

/** What a test's key differs in from the usual one. */
export type KeyOptions = Partial<NewKey> & { scopes?: readonly Scope[] }

/** A service under test. */
export interface TestService {
  kind: DatabaseKind
  sql: Sql
  ledgerSql: Sql
  /** Where the database is, for other processes. */
  location: { databaseUrl: string | undefined; dataDirectory: string }
  /** The path of the base URL, '' without one. */
  basePath: string
  /** Sends a request to a path below the base path, and compares the response with openapi.yml. */
  request(path: string, options?: RequestOptions): Promise<TestResponse>
  /** Sends any request to a path below the base path. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Creates a key. Default: `user`, 1,000,000 credits, all scopes, no limit. */
  createKey(key?: KeyOptions): Promise<{ secret: string; id: number }>
  /** The balance, what was granted and what was charged, as the ledger has it. */
  readLedger(keyId: number): Promise<{ balance: number; granted: number; charged: number }>
  /** Closes the service, and leaves the database. At the end of a drill, throws if the ledger does not add up. */
  stop(): Promise<void>
  /** Closes the service, and removes the database. */
  close(): Promise<void>
}

/**
 * Runs a suite on the embedded database, and on PostgreSQL if the machine has it. `npm test` runs it on the faster one,
 * and `npm run test:all` on both. Over the wire it runs on the faster one alone, because the runtime doesn't change
 * what a database does.
 */
export function describeOnEachDatabase(name: string, suite: (kind: DatabaseKind) => void): void {
  if (liveRuntime === undefined || !hasServer) {
    const tags = hasServer ? ['second-database'] : []
    describe(`${name} (embedded)`, { tags }, () => suite('embedded'))
  }
  describeOnServer(`${name} (PostgreSQL)`, () => suite('postgresql'))
}

/**
 * Runs a suite on PostgreSQL, or on the embedded database if the machine has no PostgreSQL; in drills on both. For
 * tests of what happens before the database is asked, and of loads and commands: the embedded database runs the same
 * statements, and takes four times as long.
 */
export function describeOnOneDatabase(name: string, suite: (kind: DatabaseKind) => void): void {
  if (isDrill) describeOnEachDatabase(name, suite)
  else describe(name, () => suite(anyDatabase))
}

/** The faster database of this machine. */
export const anyDatabase: DatabaseKind = hasServer ? 'postgresql' : 'embedded'

/** The service of a suite. */
export interface SuiteService extends TestService {
  /** The secret of the suite's key, if it asked for one. */
  key: string
  keyId: number
}

/** What a suite needs beside its service. */
export interface SuiteOptions extends TestServiceOptions {
  /** Whether each test has a service of its own. Default: false. */
  each?: boolean
  /** The suite's key. Default: none. */
  key?: KeyOptions
  /** Builds the docs first, if they are outdated. */
  docs?: true
}

/** Starts a service before the tests of a suite, or before each of them, and closes it after them. */
export function useService(
  kind: DatabaseKind,
  { each = false, key, docs, ...options }: SuiteOptions = {},
): SuiteService {
  return useStarted(
    async () => {
      if (docs) await buildDocs({ ifStale: true })
      const service = await startTestService(kind, options)
      const created = key && (await service.createKey(key))
      return { ...service, key: created?.secret ?? '', keyId: created?.id ?? 0 }
    },
    { each },
  )
}

/** Starts a service on a copy of a prepared database. */
export async function startTestService(
  kind: DatabaseKind,
  options: TestServiceOptions = {},
): Promise<TestService> {
  const {
    data = 'sample',
    baseUrl,
    signIn = false,
    compressResponses = true,
    databasePoolSize,
    databaseStatementTimeoutSeconds,
  } = { ...testPool, ...options }
  const copyServer = clusterUrl === undefined ? copyPostgres : createOnCluster
  const copy = kind === 'embedded' ? await copyEmbedded(data) : await copyServer(data)
  // On the embedded database the process comes first: it runs the database, which the test then finds.
  const live =
    liveRuntime &&
    (await startLiveService(liveRuntime, {
      ...copy.location,
      baseUrl,
      signIn,
      compressResponses,
      databasePoolSize,
    }))
  const database = await openDatabase({ databasePoolSize, databaseStatementTimeoutSeconds, ...copy.location })
  const { sql, ledgerSql } = database
  const instance = createInstance(database, {
    compressResponses,
    signIn,
    ...(baseUrl !== undefined && { baseUrl }),
  })
  const { request, fetch } = live ?? instance
  let stopped: Promise<void> | undefined
  async function stopAll() {
    try {
      if (isDrill) await assertLedgerAddsUp(sql)
    } finally {
      await database.close()
      await live?.stop()
    }
  }
  const stop = () => {
    stopped ??= stopAll()
    return stopped
  }
  const basePath = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '')
  return {
    kind,
    sql,
    ledgerSql,
    location: copy.location,
    basePath,
    request,
    fetch,
    async createKey(key = {}) {
      const created = await createKey(sql, {
        role: 'user',
        scopes,
        credits: 1_000_000,
        rateLimit: null,
        expiresAt: null,
        name: null,
        ...key,
      })
      return { secret: created.secret, id: created.key.id }
    },
    async readLedger(keyId) {
      const [row] = await sql<{ balance: number; granted: number; charged: number }[]>`
        select
          (select credits from balances where api_key_id = ${keyId}) as balance,
          coalesce(sum(granted), 0)::bigint as granted,
          coalesce(sum(cost), 0)::bigint as charged
        from ledger where api_key_id = ${keyId}`
      if (row === undefined) throw new Error('no ledger row')
      return row
    },
    stop,
    async close() {
      try {
        await stop()
      } finally {
        await copy.remove()
      }
    },
  }
}

/** Whatever a drill did, its ledger adds up. */
async function assertLedgerAddsUp(sql: Sql): Promise<void> {
  const { problems } = await verifyLedger(sql)
  if (problems.length > 0) throw new Error(`the ledger does not add up: ${JSON.stringify(problems)}`)
}

async function copyEmbedded(data: string) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'devdata-'))
  // A thousand files: `cp` takes several times as long.
  cpSync(join(inject('databases').directory, data), dataDirectory, { recursive: true })
  return {
    location: { databaseUrl: undefined, dataDirectory },
    remove: () => rm(dataDirectory, { recursive: true, force: true }),
  }
}

async function copyPostgres(data: string) {
  const admin = postgres(getServerUrl(), { max: 1, onnotice: () => {} })
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await admin`create database ${admin(name)} template ${admin(data)} strategy file_copy`
  return {
    location: { databaseUrl: databaseUrl(getServerUrl(), name), dataDirectory: '' },
    async remove() {
      await admin`drop database ${admin(name)} with (force)`
      await admin.end()
    },
  }
}
