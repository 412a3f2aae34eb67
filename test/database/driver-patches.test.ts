/**
 * The service runs on the patched driver alone (`patches/`), which reads what the server sends, however it arrives.
 *
 * @module-tag later
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { applyPatch, parsePatch, reversePatch } from 'diff'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getServerUrl, testOnServer } from '../support/server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

const root = join(import.meta.dirname, '..', '..')
const patches = join(root, 'patches', 'postgres-3.4.9')

describe('a driver without the patches', () => {
  let checkout: string
  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'devdata-driver-'))
    for (const name of ['api', 'openapi.yml', 'package.json'])
      symlinkSync(join(root, name), join(checkout, name))
    cpSync(join(root, 'patches'), join(checkout, 'patches'), { recursive: true })
    mkdirSync(join(checkout, 'node_modules'))
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name !== 'postgres')
        symlinkSync(join(root, 'node_modules', name), join(checkout, 'node_modules', name))
    }
    const driver = join(checkout, 'node_modules', 'postgres')
    cpSync(join(root, 'node_modules', 'postgres'), driver, { recursive: true })
    for (const file of readdirSync(patches).sort().reverse()) {
      for (const patch of parsePatch(readFileSync(join(patches, file), 'utf8'))) {
        const path = join(driver, patch.newFileName?.replace(/^b\//, '') ?? '')
        const before = applyPatch(readFileSync(path, 'utf8'), reversePatch(patch))
        if (before === false) throw new Error(`${file} is not applied`)
        writeFileSync(path, before)
      }
    }
  })
  afterEach(() => rmSync(checkout, { recursive: true, force: true }))

  function run(...parameters: string[]) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--preserve-symlinks', '--preserve-symlinks-main', ...parameters],
      { cwd: checkout, encoding: 'utf8', env: { PATH: process.env.PATH, DATA_DIR: join(checkout, 'data') } },
    )
    return { status, stdout, stderr }
  }

  test('is refused in one line that says how to apply them', () => {
    const refused = run('api/cli/main.ts', 'migrate')
    expect(refused).toMatchObject({
      status: 1,
      stderr: 'The installed postgres.js is not patched; run: node patches/apply.mjs\n',
    })
    expect(run('patches/apply.mjs')).toMatchObject({ status: 0, stderr: '' })
    expect(run('patches/apply.mjs')).toMatchObject({ status: 0, stderr: '' }) // the second run changes nothing
    for (const file of ['connection.js', 'index.js']) {
      const path = join('node_modules', 'postgres', 'src', file)
      expect(readFileSync(join(checkout, path), 'utf8')).toBe(readFileSync(join(root, path), 'utf8'))
    }
    expect(run('api/cli/main.ts', 'migrate')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^Created an empty database in .+\n$/),
    })
  })
})

testOnServer.each([1, 2, 3, 1_000, 65_536])(
  'messages of the server are read if they arrive in pieces of %i bytes',
  async (pieceLength) => {
    const server = getServerUrl()
    await using proxy = await startTcpProxy(server, ({ client, database, cut }) => {
      client.setNoDelay().pipe(database)
      const inPieces = async (responses: Readable) => {
        for await (const chunk of responses) {
          for (let i = 0; i < chunk.length; i += pieceLength) {
            client.write(chunk.subarray(i, i + pieceLength))
            await setImmediate() // the driver reads it
          }
        }
      }
      inPieces(database).then(cut, cut)
    })
    const sql = postgres(proxy.urlOf(server), { max: 2 })
    const lengths = [0, 1, 100, 4_000, 65_530, 200_000].map((length) => Math.min(length, pieceLength * 500))
    const write = (begin: number) =>
      lengths.map((length) => Array.from({ length }, (_, i) => (begin + i) % 10).join(''))
    const select = (text: string) => sql`select text from unnest(${[text, 'ü', text]}::text[]) as text`.raw()
    const texts = write(0)
    const responses = await Promise.all(texts.map(select))
    await Promise.all(write(5).map(select)) // must not overwrite the bytes of the first
    expect(responses.map((rows) => rows.map(([bytes]) => String(bytes)))).toEqual(
      texts.map((text) => [text, 'ü', text]),
    )
    await expect(sql`select ${'no number'}::integer`).rejects.toMatchObject({ code: '22P02' })
    await sql.end()
  },
)

test('a server that does not speak PostgreSQL’s protocol is refused, whatever length its messages seem to have', async () => {
  const server = createServer((socket) => {
    socket.write(Buffer.from([0x48, 0xff, 0xff, 0xff, 0xff, 0x31]))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sql = postgres(`postgres://127.0.0.1:${port}`, { max: 1 })
  await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  await sql.end()
  server.close()
})
