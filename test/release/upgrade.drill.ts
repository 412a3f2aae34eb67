/**
 * The upgrade from 0.1.0 and the way back, with the packed files of both versions, while clients page and pay. Prints
 * what each step takes, what clients saw and how long they waited for locks on tables. `UPGRADE_USERS=100000` sets the
 * size of the data. `RELEASES` may name a folder with the packed file of 0.1.0, which otherwise is made in a clone.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { numbersUpTo, writeDataset, writeRefresh } from '../../bench/dataset.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { packService } from '../../release/service.ts'
import { startBalancer } from '../support/balancer.ts'
import { watchTableLocks } from '../support/lock-waits.ts'
import { installService } from '../support/npm.ts'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { inheritEnvironment, type RunningProgram, startProgram } from '../support/program.ts'
import { describeOnServer } from '../support/server.ts'
import { startUpgradeClients } from '../support/upgrade-clients.ts'

const run = promisify(execFile)
const maxBuffer = 2 ** 26
const project = join(import.meta.dirname, '..', '..')

/** The last commit of 0.1.0, which has no tag. */
const commitOfOld = 'c08da324b5abc7053679f72c32ac8a3ef086271e'
const forge = { seed: 'upgrade', users: Number(process.env.UPGRADE_USERS ?? 2_000) }
/** As a server in production has it. */
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
/** Long enough for the balancer to notice that an instance stops. */
const shutdownDelaySeconds = 6
const credits = 1_000_000_000
/** Packing 0.1.0 installs its packages and builds its docs. */
const maxDurationMs = 3 * 3_600_000

/** The packed file of 0.1.0. */
async function packOld(directory: string): Promise<string> {
  const { RELEASES: releases } = process.env
  const file = 'devdata-0.1.0.tgz'
  if (releases !== undefined) return resolve(releases, file)
  const clone = join(directory, 'clone')
  await run('git', ['clone', '--quiet', '--no-checkout', project, clone])
  await run('git', ['checkout', '--quiet', commitOfOld], { cwd: clone })
  await run('npm', ['run', 'package'], { cwd: clone, env: inheritEnvironment(), maxBuffer })
  return join(clone, 'dist/release', file)
}

/** The packed file of this version. */
async function packNew(directory: string): Promise<string> {
  await buildDocs({ ifStale: true })
  const { name, content } = await packService()
  await writeFile(join(directory, name), content)
  return join(directory, name)
}

