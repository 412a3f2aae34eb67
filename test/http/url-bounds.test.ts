/**
 * What is longer or has more parts than any valid request is refused before it is parsed, so it takes no more of the
 * event loop than any invalid request (decisions/0005-http.md).
 *
 * @module-tag later
 */
import { readFileSync } from 'node:fs'
import { Agent, request as send } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { runtimes } from '../support/process.ts'
import { startSampleProcess } from '../support/sample-process.ts'
import { useStarted } from '../support/suite.ts'

/** Nearly the longest URL that the server reads: request line and headers together are limited to 49,152 bytes. */
const maxLength = 48_500

/** What can be repeated in a URL, with what takes long if it is parsed. */
const repeated = {
  parameters: ['/users?', '&a'],
  'known parameters': ['/users?location=a', '&location=a'],
  'plus signs': ['/users?location=', '+'],
  entries: ['/users?logins=a', ',a'],
  'escaped entries': ['/users?dependency_names=', '%2Ca'],
  'characters that are escaped': ['/users?location=', '"'],
  'letters of a path': ['/users/', 'a'],
  'broken escapes in a path': ['/users/', '%ff-'],
  segments: ['/', 'a/'],
} as const

function repeat(name: keyof typeof repeated, length: number): string {
  const [start, part] = repeated[name]
  return start + part.repeat(Math.floor((length - start.length) / part.length))
}

interface Reply {
  status: number
  cost: string | undefined
}

describe.each(runtimes)('a process on %s', (runtime) => {
  const server = useStarted(() => startSampleProcess(runtime))
  let key: string
  beforeAll(async () => {
    key = server.key
  })

  /** A client with one connection. It has `authorization`, and opens another connection where the server closes one. */
  function connectClient(headers: Record<string, string> = { Authorization: `Bearer ${key}` }) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { port } = new URL(server.url)
    return {
      get: (path: string) =>
        new Promise<Reply>((settle, fail) => {
          const request = send({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
            const { statusCode: status = 0, headers } = response
            const cost = headers['x-credits-cost']
            response.resume()
            response.on('end', () => settle({ status, cost: cost === undefined ? undefined : String(cost) }))
          })
          request.on('error', fail)
          request.end()
        }),
      [Symbol.dispose]: () => agent.destroy(),
    }
  }

  async function readBalance(): Promise<number> {
    const response = await fetch(`${server.url}/api-key/credits`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    return JSON.parse(await response.text()).remaining_credits
  }

  test('refuses a URL that is longer than any valid one with 414, free, and an unauthenticated one with 401', async () => {
    const before = await readBalance()
    using client = connectClient()
    using stranger = connectClient({})
    for (const name of Object.keys(repeated) as (keyof typeof repeated)[]) {
      const path = repeat(name, 40_000)
      const { status, cost } = await client.get(path)
      // A path without a key is public.
      const isPublic = name === 'segments'
      expect([name, status, cost]).toEqual([name, 414, isPublic ? undefined : '0'])
      expect([name, (await stranger.get(path)).status]).toEqual([name, isPublic ? 414 : 401])
    }
    expect(await readBalance()).toBe(before)
  })

  test('refuses more parts than any valid request has with 400, free', async () => {
    const before = await readBalance()
    using client = connectClient()
    for (const path of [
      `/users?location=a${'&location='.repeat(250)}`,
      `/users?location=${'+'.repeat(4_001)}`,
      `/users?logins=a${',a'.repeat(4_001)}`,
      `/users?logins=a${'%2ca'.repeat(4_001)}`,
      `/users/ngoldberg?${'&'.repeat(251)}`,
      `/api-key/credits?${'&'.repeat(251)}`,
      `/nothing/users?${'&'.repeat(251)}`,
    ]) {
      const { status, cost } = await client.get(path)
      const expected = path.startsWith('/nothing') ? [404, undefined] : [400, '0']
      expect([path.slice(0, 30), status, cost]).toEqual([path.slice(0, 30), ...expected])
    }
    expect(await readBalance()).toBe(before)
  })

  test('refuses a URL of 240,000 characters with 414 before it has read it to the end', async () => {
    using client = connectClient()
    for (const name of ['parameters', 'plus signs', 'entries'] as const) {
      expect([name, (await client.get(repeat(name, 240_000))).status]).toEqual([name, 414])
    }
  })

  /** Processor time of the thread that runs the event loop, in nanoseconds. Other programs don't change it. */
  function readLoopTime(): number {
    const { processId } = server
    return Number(readFileSync(`/proc/${processId}/task/${processId}/schedstat`, 'utf8').split(' ')[0])
  }

  /**
   * Sends a request again and again on four connections, while a client on another one pays for ten responses. Returns
   * the processor time of the event loop for each response.
   */
  async function measureFlood(path: string, status: number): Promise<number> {
    using payer = connectClient()
    let isPaying = true
    let count = 0
    const before = readLoopTime()
    async function flood(): Promise<void> {
      using client = connectClient()
      for (; isPaying; count++) expect((await client.get(path)).status).toBe(status)
    }
    async function pay(): Promise<void> {
      for (let left = 10; left > 0; left--, count++) {
        expect(await payer.get('/users?per_page=1')).toEqual({ status: 200, cost: '1' })
      }
      isPaying = false
    }
    await Promise.all([pay(), ...Array.from({ length: 4 }, flood)])
    return (readLoopTime() - before) / count
  }

  test.skipIf(process.platform !== 'linux')(
    'takes no more of the event loop for hostile URLs than for a short invalid one, beside a client that pays',
    async () => {
      const measureControl = () => measureFlood('/users?a', 400)
      await measureControl() // the first requests compile the code
      const controls = [await measureControl()]
      const floods: [name: string, time: number][] = []
      for (const name of Object.keys(repeated) as (keyof typeof repeated)[]) {
        floods.push([name, await measureFlood(repeat(name, maxLength), 414)])
      }
      for (const name of ['parameters', 'plus signs', 'entries', 'escaped entries'] as const) {
        floods.push([`possible ${name}`, await measureFlood(repeat(name, 32_700), 400)])
      }
      floods.push(['120,000 parameters', await measureFlood(repeat('parameters', 240_000), 414)])
      controls.push(await measureControl())
      const control = Math.max(...controls)
      expect(floods.filter(([, time]) => time > 3 * control)).toEqual([])
    },
  )
})
