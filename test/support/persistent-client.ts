/** A client that keeps its connection, and repeats nothing by itself. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

/** What is sent besides the path. */
export interface SentRequest {
  method?: string
  headers?: Record<string, string>
}

/** A response, or why there was none. */
export interface Outcome {
  /** `closed`: the connection, which had been used before, was closed without a response. */
  status: number | 'closed'
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Creates a client with one connection to 127.0.0.1: with TLS if there is a certificate, which is for `localhost`. */
export function createPersistentClient({
  port,
  certificate,
  key,
}: {
  port: number
  certificate?: string
  /** API key. */
  key: string
}) {
  const options = { keepAlive: true, maxSockets: 1 }
  const agent =
    certificate === undefined ? new HttpAgent(options) : new HttpsAgent({ ...options, ca: certificate })
  const request = certificate === undefined ? requestHttp : requestHttps
  return {
    /** Sends a request when the response to the one before has come. Rejects if a new connection fails. */
    send: (path: string, { method = 'GET', headers = {} }: SentRequest = {}) =>
      new Promise<Outcome>((resolve, reject) => {
        const sent = request({
          host: '127.0.0.1',
          servername: 'localhost',
          port,
          path,
          method,
          agent,
          maxHeaderSize: 65_536,
          headers: { Host: `localhost:${port}`, Authorization: `Bearer ${key}`, ...headers },
        })
        sent.once('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('error', reject)
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          )
        })
        sent.once('error', (error) => {
          if (sent.reusedSocket) resolve({ status: 'closed', headers: {}, body: Buffer.of() })
          else reject(error)
        })
        sent.end()
      }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}
