/** What comes from the database in parts, and whose memory it is. */
import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseOwnBytes, takeOwnBytes } from '../api/database/own-bytes.ts'
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
    expect(own.filter(({ buffer, length }) => buffer.byteLength > length + 64)).toHaveLength(0)
    for (const [index, bytes] of own.entries()) {
      expect(digest(bytes)).toBe(digestsOf(lengths)[index])
      releaseOwnBytes(bytes)
      expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0])
    }
  })
})
