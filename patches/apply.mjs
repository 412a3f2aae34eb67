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
