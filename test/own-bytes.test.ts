/** What comes from the database in parts, and whose memory it is. */
import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseOwnBytes, takeOwnBytes } from '../api/database/own-bytes.ts'
import { runtimes, startInstanceProcess } from './support/process.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const chunk = 65_536 // bytes that are read from a connection at a time, at most

describeOnEachDatabase('bytes of a row', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind)
  })
  afterAll(() => service.close())

  /** Texts of these lengths, a row each, by one statement. */
  async function read(lengths: number[]): Promise<Buffer[]> {
    const rows = await service.sql`
      select left(repeat(md5(place::text), (length / 32 + 1)::integer), length::integer)
      from unnest(${service.sql.typed.bigints(lengths)}) with ordinality asked(length, place) order by place`.raw()
    return rows.map(([text]) => text as Buffer)
  }
  const digest = (data: string | Uint8Array) => createHash('md5').update(data).digest('hex')
  const digestOf = (length: number, place: number) =>
    digest(
      digest(String(place))
        .repeat(length / 32 + 1)
        .slice(0, length),
    )
  const digestsOf = (lengths: number[]) => lengths.map((length, index) => digestOf(length, index + 1))

  test('are those that were sent, wherever that is cut', async () => {
    const near = Array.from({ length: 80 }, (_, step) => chunk - 40 + step)
    const twice = near.map((length) => 2 * length)
    const lengths = [...near, 1, ...near, 20 * chunk, 0, 3 * chunk, 1_000_000, ...twice, 5]
    expect((await read(lengths)).map(digest)).toEqual(digestsOf(lengths))
  })

  test('are alone in their memory, so that it can be let go, and no other is touched by that', async () => {
    const lengths = Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? 200_000 + index : 40 * index))
    const own = (await read(lengths)).map(takeOwnBytes)
    const expected = digestsOf(lengths)
    expect(own.filter(({ buffer, length }) => buffer.byteLength > length + 64)).toHaveLength(0)
    for (const [index, bytes] of own.entries()) {
      expect(digest(bytes)).toBe(expected[index])
      releaseOwnBytes(bytes)
      expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0])
    }
  })

  // The embedded database belongs to one process.
  test.skipIf(kind === 'embedded').each(runtimes)(
    'are sent as they were, however late they are read, on %s',
    async (runtime) => {
      const { secret } = await service.createKey()
      await using instance = await startInstanceProcess(service.location.databaseUrl, {}, { runtime })
      const paths = [1, 2, 3].map((page) => `/repos?per_page=100&page=${page}`)
      const request = (path: string) =>
        fetch(instance.url + path, { headers: { Authorization: `Bearer ${secret}` } })
      const expected = await Promise.all(paths.map(async (path) => (await (await request(path)).json()).data))

      // More than the operating system holds for who does not read.
      const asked = Array.from({ length: 90 }, (_, index) => index % paths.length)
      const socket = connect(Number(new URL(instance.url).port), '127.0.0.1')
      await once(socket, 'connect')
      for (const [index, page] of asked.entries()) {
        const isLast = index === asked.length - 1
        socket.write(
          `GET ${paths[page]} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\n${isLast ? 'Connection: close\r\n' : ''}\r\n`,
        )
      }
      await sleep(500)
      for (let round = 0; round < 20; round++)
        await Promise.all(paths.map(async (path) => (await request(path)).bytes()))

      let rest = await buffer(socket)
      for (const page of asked) {
        const end = rest.indexOf('\r\n\r\n') + 4
        const head = rest.toString('latin1', 0, end)
        expect(head).toMatch(/^HTTP\/1\.1 200 /)
        const size = Number(/content-length: (\d+)/i.exec(head)?.[1])
        const { data } = JSON.parse(rest.toString('utf8', end, end + size))
        expect(digest(JSON.stringify(data))).toBe(digest(JSON.stringify(expected[page])))
        rest = rest.subarray(end + size)
      }
      expect(rest).toHaveLength(0)
    },
  )
})