describeOnServer('an upgrade from 0.1.0, and the way back', () => {
  test('loses no request, shows no gap, and charges what it delivers', {
    timeout: maxDurationMs,
  }, async () => {
    await using stack = new AsyncDisposableStack()
    const directory = await mkdtemp(join(tmpdir(), 'devdata-upgrade-'))
    stack.defer(() => rm(directory, { recursive: true, force: true }))
    const oldProgram = await installService(await packOld(directory), join(directory, 'old'))
    const newProgram = await installService(await packNew(directory), join(directory, 'new'))
    const cluster = stack.use(await startPostgresCluster({ hasUsualSettings: true, settings: durable }))
    const databaseUrl = await cluster.createDatabase()
    const balancer = stack.use(await startBalancer())
    const sql = postgres(databaseUrl, { max: 1 })
    stack.defer(() => sql.end())

    const environment = { ...inheritEnvironment(), DATABASE_URL: databaseUrl }
    const devdata = async (program: string, ...words: string[]): Promise<string> =>
      (await run(program, words, { cwd: directory, env: environment, maxBuffer })).stdout

    async function start(program: string): Promise<RunningProgram> {
      const instance = await startProgram([program, 'start'], {
        directory,
        environment: {
          DATABASE_URL: databaseUrl,
          PORT: '0',
          LOG_LEVEL: 'error',
          SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds),
        },
        announcement: /devdata is ready at (http:\/\/127\.0\.0\.1:\d+)\n/,
      })
      stack.use(instance)
      balancer.add(instance.announced)
      await balancer.allWell()
      return instance
    }
    async function replace(instance: RunningProgram, program: string): Promise<RunningProgram> {
      const next = await start(program)
      expect(await instance.stop()).toBe(0)
      balancer.remove(instance.announced)
      return next
    }

    const steps: { step: string; began: number; ended: number }[] = []
    async function measure<Result>(step: string, act: () => Promise<Result>): Promise<Result> {
      const began = performance.now()
      const result = await act()
      steps.push({ step, began, ended: performance.now() })
      return result
    }
    /** Loads one user of a hundred, changed, and their repository. */
    async function refresh(program: string, revision: number): Promise<void> {
      const numbers = numbersUpTo(forge.users, 100)
      const { folder } = await writeRefresh(join(directory, 'refresh'), forge, { numbers, revision })
      await measure(`a load of ${program === oldProgram ? '0.1.0' : 'this version'}`, () =>
        devdata(program, 'import', 'ndjson', folder),
      )
    }

    await devdata(oldProgram, 'migrate')
    const { folder } = await writeDataset(join(directory, 'data'), forge)
    await measure('the first load, by 0.1.0', () => devdata(oldProgram, 'import', 'ndjson', folder))
    const createKey = async (): Promise<string> =>
      JSON.parse(await devdata(oldProgram, 'keys', 'create', '--credits', String(credits), '--json')).api_key
    let instance = await start(oldProgram)
    const clients = startUpgradeClients(
      balancer.url,
      forge,
      await Promise.all(Array.from({ length: 8 }, createKey)),
    )
    stack.defer(async () => void (await clients.stop().catch(() => {})))
    const locks = watchTableLocks(sql)
    await measure('0.1.0 alone', () => sleep(5_000))

    const plan = JSON.parse(
      await measure('migrate --plan', () => devdata(newProgram, 'migrate', '--plan', '--json')),
    )
    expect(plan).toMatchObject({ newest: 1, is_rolling: true })
    const { applied } = JSON.parse(await measure('migrate', () => devdata(newProgram, 'migrate', '--json')))
    expect(applied).toEqual(plan.migrations.map(({ name }: { name: string }) => name))
    instance = await measure('0.1.0 replaced', () => replace(instance, newProgram))
    expect(await clients.askNewFilter()).toBe(503)
    await refresh(newProgram, 1)
    expect(await clients.askNewFilter()).toBe(200)

    instance = await measure('back to 0.1.0', () => replace(instance, oldProgram))
    await refresh(oldProgram, 2)
    instance = await measure('0.1.0 replaced again', () => replace(instance, newProgram))
    expect(await clients.askNewFilter()).toBe(503)
    await measure('sets rebuild', () => devdata(newProgram, 'sets', 'rebuild'))
    expect(await clients.askNewFilter()).toBe(200)

    const { responses, faults, accounts } = await clients.stop()
    const waits = await locks.stop()
    console.log(`${forge.users} users; the plan estimated ${plan.estimated_seconds} s`)
    console.table(
      steps.map(({ step, began, ended }) => {
        const during = responses.filter((each) => each.startedAt < ended && each.endedAt > began)
        const longest = (lengths: number[]) => Math.round(Math.max(0, ...lengths))
        return {
          step,
          seconds: ((ended - began) / 1_000).toFixed(1),
          responses: during.length,
          'longest, ms': longest(during.map(({ startedAt, endedAt }) => endedAt - startedAt)),
          'lock wait, ms': longest(waits.filter(({ at }) => at > began && at < ended).map(({ ms }) => ms)),
        }
      }),
    )
    expect([...balancer.failures, ...faults]).toEqual([])
    for (const { items, cost, left } of accounts) expect([cost, left]).toEqual([items, credits - items])
    expect(accounts.every(({ items }) => items > 0)).toBe(true)
    for (const program of [oldProgram, newProgram]) await devdata(program, 'ledger', 'verify') // fails if something is wrong
    await devdata(newProgram, 'sets', 'verify') // 0.1.0 doesn't know all lists
    expect(await instance.stop()).toBe(0)
  })
})
