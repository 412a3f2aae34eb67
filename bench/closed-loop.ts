/** The generator of closed loops; see `ClosedLoopJob`. */
import { randomUUID } from 'node:crypto'
import { percentile } from './figures.ts'
import { openConnection } from './http-connection.ts'
import { type ClosedLoopJob, type ClosedLoopResult, createRequests, serveJobs } from './load.ts'

/** Responses that come later than this after the end are missing. */
const responseTimeoutMs = 120_000

function run(job: ClosedLoopJob): Promise<ClosedLoopResult> {
  const { port, connections, seconds, acceptEncoding, idempotent = false, mayRefuse = false } = job
  const { warmUp = Math.min(1, seconds) } = job
  const write = createRequests(job)
  const accept = acceptEncoding === undefined ? '' : `Accept-Encoding: ${acceptEncoding}\r\n`
  const begin = performance.now() + warmUp * 1000
  const end = begin + seconds * 1000
  const latencies: number[] = []
  let served = 0
  let refused = 0
  let inTime = 0
  let working = connections

  return new Promise((finish, fail) => {
    const timer = setTimeout(
      () => fail(new Error('responses are missing')),
      end - performance.now() + responseTimeoutMs,
    )

    function work(): void {
      let sent = 0
      function send(): void {
        sent = performance.now()
        connection.send(write(accept + (idempotent ? `Idempotency-Key: ${randomUUID()}\r\n` : '')))
      }
      const connection = openConnection(port, {
        responded(status) {
          const now = performance.now()
          if (status === 200) {
            served++
            if (now >= begin && now < end) inTime++
            if (sent >= begin) latencies.push(now - sent)
          } else if (status === 503 && mayRefuse) refused++
          else return fail(new Error(`a response was ${status}`))
          if (now < end || latencies.length === 0) return send() // a slow response isn't a missing figure
          connection.close()
          working--
          if (working > 0) return
          clearTimeout(timer)
          latencies.sort((a, b) => a - b)
          finish({
            served,
            refused,
            // A run on a busy machine may be over before its first response.
            perSecond: inTime > 0 ? inTime / seconds : (latencies.length * 1_000) / (now - begin),
            median: percentile(latencies, 0.5),
            p99: percentile(latencies, 0.99),
            longest: latencies.at(-1) ?? Number.NaN,
            elapsed: (now - begin) / 1000 + warmUp,
          })
        },
        lost: (reason) => fail(new Error(`a connection was lost: ${reason}`)),
      })
      send()
    }
    for (let index = 0; index < connections; index++) work()
  })
}

await serveJobs(run)
