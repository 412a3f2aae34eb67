/** COPY with the patched driver, as a load uses it. */
import { finished } from 'node:stream/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../api/database/database.ts'
import { testPool } from './support/databases.ts'
import { describeOnServer, getServerUrl } from './support/server.ts'
import { startTestService, type TestService } from './support/service.ts'
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts'

describeOnServer('a COPY', () => {
  let service: TestService
  let proxy: TcpProxy
  let database: Database
  let sent: Buffer
  beforeAll(async () => {
    service = await startTestService('postgresql', { data: 'empty' })
    await service.sql`create unlogged table copied (n integer not null)`
    proxy = await startTcpProxy(getServerUrl(), ({ client, database: upstream }) => {
      client.on('data', (part) => {
        sent = Buffer.concat([sent, part])
        upstream.write(part)
      })
      upstream.on('data', (part) => client.write(part))
    })
  })
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await service?.close()
  })
  beforeEach(async () => {
    await service.sql`truncate copied`
    sent = Buffer.alloc(0)
    const databaseUrl = proxy.urlOf(service.location.databaseUrl ?? '')
    database = await openDatabase({ ...testPool, databasePoolSize: 1, databaseUrl, dataDirectory: '' })
  })
  afterEach(async () => {
    await database.close()
  })

  const begin = () => database.sql`copy copied from stdin`.writable()
  const readCopied = () =>
    database.sql<{ n: number }[]>`select n from copied order by n`.then((rows) => rows.map(({ n }) => n))

  /** The letters of the messages that the client sent, but for the one that begins the session and has none. */
  function readMessages(): string {
    let letters = ''
    for (let at = sent.readInt32BE(0); at < sent.length; at += 1 + sent.readInt32BE(at + 1)) {
      letters += String.fromCharCode(sent[at] ?? 0)
    }
    return letters
  }

  test('that went well is over: the driver sends no CopyFail after it', async () => {
    for (const n of [1, 2, 3]) {
      const stream = await begin()
      stream.end(`${n}\n`)
      await finished(stream)
    }
    expect(await readCopied()).toEqual([1, 2, 3])
    // Query, CopyData, CopyDone; CopyFail would be an `f`.
    expect(readMessages()).toMatch(/Qdc[^f]*Qdc[^f]*Qdc[^f]*$/)
  })

  test('that is given up writes nothing, and its connection can be used again', async () => {
    const stream = await begin()
    stream.write('1\n')
    stream.destroy(new Error('given up'))
    await expect(finished(stream)).rejects.toThrow('given up')
    expect(await readCopied()).toEqual([])
    expect(readMessages()).toContain('f')
  })

  test('that fails at its end says why, and its connection can be used again', async () => {
    const stream = await begin()
    stream.end('one\n')
    await expect(finished(stream)).rejects.toThrow(/invalid input syntax for type integer: "one"/)
    expect(await readCopied()).toEqual([])
  })
})
