/** The memory of pages, which are freed without waiting for V8. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { renderError } from '../../api/http/error-handler.ts'
import type { HonoEnvironment } from '../../api/http/request-context.ts'
import { send } from '../../api/http/response.ts'
import { listen } from '../../api/runtime/listen.ts'
import { serverOptions } from '../../api/runtime/node-server.ts'

/** More than the systems of server and client take together. */
const size = 2 ** 25
const request = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

test('a page arrives whole at a client that reads late, and takes no memory afterwards', async () => {
  const pages: Uint8Array[] = []
  const app = new Hono<HonoEnvironment>().get('/', (c) => {
    c.set('headers', {})
    c.set('encodings', [])
    const data = new Uint8Array(size).fill(97)
    pages.push(data)
    return send(c, { start: Buffer.from('['), data, compressed: undefined, end: Buffer.from(']') })
  })
  const { port, close } = await listen(createServer(serverOptions), {
    app: {
      shedLoad: () => 'accepted',
      fetch: (request, server) => app.fetch(request, server),
      refuse: (_, error) => renderError(error, {}, () => {}),
    },
    warn: () => {},
    port: 0,
    hostname: '127.0.0.1',
    reservedFiles: 0,
  })
  const hash = createHash('sha256')
  let received = 0
  const socket = connect({
    port,
    host: '127.0.0.1',
    // Reads into one buffer, so that what the client reads takes no memory.
    onread: {
      buffer: Buffer.allocUnsafeSlow(65_536),
      callback(bytes, buffer) {
        const head = received === 0 ? Buffer.from(buffer.buffer, 0, bytes).indexOf('\r\n\r\n') + 4 : 0
        hash.update(new Uint8Array(buffer.buffer, head, bytes - head))
        received += bytes - head
        return received > bytes // pauses after the first read
      },
    },
  })
  const closed = once(socket, 'close')
  socket.write(request)
  await expect.poll(() => received).toBeGreaterThan(0)
  expect(pages.map(({ length }) => length)).toEqual([0]) // the response has a copy
  const held = process.memoryUsage().arrayBuffers
  socket.resume()
  await closed
  expect(held - process.memoryUsage().arrayBuffers).toBeGreaterThan(size / 2)
  expect(received).toBe(size + 2)
  const sent = `[${'a'.repeat(size)}]`
  expect(hash.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'))
  await close()
})
