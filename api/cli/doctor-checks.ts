/** Checks of an installation. A finding says what to do when something is wrong. */
import * as v from 'valibot'
import { readVersion } from '../build-info.ts'
import { readDataset } from '../catalog/dataset.ts'
import { describeUnready } from '../catalog/derived-terms.ts'
import type { Config } from '../config.ts'
import { findClusterFaults } from '../database/cluster.ts'
import type { Sql } from '../database/connect.ts'
import { describeFailure } from '../database/connection-error.ts'
import { hasDatabase } from '../database/data-directory.ts'
import { readSchemaState } from '../database/migrate.ts'
import { assertServerVersion } from '../database/server-version.ts'
import { verifySets } from '../dataset/set-verification.ts'
import { devdataCommand } from '../devdata-command.ts'
import { createKeyCheck, keysNotFound } from '../ledger/api-key.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { createDocsFinder, docsDirectory, docsNotBuilt } from '../portal/docs-manifest.ts'
import { localOrigin } from '../runtime/local-url.ts'
import { isWorthRetrying, toOperatorMessage } from '../runtime/operator-message.ts'
import { countOf, formatTime } from './output.ts'
import { Interruption, withDatabase } from './session.ts'
import { describeFaults } from './sets.ts'

export interface Finding {
  /** `skipped`: not checked. */
  state: 'ok' | 'wrong' | 'skipped'
  /** What was checked, in a word. */
  subject: string
  /** The result, and what to do when it is wrong. */
  message: string
}

const createFinding = (state: Finding['state']) => (subject: string, message: string) => ({
  state,
  subject,
  message,
})
export const ok = createFinding('ok')
export const wrong = createFinding('wrong')
export const skipped = createFinding('skipped')

/**
 * Checks the server, the migrations, the look-up of keys, a sample of the sets, and if `includesLedger`, every balance.
 */
export async function checkDatabase(
  { databaseUrl, dataDirectory }: Config,
  includesLedger: boolean,
): Promise<Finding[]> {
  if (databaseUrl === undefined && !hasDatabase(dataDirectory)) {
    const message = `none in ${dataDirectory} yet; check DATA_DIR and DATABASE_URL, or start the service, which creates it`
    return [skipped('database', message)]
  }
  const findings: Finding[] = []
  function skipRest(reason: string): void {
    for (const subject of ['keys', 'data', 'sets', 'ledger']) findings.push(skipped(subject, reason))
  }
  try {
    await withDatabase({ anySchema: true, longStatements: true }, async ({ sql }) => {
      findings.push(await checkServer(sql, databaseUrl === undefined))
      findings.push(...(await checkCollation(sql)))
      const { missing, newer, incompatible, isReadOnly } = await readSchemaState(sql)
      if (missing.length > 0) {
        findings.push(wrong('migrations', `${missing.join(', ')} missing; run: ${devdataCommand('migrate')}`))
        return skipRest('not read, because migrations are missing')
      }
      if (incompatible.length > 0) {
        const reason = `this version can't run on ${incompatible.join(', ')}, which a newer version has applied`
        findings.push(wrong('migrations', `${reason}; run that version`))
        return skipRest("not read, because this version can't run on the schema")
      }
      const others =
        newer.length === 0 ? '' : `, and ${newer.join(', ')} of a newer version, on which this one can run`
      findings.push(ok('migrations', `all applied${others}`))
      if (isReadOnly) findings.push(wrong('database', readOnlyAdvice))
      findings.push(...(await checkCluster(sql)))
      findings.push(await checkKeys(sql))
      findings.push(await checkData(sql))
      findings.push(await checkSets(sql))
      const unready = await describeUnready(sql)
      if (unready !== undefined) findings.push(wrong('filters', unready))
      findings.push(
        includesLedger ? await checkLedger(sql) : skipped('ledger', 'not read, because of --no-ledger'),
      )
    })
  } catch (error) {
    const reason = error instanceof Interruption ? undefined : toOperatorMessage(error)
    if (reason === undefined) throw error
    const isUnreachable = databaseUrl !== undefined && isWorthRetrying(error)
    const advice = isUnreachable ? '; check DATABASE_URL, and that the server runs' : ''
    findings.push(wrong('database', `${reason}${advice}`))
  }
  return findings
}

