/**
 * A load balancer as there are many: it asks each instance at `/health` a few times a second, passes requests on to those
 * that are well, over connections that it keeps, and tries nothing twice.
 *
 * @module
 */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A running load balancer, on a free port of 127.0.0.1. */
export interface Balancer extends AsyncDisposable {
  url: string
  /** Why requests were not answered by an instance. */
  failures: string[]
  /** Passes requests on to one instance more, once it is well. */
  add(instanceUrl: string): void
  /** Resolves when all instances that were added and not removed are well. */
  allWell(): Promise<void>
  /** Forgets an instance. */
  remove(instanceUrl: string): void
}

/** Between two questions for an instance's health, in milliseconds. */
const interval = 200

/** Starts a load balancer before no instance at all. */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const instances = new Map<string, { isWell: boolean }>()
  const failures: string[] = []
  let turn = 0
  let isClosed = false

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const well = [...instances].filter(([, { isWell }]) => isWell)
    const [url] = well[turn++ % well.length] ?? []
    if (url === undefined) {
      fail(outgoing, 'no instance is well')
      return
    }
    const passed = request(`${url}${incoming.url}`, { agent, headers: incoming.headers }, (answer) => {
      // The connections on either side are each their own.
      const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...headers } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, headers)
      answer.pipe(outgoing)
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
      // It stays what it was until it answers: being slow is not being unwell.
      instance.isWell = await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
      await sleep(interval)
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
      instances.set(url, { isWell: false })
      void watch(url)
    },
    async allWell() {
      while (![...instances.values()].every(({ isWell }) => isWell)) await sleep(20)
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
