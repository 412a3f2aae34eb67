/** Where it is measured. */
import { open as openFile, readFile, rm, statfs } from 'node:fs/promises'
import { cpus, release, totalmem, type } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../api/database/connect.ts'

/** Describes the machine in a line, with the programs that matter. */
export async function describeMachine(sql: Sql): Promise<string> {
  const [server] = await sql<{ version: string; folder: string }[]>`
    select split_part(current_setting('server_version'), ' ', 1) as version, current_setting('data_directory') as folder`
  const deno = await readFile(join(import.meta.dirname, '../node_modules/deno/package.json'), 'utf8')
  const flush = await timeFlush(dirname(server?.folder ?? ''))
  return [
    `${cpus().length} cores (${cpus()[0]?.model})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `a flush to the disk in ${flush.toFixed(2)} ms`,
    `${type()} ${release().split('.', 2).join('.')}`,
    `PostgreSQL ${server?.version}`,
    `Node ${process.versions.node}`,
    `Deno ${JSON.parse(deno).version}`,
  ].join(', ')
}

/** Milliseconds that a write of 8 kB takes until it is on the disk: what a commit waits for. The median of many. */
async function timeFlush(folder: string): Promise<number> {
  const file = join(folder, `flush-${process.pid}`)
  const handle = await openFile(file, 'w')
  try {
    const page = Buffer.alloc(8_192)
    const times: number[] = []
    for (let time = 0; time < 200; time++) {
      const begin = performance.now()
      await handle.write(page, 0, page.length, (time % 100) * page.length) // the second time nothing is allocated
      await handle.datasync()
      if (time >= 100) times.push(performance.now() - begin)
    }
    return times.sort((a, b) => a - b)[times.length / 2] ?? Number.NaN
  } finally {
    await handle.close()
    await rm(file)
  }
}

/** Share of the CPU time that is taken at the moment, from 0 to 1. */
export async function readTaken(): Promise<number> {
  const read = () => {
    const times = cpus().map((cpu) => cpu.times)
    const idle = times.reduce((sum, time) => sum + time.idle, 0)
    return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) }
  }
  const before = read()
  await sleep(500)
  const after = read()
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

/** Free bytes of a folder's disk. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
