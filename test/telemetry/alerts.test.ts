/**
 * The alerts of `deploy/alerts.yml`: their rules, what they read, and in a drill what a real Prometheus makes of them.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { scopes } from '../../api/ledger/api-key.ts'
import { createKey } from '../../api/ledger/keys.ts'
import { loadSampleData } from '../../api/runtime/trial.ts'
import { testPool } from '../support/databases.ts'
import { isDrill } from '../support/drill.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { waitForSuccess } from '../support/live-service.ts'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { findFreePort } from '../support/postgres-process.ts'
import { startInstanceProcess } from '../support/process.ts'
import { hasPrometheus, startPrometheus } from '../support/prometheus.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'

const project = join(import.meta.dirname, '../..')
const directory = join(project, 'deploy')
const rulesSchema = v.object({
  groups: v.array(
    v.object({
      rules: v.array(
        v.object({
          alert: v.string(),
          expr: v.string(),
          for: v.optional(v.string(), '–'),
          labels: v.object({ severity: v.picklist(['critical', 'warning']) }),
          annotations: v.object({ summary: v.string(), description: v.string() }),
        }),
      ),
    }),
  ),
})

const text = await readFile(join(directory, 'alerts.yml'), 'utf8')
const rules = v.parse(rulesSchema, parse(text)).groups.flatMap((group) => group.rules)

test.runIf(hasPrometheus)('promtool accepts the rules, and its tests of them pass', async () => {
  for (const parameters of [
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    await promisify(execFile)('promtool', parameters, { cwd: directory })
  }
})

test('each alert has a test', async () => {
  const tests = await readFile(join(directory, 'alerts.test.yml'), 'utf8')
  const tested = (name: string) =>
    tests.includes(`alertname: ${name}\n`) || tests.includes(`alertname="${name}"`)
  expect(rules.map(({ alert }) => alert).filter((name) => !tested(name))).toEqual([])
})

test('the docs list each alert with its severity and its time', async () => {
  const page = await readFile(join(project, 'docs-site/src/content/docs/observing.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(Devdata\w+)` \| (\w+) \| (\S+) \|/gm)].map(([, ...cells]) => cells)
  expect(rows).toEqual(rules.map(({ alert, labels, for: time }) => [alert, labels.severity, time]))
})

/** Series of metrics that the rules select, each with the labels that it must have. */
function listSelectors(): { name: string; labels: string[] }[] {
  return rules.flatMap(({ expr }) =>
    [...expr.matchAll(/\b(\w+)\{([^}]*)\}/g)].map(([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/\w+="[^"]*"/g)]
        .map(([label]) => label)
        .filter((label) => !label.startsWith('job=')),
    })),
  )
}

describeOnServer('an instance', () => {
  const service = useService('postgresql')

  test('has every series that the alerts read in its first response to a scrape, and errors begin at 0', async () => {
    const database = await openSameDatabase(service, {
      databaseReplicaUrls: [service.location.databaseUrl ?? ''],
    })
    const instance = createInstance(database, { webhook: { url: 'http://127.0.0.1:9/', secrets: [] } })
    const { secret: key } = await service.createKey({ role: 'admin' })
    const scraped = (await instance.request('/metrics', { key })).text.split('\n')
    await database.close()
    // Prometheus makes `up`. The event loop is measured between two scrapes.
    const later = ['up', 'devdata_event_loop_delay_seconds']
    const selectors = listSelectors().filter(({ name }) => !later.includes(name))
    expect(selectors.length).toBeGreaterThanOrEqual(rules.length - later.length)
    const missing = selectors.filter(
      ({ name, labels }) =>
        !scraped.some(
          (line) => /^\w+/.exec(line)?.[0] === name && labels.every((label) => line.includes(label)),
        ),
    )
    expect(missing).toEqual([])
    const errors = scraped.filter((line) => line.startsWith('devdata_errors_total{'))
    expect(errors.length).toBeGreaterThan(25)
    expect(errors.filter((line) => !line.endsWith(' 0'))).toEqual([])
  })
})

/** The drill takes a sixth of the time that the rules say, and scrapes so much more often. */
const speed = 6
const scrapeSeconds = 24 / speed

/** Divides the times of the rules: `for: 5m`, and ranges such as `[5m]`. */
function accelerate(rules: string): string {
  const seconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 }
  return rules.replace(
    /(for: |\[)(\d+)([mhd])\b/g,
    (_, before: string, count: string, unit: string) =>
      `${before}${(Number(count) * (seconds[unit] ?? 0)) / speed}s`,
  )
}

