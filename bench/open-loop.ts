/** The generator of open loops; see `OpenLoopJob`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from './figures.ts'
import { type Connection, openConnection } from './http-connection.ts'
import { createRequests, type OpenLoopJob, type OpenLoopSecond, serveJobs } from './load.ts'

/** Connections are opened in batches, so that the server's queue of new ones does not run over. */
const connectionBatchSize = 100
/** Responses that come later than this after the end count as lost. */
const responseTimeoutMs = 30_000

interface Tally {
  planned: number
  offered: number
  /** By status; 0: the connection was lost. */
  responses: Map<number, number>
  /** In milliseconds. */
  admitted: number[]
  refused: number[]
}

async function run(job: OpenLoopJob): Promise<OpenLoopSecond[]> {
  const { port, perSecond, seconds, connections } = job
  const write = createRequests(job)
  const idle: Worker[] = []
  /** The longest idle goes first, so that none is idle for so long that the server closes it. */
  let firstIdle = 0
  let inProgress = 0
  let isOver = false

  interface Worker {
    connection: Connection
    tally: Tally | undefined
    /** When its request was due. */
    due: number
  }

  function open(): void {
    const worker: Worker = {
      tally: undefined,
      due: 0,
      connection: openConnection(port, {
        responded(status) {
          note(worker, status)
          idle.push(worker)
        },
        lost() {
          if (worker.tally !== undefined) note(worker, 0)
          else idle.splice(idle.indexOf(worker, firstIdle), 1)
          if (!isOver) open()
        },
      }),
    }
    idle.push(worker)
  }

  function note(worker: Worker, status: number): void {
    const { tally, due } = worker
    if (tally === undefined) return
    worker.tally = undefined
    inProgress--
    tally.responses.set(status, (tally.responses.get(status) ?? 0) + 1)
    if (status === 200) tally.admitted.push(performance.now() - due)
    else if (status === 503 || status === 429) tally.refused.push(performance.now() - due)
  }

  for (let index = 0; index < connections; index++) {
    open()
    if (index % connectionBatchSize === 0) await sleep(10)
  }

  const tallies = Array.from({ length: seconds }, (): Tally => {
    return { planned: 0, offered: 0, responses: new Map(), admitted: [], refused: [] }
  })
  const begin = performance.now()
  const total = perSecond * seconds
  for (let next = 0; next < total; await sleep(1)) {
    const dueByNow = Math.min(total, ((performance.now() - begin) / 1000) * perSecond)
    for (; next < dueByNow; next++) {
      const tally = tallies[Math.floor(next / perSecond)]
      if (tally === undefined) break
      tally.planned++
      const worker = idle[firstIdle]
      if (worker === undefined) continue
      firstIdle++
      worker.tally = tally
      worker.due = begin + (next / perSecond) * 1000
      tally.offered++
      inProgress++
      worker.connection.send(write())
    }
    idle.splice(0, firstIdle)
    firstIdle = 0
  }
  const deadline = performance.now() + responseTimeoutMs
  while (inProgress > 0 && performance.now() < deadline) await sleep(10)
  isOver = true
  for (const { connection } of idle) connection.close()
  return tallies.map(summarize)
}

function summarize({ planned, offered, responses, admitted, refused }: Tally): OpenLoopSecond {
  const count = (status: number) => responses.get(status) ?? 0
  const settled = [...responses.values()].reduce((sum, one) => sum + one, 0)
  const [admittedMedian, admittedP99, refusedMedian, refusedP99] = [admitted, refused].flatMap(
    (latencies) => {
      latencies.sort((a, b) => a - b)
      return [0.5, 0.99].map((share) => (latencies.length === 0 ? null : percentile(latencies, share)))
    },
  )
  return {
    planned,
    offered,
    admitted: count(200),
    unavailable: count(503),
    throttled: count(429),
    other: settled - count(200) - count(503) - count(429) - count(0),
    lost: count(0) + offered - settled,
    admittedMedian: admittedMedian ?? null,
    admittedP99: admittedP99 ?? null,
    refusedMedian: refusedMedian ?? null,
    refusedP99: refusedP99 ?? null,
  }
}

await serveJobs(run)
