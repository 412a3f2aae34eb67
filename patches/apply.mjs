// Mends defects of packages for which no release is out yet. Runs after each install, on any Node from 20 on, and does
// nothing where all is mended. When a package's version changes, look whether its patch is still needed.
import { readFileSync, writeFileSync } from 'node:fs'

/** A place in a file: what stands there, and what should. */
const patches = [
  {
    // A connection that is lost while a statement is being sent, or before it was ready, breaks the whole process, or
    // this connection of the pool for good. https://github.com/porsager/postgres: issues 1133, 1192, 1193, 1205, 1208,
    // 1214, 1216 and 1223.
    package: 'postgres',
    version: '3.4.9',
    file: 'src/connection.js',
    places: [
      [
        // A transaction goes on to send statements on a connection that is gone: they fail, instead of the process.
        `    if (stream)
      return queryError(q, Errors.generic('COPY_IN_PROGRESS'`,
        `    if (!socket || socket.destroyed) {
      queryError(q, Errors.connection('CONNECTION_CLOSED', options))
      return true
    }

    if (stream)
      return queryError(q, Errors.generic('COPY_IN_PROGRESS'`,
      ],
      [
        // A COPY that fails at its end tells whoever waits for it.
        `  function errored(err) {
    stream && (stream.destroy(err), stream = null)`,
        `  function errored(err) {
    final && (final(err), final = null)
    stream && (stream.destroy(err), stream = null)`,
      ],
      [
        `    const x = socket.write(chunk, fn)
`,
        `    if (!socket)
      return chunk = nextWriteTimer = null, true
    const x = socket.write(chunk, fn)
`,
      ],
      [
        // What was not sent must not be left over for the next connection, which would never send anything.
        `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()`,
        `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = errorResponse = null
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()`,
      ],
      [
        // Whoever waits for a connection that ends before it is ready hears of it, unless another host is to be tried.
        `    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(`,
        `    if (initial && options.host[retries + 1])
      return reconnect()

    const isHeard = hadError && !initial
    !isHeard && (initial || query || sent.length) && error(`,
      ],
      [
        `    closedTime = performance.now()
    hadError &&`,
        `    query = null
    closedTime = performance.now()
    hadError &&`,
      ],
      [
        `        return fetchArrayTypes()
`,
        `        return void fetchArrayTypes().catch(() => {})
`,
      ],
      [
        // A server that refuses TLS must hear no more, and its client hears why.
        `        return connected()
    }

    const options = {`,
        `        return connected()

      if (!canSSL) {
        errored(Errors.generic('TLS_REFUSED', 'the server speaks no TLS'))
        return socket.destroy()
      }
    }

    const options = {`,
      ],
      [
        // A certificate is held against an address too, where the URL has no name.
        `      servername: net.isIP(socket.host) ? undefined : socket.host
`,
        `      host: socket.host,
      servername: net.isIP(socket.host) ? undefined : socket.host
`,
      ],
      [
        // Rows that came before a statement failed, or its connection ended, must not be counted for the next one, whose
        // result would begin with as many holes. Issues 1119 and 1181.
        `    query = results = errorResponse = null
    result = new Result()
`,
        `    query = results = errorResponse = null
    result = new Result()
    rows = 0
`,
      ],
      [
        // A COPY that went well ended with a second end, to which no answer comes. Behind it whatever was sent next
        // waited for 40 ms: the client's system holds back what is small until the server's has confirmed what was
        // before, and that one waits for an answer to send along.
        `    stream = new Stream.Writable({
      autoDestroy: true,
      write(chunk, encoding, callback) {
        socket.write(b().d().raw(chunk).end(), callback)
      },
      destroy(error, callback) {
        callback(error)
`,
        `    stream = new Stream.Writable({
      autoDestroy: true,
      write(chunk, encoding, callback) {
        socket.write(b().d().raw(chunk).end(), callback)
      },
      destroy(error, callback) {
        callback(error)
        if (stream !== this)
          return
`,
      ],
      [
        // No message waits for another to be confirmed.
        `      keep_alive && socket.setKeepAlive &&`,
        `      socket.setNoDelay && socket.setNoDelay(true)
      keep_alive && socket.setKeepAlive &&`,
      ],
      // A message that comes in parts gets memory of its own, no more than it takes, and says so; parts that hold
      // nothing else are let go at once. Left to the garbage collector they make it go through the whole heap ten times
      // a second where pages are large, as V8 counts what is outside of its heap (api/database/own-bytes.ts).
      [
        `      incomings.push(x)
      remaining -= x.length
      if (remaining > 0)
        return
    }

    incoming = incomings
      ? Buffer.concat(incomings, length - remaining)
      : incoming.length === 0
        ? x
        : Buffer.concat([incoming, x], incoming.length + x.length)
`,
        `      incomings.push(x)
      remaining -= x.length
      if (remaining >= 0)
        return
      const message = joinMessage()
      x = x.subarray(x.length + remaining + 1)
      handleMessage(message)
    }

    incoming = incoming.length === 0
      ? x
      : Buffer.concat([incoming, x], incoming.length + x.length)
`,
      ],
      [
        `        incomings = [incoming]
        break
      }

      try {
        handle(incoming.subarray(0, length + 1))
      } catch (e) {
        query && (query.cursorFn || query.describeFirst) && write(Sync)
        errored(e)
      }
      incoming = incoming.subarray(length + 1)
      remaining = 0
      incomings = null
    }
  }
`,
        `        incomings = [incoming]
        incoming = Buffer.alloc(0)
        break
      }

      const message = incoming.subarray(0, length + 1)
      incoming = incoming.subarray(length + 1)
      handleMessage(message)
    }
  }

  function joinMessage() {
    const message = Buffer.allocUnsafeSlow(length + 1)
    let filled = 0
    for (const [i, part] of incomings.entries()) {
      filled += part.copy(message, filled)
      if (i > 0 && i < incomings.length - 1 && part.length === part.buffer.byteLength)
        part.buffer.transfer(0)
    }
    message.buffer.isMessage = true
    incomings = null
    return message
  }

  function handleMessage(x) {
    try {
      handle(x)
    } catch (e) {
      query && (query.cursorFn || query.describeFirst) && write(Sync)
      errored(e)
    }
  }
`,
      ],
      // A server that is there and says nothing is given up after `answer_timeout` seconds, which the driver lacks:
      // callers would wait for ever. The time runs while a statement waits for its answer, and anew with each part of it.
      [
        `      , connectTimer = timer(connectTimedOut, options.connect_timeout)
`,
        `      , connectTimer = timer(connectTimedOut, options.connect_timeout)
      , answerTimer = timer(answerTimedOut, options.answer_timeout)
`,
      ],
      [
        `        : (query = q, query.active = true)

      build(q)`,
        `        : (query = q, query.active = true, answerTimer.start())

      build(q)`,
      ],
      [
        `  async function secure() {`,
        `  function answerTimedOut() {
    errored(Errors.connection('ANSWER_TIMEOUT', options, socket))
    socket && socket.destroy()
  }

  async function secure() {`,
      ],
      [
        `  function data(x) {
`,
        `  function data(x) {
    query && answerTimer.start()
`,
      ],
      [
        `    if (query)
      return // Consider opening if able`,
        `    query || answerTimer.cancel()

    if (query)
      return // Consider opening if able`,
      ],
      [
        `    lifeTimer.cancel()
    connectTimer.cancel()

    socket.removeAllListeners()`,
        `    lifeTimer.cancel()
    connectTimer.cancel()
    answerTimer.cancel()

    socket.removeAllListeners()`,
      ],
    ],
  },
  {
    package: 'postgres',
    version: '3.4.9',
    file: 'src/index.js',
    places: [
      [
        `    connect_timeout : 30,
`,
        `    connect_timeout : 30,
    answer_timeout  : null,
`,
      ],
    ],
  },
  {
    // What a pool's connections do is known to the pool alone; operators want to see it (api/database/pool-state.ts).
    package: 'postgres',
    version: '3.4.9',
    file: 'src/index.js',
    places: [
      [
        `    largeObject: largeObject.bind(null, sql),
    subscribe,`,
        `    largeObject: largeObject.bind(null, sql),
    countConnections: () => ({
      busy: busy.length + full.length + reserved.length,
      idle: open.length,
      connecting: connecting.length,
      waiting: queries.length
    }),
    subscribe,`,
      ],
    ],
  },
]

for (const { package: name, version, file, places } of patches) {
  const folder = new URL(`../node_modules/${name}/`, import.meta.url)
  const installed = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')).version
  if (installed !== version) {
    throw new Error(`patches/apply.mjs mends ${name} ${version}, and ${installed} is installed`)
  }
  const path = new URL(file, folder)
  const text = readFileSync(path, 'utf8')
  let mended = text
  for (const [before, after] of places) {
    if (mended.includes(after)) continue
    if (mended.split(before).length !== 2) throw new Error(`${name}/${file} has not the place:\n${before}`)
    mended = mended.replace(before, () => after)
  }
  if (mended !== text) writeFileSync(path, mended)
}