const readOnlyAdvice =
  'it accepts no writes: it is a standby, or its default_transaction_read_only is on; check DATABASE_URL, and run: ' +
  'show default_transaction_read_only'

/** A charged request takes two round trips; above this, they are most of its duration. */
const maxGoodRoundTripMs = 10

async function checkServer(sql: Sql, isEmbedded: boolean): Promise<Finding> {
  await assertServerVersion(sql)
  let version = ''
  let roundTripMs = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5; attempt++) {
    const startedAt = performance.now()
    const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`
    roundTripMs = Math.min(roundTripMs, performance.now() - startedAt)
    version = row?.version ?? ''
  }
  const advice =
    roundTripMs > maxGoodRoundTripMs && !isEmbedded
      ? '; each charged request needs two round trips, so run the service closer to the database'
      : ''
  return ok(
    'database',
    `${isEmbedded ? 'embedded, ' : ''}PostgreSQL ${version}, round trip ${Number(roundTripMs.toPrecision(2))} ms${advice}`,
  )
}

/** A single server gets no finding. */
async function checkCluster(sql: Sql): Promise<Finding[]> {
  const faults = await findClusterFaults(sql)
  if (faults === undefined) return []
  if (faults.length > 0) return faults.map((fault) => wrong('cluster', fault))
  return [ok('cluster', 'the commits are distributed, and all workers are up to date')]
}

/** Compares the rules by which the server orders texts with those of the indexes. Equal rules give no finding. */
async function checkCollation(sql: Sql): Promise<Finding[]> {
  const rows = await sql<{ name: string; written: string; actual: string }[]>`
    select quote_ident(datname) as name, datcollversion as written,
      pg_database_collation_actual_version(oid) as actual
    from pg_database
    where datname = current_database() and datcollversion <> pg_database_collation_actual_version(oid)`
  return rows.map(({ name, written, actual }) =>
    wrong(
      'collation',
      `the server now orders texts by version ${actual} of its rules, but the indexes were written with ${written}: ` +
        'look-ups may miss texts, and a grant may be made twice; stop all instances and loads, and as the owner of ' +
        `the database, run each by itself: reindex database ${name}; alter database ${name} refresh collation version`,
    ),
  )
}

/** Looks up a key as requests do. */
async function checkKeys(sql: Sql): Promise<Finding> {
  return (await createKeyCheck(sql)()) ? ok('keys', 'found by their secrets') : wrong('keys', keysNotFound)
}

/** Says how old the data is. Nobody but the operator knows how old it may be. */
async function checkData(sql: Sql): Promise<Finding> {
  const { version, loaded_at: loadedAt, refreshed_at: refreshedAt } = await readDataset(sql)
  if (loadedAt === null) return ok('data', `version ${version}, no load has succeeded yet`)
  const refresh = refreshedAt === null ? 'no refresh yet' : `last refresh ${formatTime(refreshedAt)}`
  return ok('data', `version ${version}, last load ${formatTime(loadedAt)}, ${refresh}`)
}

async function checkSets(sql: Sql): Promise<Finding> {
  const { sets, faults } = await verifySets(sql, 'sample')
  return faults.length === 0
    ? ok('sets', `${countOf(sets, 'set')} of a sample agree with the rows`)
    : wrong('sets', `of a sample, ${describeFaults(sets, faults.length)}`)
}

async function checkLedger(sql: Sql): Promise<Finding> {
  const { keys, entries, problems } = await verifyLedger(sql)
  const [first] = problems
  if (first === undefined) {
    return ok('ledger', `${countOf(keys, 'key')}, ${countOf(entries, 'entry', 'entries')}: it adds up`)
  }
  return wrong(
    'ledger',
    `${countOf(problems.length, 'problem')}, the first with key ${first.keyId}: ${first.problem}; ` +
      `run: ${devdataCommand('ledger verify')}`,
  )
}

/** Checks that the documentation is built for the URL that clients use. */
export async function checkDocs({ baseUrl }: Config): Promise<Finding> {
  const docs = await createDocsFinder(docsDirectory, baseUrl)().catch(() => undefined)
  return docs === undefined
    ? wrong('docs', docsNotBuilt(baseUrl))
    : ok('docs', `built for ${docs.baseUrl ?? 'any URL without a path'}`)
}

/** Sends requests as a client does, to `BASE_URL`, or without it to `HOST` and `PORT`. They cost no credits. */
export async function checkService(config: Config, key: string | undefined): Promise<Finding[]> {
  const root = config.baseUrl ?? localOrigin(config)
  const reached = await checkVersion(root).catch(({ message }: Error) =>
    config.baseUrl === undefined
      ? skipped(
          'url',
          `not running: no service responds at ${root}; start it, or set BASE_URL if it has another URL`,
        )
      : wrong(
          'url',
          `${root} is unreachable: ${message}; check that the service runs, and its DNS name, proxy and certificate`,
        ),
  )
  if (reached.state !== 'ok') return [reached]
  if (key === undefined) {
    const message = 'no key given; add --key KEY, or --key - to read it from standard input'
    return [reached, skipped('request', message)]
  }
  const request = await checkKey(root, key).catch(({ message }: Error) =>
    wrong('request', `no response: ${message}`),
  )
  return [reached, request]
}

const versionSchema = v.pipe(v.string(), v.parseJson(), v.object({ version: v.string() }))
const errorSchema = v.pipe(v.string(), v.parseJson(), v.object({ error: v.string() }))

/** Checks that an instance of this version responds, and is healthy. Throws when there is no response. */
async function checkVersion(root: string): Promise<Finding> {
  const version = await send(`${root}/version`)
  const parsed = v.safeParse(versionSchema, version.body)
  if (!parsed.success) {
    return wrong(
      'url',
      `${root}/version is not a response of devdata (status ${version.status}); check BASE_URL and the proxy's paths`,
    )
  }
  const health = await send(`${root}/health`)
  if (health.status !== 200) return wrong('url', `${root}/health returned ${describeError(health)}`)
  const running = parsed.output.version
  return running === readVersion()
    ? ok('url', `${root} is healthy, version ${running}`)
    : wrong(
        'url',
        `${root} runs version ${running}, but this command is version ${readVersion()}; upgrade the older one`,
      )
}

