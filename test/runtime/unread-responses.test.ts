/** Clients that read nothing of a response that the operating system has taken whole. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { watchUnreadResponses, writeAddress } from '../../api/runtime/unread-responses.ts'
import { countUnreadBytes } from '../support/unread-bytes.ts'

const minuteMs = 60_000
/** More than the system of a client takes if it doesn't read, and less than that of a server. */
const response = Buffer.alloc(2 ** 21)

/** A connection's both ends. */
async function openConnection(host: string, port: number, accepted: Socket[]) {
  const client = connect(port, host)
  await once(client, 'connect')
  const find = () => accepted.find(({ remotePort }) => remotePort === client.localPort)
  await expect.poll(find).toBeDefined()
  const socket = find()
  if (socket === undefined) throw new Error('the connection was not accepted')
  return { client, socket, countUnread: () => countUnreadBytes(port, socket.remotePort) }
}

/** Reads some of a response. */
async function read(client: Socket, bytes: number): Promise<void> {
  for (let count = 0; count < bytes; ) {
    const part: Buffer | null = client.read()
    if (part === null) await once(client, 'readable')
    else count += part.length
  }
}

test.runIf(process.platform === 'linux').each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  ['::', '127.0.0.1'],
])(
  'a connection to %s is found if its client reads nothing for a minute, and not if it reads slowly (from %s)',
  async (address, host) => {
    const accepted: Socket[] = []
    const server = createServer((socket) => accepted.push(socket))
    await once(server.listen(0, address), 'listening')
    const { port } = server.address() as AddressInfo
    const idle = await openConnection(host, port, accepted)
    const slow = await openConnection(host, port, accepted)
    const { findStuck } = watchUnreadResponses(minuteMs)
    let nowMs = 0
    /** Looks a minute later. */
    async function look(): Promise<string[]> {
      nowMs += minuteMs
      const found = new Set(await findStuck(accepted, nowMs))
      return Object.entries({ idle, slow }).flatMap(([name, { socket }]) => (found.has(socket) ? [name] : []))
    }

    expect(await look()).toEqual([]) // nothing was sent
    for (const { socket } of [idle, slow])
      await new Promise<void>((sent) => socket.write(response, () => sent()))
    let found = await look()
    while (found.length === 0) {
      const before = await slow.countUnread()
      expect(before).toBeGreaterThan(0)
      while ((await slow.countUnread()) >= before) await read(slow.client, 2 ** 14)
      found = await look()
    }
    expect(found).toEqual(['idle'])

    for (const { client } of [idle, slow]) client.resume()
    for (const { countUnread } of [idle, slow]) await expect.poll(countUnread).toBe(0)
    expect([await look(), await look()]).toEqual([[], []])

    for (const { client } of [idle, slow]) client.destroy()
    server.close()
    await once(server, 'close')
  },
)

test('addresses are written as the system’s table has them', () => {
  expect(writeAddress('127.0.0.1')).toBe('0100007F')
  expect(writeAddress('::1')).toBe('00000000000000000000000001000000')
  expect(writeAddress('::ffff:127.0.0.1')).toBe('0000000000000000FFFF00000100007F')
  expect(writeAddress('fe80::1:2%eth0')).toBe('000080FE000000000000000002000100')
})
