/**
 * Reads documents of connectors as the service does, on the runtime that runs this file:
 * `read-documents.ts ROUTE URL…`. Prints what each URL led to, as JSON.
 */
import { readClientDocument } from '../../api/sign-in/client-document.ts'
import { createDocumentRoute } from './document-route.ts'

const [route = '', ...urls] = process.argv.slice(2)
const outcomes: Record<string, unknown> = {}
// One after the other, and the first one twice: many handshakes at the same time, or the first, may take longer than one may.
for (const url of [...urls.slice(0, 1), ...urls]) {
  const connections: string[] = []
  const outcome = await readClientDocument(
    new URL(url),
    createDocumentRoute(JSON.parse(route), connections),
  ).catch((error: Error) => `${error.name}: ${error.message}`)
  outcomes[url] = { outcome, connections }
}
console.log(JSON.stringify(outcomes))
process.exit() // servers that never respond may still be connected
