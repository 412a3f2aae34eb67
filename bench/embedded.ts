/** The embedded database that every newcomer meets first, against the same data on a PostgreSQL server. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../api/database/database.ts'
import { assertAlike, createHttpContender } from './comparison.ts'
import { alternate } from './figures.ts'
import { countMismatches, fillKeys, secretOf } from './fill.ts'
import type { Target } from './load.ts'
import type { Bench } from './parts.ts'
import { type Program, runCommand, startOurs, watchMemory } from './programs.ts'
import { nameUser } from './records.ts'

const keys = 100
const pageSize = 30
const connections = 32
/** Of the service, and of the command that loads the data. */
const mostMegabytes = 650

export async function measureEmbedded({ report, stage, form, generator }: Bench): Promise<void> {
  const { rounds, seconds, embeddedUsers: users } = form
  const onServer = await stage.open(users)
  const folder = await mkdtemp(join(tmpdir(), 'devdata-bench-'))
  const startServed = () => startOurs(onServer.url)
  const startEmbedded = () => startOurs('', { DATA_DIR: folder })
  const alone = { against: 'the embedded database', goal: null }
  const bounded = { ...alone, goal: mostMegabytes, unit: 'MiB' }
  try {
    const words = ['import', 'ndjson', onServer.dataset.folder]
    const loaded = await runCommand('', words, { DATA_DIR: folder })
    report.note({ ...alone, bar: 'first load', unit: 's' }, loaded.seconds)
    report.note({ ...bounded, bar: 'memory of the first load, peak' }, loaded.megabytes)
    const starts = await alternate(report, rounds, [
      ['embedded', () => time(startEmbedded)],
      ['server', () => time(startServed)],
    ])
    report.compare(
      { bar: 'start to ready', against: 'a server', goal: null, better: 'lower', unit: 's' },
      starts('embedded'),
      starts('server'),
    )

    await using embedded = await startEmbedded()
    await using served = await startServed()
    const { sql, close } = await openDatabase({
      databaseUrl: undefined,
      dataDirectory: folder,
      databasePoolSize: 1,
      databaseStatementTimeoutSeconds: 0,
    })
    await fillKeys(sql, keys)
    const lookUp = `/users/${nameUser('{n}')}`
    const page = `/users?per_page=${pageSize}&page={n}`
    const requests = { 'look-ups': [lookUp, users], 'pages of users': [page, users / pageSize] } as const
    for (const [path, most] of Object.values(requests)) {
      for (const number of [1, Math.ceil(most / 2), Math.ceil(most)]) {
        const numbered = path.replace('{n}', String(number))
        await assertAlike(numbered, [
          createHttpContender('a server', served, numbered, { sql: onServer.sql }),
          createHttpContender('the embedded database', embedded, numbered, { sql }),
        ])
      }
    }
    const memory = watchMemory(embedded)
    for (const [name, [path, most]] of Object.entries(requests)) {
      const targets = Array.from({ length: keys }, (_, index): Target => ({ key: secretOf(index + 1), path }))
      const load =
        ({ port }: Program) =>
        async () =>
          (await generator.run({ port, targets, most: Math.floor(most), connections, seconds })).perSecond
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
    report.note({ ...bounded, bar: 'resident memory, peak' }, Math.max(...(await memory.stop())))
    report.note(
      { bar: 'keys whose ledger does not add up', against: 'afterwards', goal: 0, unit: 'keys' },
      await countMismatches(sql),
    )
    await close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Starts a program and stops it. Returns the seconds until it was ready. */
async function time(start: () => Promise<Program>): Promise<number> {
  const began = performance.now()
  await using _ = await start()
  return (performance.now() - began) / 1000
}