/** Checks what a client's request needs: authentication, reading, links. Throws when there is no response. */
async function checkKey(root: string, key: string): Promise<Finding> {
  const headers = { Authorization: `Bearer ${key}` }
  const credits = await send(`${root}/api-key/credits`, { headers })
  if (credits.status !== 200)
    return wrong('request', `GET /api-key/credits returned ${describeError(credits)}`)
  // HEAD does the same work as GET, free.
  const quote = (path: string) => send(`${root}${path}?per_page=1`, { method: 'HEAD', headers })
  let path = '/users'
  let list = await quote(path)
  if (list.headers.get('X-Error-Code') === 'insufficient_permissions') {
    path = '/repos' // the key may read repositories only
    list = await quote(path)
  }
  if (list.headers.get('X-Error-Code') === 'insufficient_credits') {
    return wrong(
      'request',
      `HEAD ${path} was refused, because the key has no credits; use a key with credits`,
    )
  }
  if (list.status !== 200)
    return wrong('request', `HEAD ${path} returned ${list.status}; try GET with this key`)
  if (!list.headers.get('Link')?.startsWith(`<${root}${path}?`)) {
    return wrong(
      'request',
      `the Link header does not point to ${root}${path}; set BASE_URL, and let the proxy pass Link`,
    )
  }
  const total = list.headers.get('X-Total-Count')
  return ok('request', `GET /api-key/credits and HEAD ${path} succeeded, ${total} items`)
}

interface TextResponse {
  status: number
  headers: Headers
  body: string
}

/** Throws an error that says why there is no response. */
async function send(url: string, options: RequestInit = {}): Promise<TextResponse> {
  try {
    const response = await fetch(url, { ...options, redirect: 'manual', signal: AbortSignal.timeout(10_000) })
    return { status: response.status, headers: response.headers, body: await response.text() }
  } catch (error) {
    // The message of `fetch` says only that it failed; its cause says why.
    const { cause } = error instanceof Error ? error : {}
    throw cause instanceof Error ? new Error(describeFailure(cause)) : error
  }
}

function describeError({ status, body }: TextResponse): string {
  const parsed = v.safeParse(errorSchema, body)
  return `${status}: ${parsed.success ? parsed.output.error : 'its body is not an error of devdata'}`
}
