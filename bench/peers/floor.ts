/**
 * The least that Node.js does for a response: the bytes of a file for every request, out of memory. No key, no ledger,
 * no data, no framework. Where this is slower than PostgreSQL alone, no service on Node can be faster.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'

const body = await readFile(process.env.RESPONSE_FILE ?? '')
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
const server = createServer((_, response) => response.writeHead(200, headers).end(body))
process.on('SIGTERM', () => process.exit(0))
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(`ready at http://127.0.0.1:${address?.port}`)
})