test.runIf(isDrill && hasPrometheus)(
  'Prometheus fires in an outage, over capacity and after missed refreshes, and not for a rolling restart',
  async () => {
    await using cluster = await startPostgresCluster()
    await using proxy = await startFaultyProxy(cluster.url, 'settle(')
    const databaseUrl = await cluster.createDatabase()
    const database = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    await migrate(database.sql)
    await loadSampleData(database.sql)
    const common = { scopes, rateLimit: null, expiresAt: null, name: null }
    const admin = await createKey(database.sql, { ...common, role: 'admin', credits: 0 })
    const user = await createKey(database.sql, { ...common, role: 'user', credits: 1_000_000_000 })

    const ports = [await findFreePort(), await findFreePort()]
    const targets = ports.map((port) => `127.0.0.1:${port}`)
    const settings = { RESPONSE_CACHE_MB: '0', SHUTDOWN_DELAY_SECONDS: '2' }
    const start = (number: 0 | 1, until: 'ready' | 'listening' = 'ready') =>
      startInstanceProcess(
        number === 0 ? databaseUrl : proxy.urlOf(databaseUrl),
        { ...settings, PORT: String(ports[number]) },
        { until },
      )
    await using stack = new AsyncDisposableStack()
    const instances = [stack.use(await start(0)), stack.use(await start(1))]
    await using prometheus = await startPrometheus({
      rules: accelerate(text),
      targets,
      key: admin.secret,
      scrapeSeconds,
    })
    const { listFiring } = prometheus
    /** Every alert that fires within a time of the rules. */
    async function watch(minutes: number): Promise<string[]> {
      const seen = new Set<string>()
      for (const end = Date.now() + (minutes * 60_000) / speed; Date.now() < end; await sleep(500)) {
        for (const alert of await listFiring()) seen.add(alert)
      }
      return [...seen].sort()
    }
    const timeout = 300_000
    const stopping = new AbortController()
    /** Sends requests to both instances until the drill ends. */
    async function send(): Promise<void> {
      for (let turn = 0; !stopping.signal.aborted; turn++) {
        const headers = { Authorization: `Bearer ${user.secret}` }
        await fetch(`http://${targets[turn % 2]}/users?per_page=2`, { headers }).then(
          (response) => response.arrayBuffer(),
          () => {},
        )
        await sleep(50)
      }
    }
    const clients = Array.from({ length: 10 }, send)
    try {
      // One instance after the other is replaced. The second one can't reach its database at first.
      await watch(1)
      await instances[0]?.stop()
      stack.use(await start(0))
      await instances[1]?.stop()
      proxy.shut()
      stack.use(await start(1, 'listening'))
      await sleep(1_000)
      proxy.restore()
      await waitForSuccess(`http://${targets[1]}/health`)
      expect(await watch(7)).toEqual([])

      await cluster.stop('immediate')
      await expect
        .poll(listFiring, { timeout })
        .toEqual(['DevdataDatabaseErrors', ...targets.map((target) => `DevdataUnhealthy ${target}`).sort()])
      await cluster.start()
      await expect.poll(listFiring, { timeout }).toEqual([])

      // The last load was three days ago. Requests wait for a lock again and again, and more come than may wait.
      await database.sql`update loads set applied_at = now() - interval '3 days'`
      const isDone = new AbortController()
      const block = (async () => {
        for (; !isDone.signal.aborted; await sleep(200)) {
          await database.sql.begin(async (tx) => {
            await tx`lock table users in access exclusive mode`
            await sleep(4_000)
          })
        }
      })()
      const crowd = Array.from({ length: 390 }, send)
      const expected = [...targets.map((target) => `DevdataOverCapacity ${target}`), 'DevdataRefreshMissed']
      await expect.poll(listFiring, { timeout }).toEqual(expect.arrayContaining(expected))
      expect((await listFiring()).filter((alert) => /Down|Unhealthy|Restarts/.test(alert))).toEqual([])
      isDone.abort()
      stopping.abort()
      await Promise.all([block, ...crowd])
      await database.sql`update loads set applied_at = now()`
      await expect.poll(listFiring, { timeout }).toEqual([])
    } finally {
      stopping.abort()
      await Promise.all(clients)
      await database.close()
    }
  },
)
