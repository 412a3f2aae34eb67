/**
 * `npm run bench -- runtimes`: what a request takes of the processor, and an instance of the memory, on both runtimes,
 * traced and not.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAlike, createHttpContender } from './comparison.ts'
import { alternate } from './figures.ts'
import { secretOf } from './fill.ts'
import type { Target } from './load.ts'
import type { Bench } from './parts.ts'
import {
  type Program,
  readMemory,
  readProcessorTime,
  startOnDeno,
  startOurs,
  watchMemory,
} from './programs.ts'
import { nameUser } from './records.ts'
import { keyCount } from './stage.ts'

const connections = 32
/** An instance is at rest after this time without a request, but not longer than a run. */
const maxRestMs = 3_000

/** Measures four instances on one database, one after the other in each round. */
export async function measureRuntimes({ report, stage, form, generator }: Bench): Promise<void> {
  const { users, rounds, seconds } = form
  const { url, sql } = await stage.open(users)
  await using collector = await startCollector()
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'devdata' }
  const onDeno = { OTEL_DENO: 'true', OTEL_DENO_CONSOLE: 'ignore' }
  await using node = await startOurs(url)
  await using tracedNode = await startOurs(url, traced)
  await using deno = await startOnDeno(url)
  await using tracedDeno = await startOnDeno(url, { ...traced, ...onDeno })

  const programs = { Node: node, 'Node, traced': tracedNode, Deno: deno, 'Deno, traced': tracedDeno }
  for (const user of [1, Math.ceil(users / 2), users]) {
    const path = `/users/${nameUser(user)}`
    await assertAlike(
      path,
      Object.entries(programs).map(([name, program]) => createHttpContender(name, program, path, { sql })),
    )
  }
  await sleep(Math.min(maxRestMs, 1_000 * seconds))
  const memory = await Promise.all(
    Object.entries(programs).map(async ([name, program]) => ({
      name,
      atRest: await readMemory(program),
      readings: watchMemory(program),
    })),
  )
  const targets: Target[] = Array.from({ length: keyCount }, (_, index) => ({
    key: secretOf(index + 1),
    path: `/users/${nameUser('{n}')}`,
  }))

  /** Microseconds of the processor for a request, on all threads; under a closed loop. */
  const measure = (program: Program) => async () => {
    const before = await readProcessorTime(program)
    const job = { port: program.port, targets, most: users, connections, seconds }
    const { served } = await generator.run(job)
    return ((await readProcessorTime(program)) - before) / served
  }
  report.say(`look-ups, ${connections} connections: ${rounds} rounds of ${seconds} s for each`)
  for (const program of Object.values(programs)) await measure(program)()
  const of = await alternate(report, rounds, [
    ['Node', measure(node)],
    ['Node, traced', measure(tracedNode)],
    ['Deno', measure(deno)],
    ['Deno, traced', measure(tracedDeno)],
  ])
  const time = { goal: null, better: 'lower', unit: 'µs of the processor for a request' } as const
  report.compare({ ...time, bar: 'Node, traced', against: 'not traced' }, of('Node, traced'), of('Node'))
  report.compare({ ...time, bar: 'Deno, traced', against: 'not traced' }, of('Deno, traced'), of('Deno'))
  report.compare({ ...time, bar: 'Deno', against: 'Node' }, of('Deno'), of('Node'))
  for (const { name, atRest, readings } of memory) {
    const peak = Math.max(...(await readings.stop()))
    report.compare(
      { bar: `${name}: resident memory, peak`, against: 'at rest', goal: null, better: 'lower', unit: 'MiB' },
      [peak],
      [atRest],
    )
  }
  for (const program of [tracedNode, tracedDeno]) await program[Symbol.asyncDispose]() // sends its last spans
  if (!collector.hasSpans()) throw new Error('nothing was traced')
}

/** A collector that takes what is sent, and keeps nothing of it. */
async function startCollector() {
  let traces = 0
  const server = createServer((request, response) => {
    if (request.url === '/v1/traces') traces++
    request.resume().on('end', () => response.setHeader('Content-Type', 'application/x-protobuf').end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the collector has no address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    hasSpans: () => traces > 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
