/**
 * `npm run bench -- embedded`: the database that every newcomer meets first, with the sample data, against the same data
 * on a PostgreSQL server.
 *
 * @module
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../api/database/database.ts'
import { assertAlike, createHttpContender } from './comparison.ts'
import { alternate, type Report } from './figures.ts'
import { countMismatches, fillKeys, secretOf } from './fill.ts'
import { startClosedLoop, type Target } from './load.ts'
import { type Program, runImport, startOurs, watchMemory } from './programs.ts'
import type { Stage } from './stage.ts'

/** What can be chosen on the command line. */
export interface EmbeddedOptions {
  rounds: number
  /** Of each run. */
  seconds: number
}

const sample = join(import.meta.dirname, '../sample')
const keys = 100
const pageSize = 30
const connections = 32
const mostMegabytes = 650

export async function measureEmbedded(
  report: Report,
  stage: Stage,
  { rounds, seconds }: EmbeddedOptions,
): Promise<void> {
  const onServer = await stage.create('sample')
  const folder = await mkdtemp(join(tmpdir(), 'devdata-bench-'))
  await using generator = startClosedLoop()
  try {
    await runImport(onServer.url, sample)
    await fillKeys(onServer.sql, keys)
    const startServed = () => startOurs(onServer.url)
    const startEmbedded = () => startOurs('', { DATA_DIR: folder })

    const first = await time(startEmbedded)
    report.note(
      { bar: 'first start to ready', against: 'the embedded database', goal: null, unit: 's' },
      first,
    )
    const starts = await alternate(report, rounds, [
      ['embedded', () => time(startEmbedded)],
      ['server', () => time(startServed)],
    ])
    report.compare(
      { bar: 'later start to ready', against: 'a server', goal: null, better: 'lower', unit: 's' },
      starts('embedded'),
      starts('server'),
    )

    const targets = await createTargets()
    await using embedded = await startEmbedded()
    await using served = await startServed()
    const { sql, close } = await openDatabase({
      databaseUrl: undefined,
      dataDirectory: folder,
      databasePoolSize: 1,
      databaseStatementTimeoutSeconds: 0,
    })
    await fillKeys(sql, keys)
    for (const { path } of Object.values(targets).flat()) {
      await assertAlike(path, [
        createHttpContender('a server', served, path, { sql: onServer.sql }),
        createHttpContender('the embedded database', embedded, path, { sql }),
      ])
    }
    const memory = watchMemory(embedded)
    for (const [name, requests] of Object.entries(targets)) {
      const load = (program: Program) => async () => {
        const job = { port: program.port, targets: requests, connections, seconds }
        return (await generator.run(job)).perSecond
      }
      for (const program of [embedded, served]) await load(program)()
      const of = await alternate(report, rounds, [
        ['embedded', load(embedded)],
        ['server', load(served)],
      ])
      report.compare(
        { bar: name, against: 'a server', goal: null, better: 'higher', unit: 'requests/s' },
        of('embedded'),
        of('server'),
      )
    }
    report.note(
      { bar: 'resident memory, peak', against: 'the embedded database', goal: mostMegabytes, unit: 'MiB' },
      Math.max(...(await memory.stop())),
    )
    report.note(
      { bar: 'keys whose ledger does not add up', against: 'afterwards', goal: 0, unit: 'keys' },
      await countMismatches(sql),
    )
    await close()
  } finally {
    await stage.drop(onServer)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Every user, and every page of all users. */
async function createTargets(): Promise<Record<string, Target[]>> {
  const lines = (await readFile(join(sample, 'users.ndjson'), 'utf8')).trimEnd().split('\n')
  const logins = lines.map((line): string => JSON.parse(line).login)
  const toTarget = (path: string, index: number) => ({ key: secretOf(1 + (index % keys)), path })
  return {
    'look-ups': logins.map((login, index) => toTarget(`/users/${login}`, index)),
    'pages of users': Array.from({ length: logins.length / pageSize }, (_, page) =>
      toTarget(`/users?per_page=${pageSize}&page=${page + 1}`, page),
    ),
  }
}

/** Starts a program and stops it. Returns the seconds until it was ready. */
async function time(start: () => Promise<Program>): Promise<number> {
  const began = performance.now()
  await using _ = await start()
  return (performance.now() - began) / 1000
}
