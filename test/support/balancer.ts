/**
 * A load balancer: it requests `/health` of each instance a few times a second, forwards requests to healthy instances
 * over persistent connections, and retries nothing.
 */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A running load balancer, on a free port of 127.0.0.1. */
export interface Balancer extends AsyncDisposable {
  url: string
  /** Why requests got no response of an instance. */
  failures: string[]
  /** Adds an instance, which gets requests once it is healthy. */
  add(instanceUrl: string): void
  /** Waits until all instances are healthy. */
  allWell(): Promise<void>
  /** Removes an instance. */
  remove(instanceUrl: string): void
}

const checkIntervalMs = 200

/** Starts a load balancer without instances. */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const instances = new Map<string, { isHealthy: boolean }>()
  const failures: string[] = []
  let turn = 0
  let isClosed = false

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const healthy = [...instances].filter(([, { isHealthy }]) => isHealthy)
    const [url] = healthy[turn++ % healthy.length] ?? []
    if (url === undefined) {
      fail(outgoing, 'no instance is healthy')
      return
    }
    const passed = request(`${url}${incoming.url}`, { agent, headers: incoming.headers }, (response) => {
      // Headers of the connection are not forwarded.
      const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...headers } = response.headers
      outgoing.writeHead(response.statusCode ?? 502, headers)
      response.pipe(outgoing)
    })
    passed.on('error', (error) => fail(outgoing, `${url}: ${error.message}`))
    passed.end()
  }

  function fail(outgoing: ServerResponse, reason: string): void {
    failures.push(reason)
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(502).end()
  }

  async function watch(url: string): Promise<void> {
    for (let instance = instances.get(url); instance && !isClosed; instance = instances.get(url)) {
      // A slow instance keeps its state.
      instance.isHealthy = await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
      await sleep(checkIntervalMs)
    }
  }

  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the balancer has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    failures,
    add(url) {
      instances.set(url, { isHealthy: false })
      void watch(url)
    },
    async allWell() {
      while (![...instances.values()].every(({ isHealthy }) => isHealthy)) await sleep(20)
    },
    remove(url) {
      instances.delete(url)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await once(server, 'close')
    },
  }
}
