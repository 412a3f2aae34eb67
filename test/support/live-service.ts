/**
 * The service as a process of one of the runtimes, requested over the wire. All responses are compared with
 * openapi.yml.
 */
import { request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertMatchesContract } from './contract.ts'
import { typeOf, unpack, writeBody } from './instance.ts'
import { type RuntimeName, startInstanceProcess } from './process.ts'
import type { RequestOptions, TestResponse } from './service.ts'

/** The commit in a live service's build info. */
export const liveCommit = '4'.repeat(40)

/** A live service's settings. */
export interface LiveServiceOptions {
  databaseUrl: string | undefined
  dataDirectory: string
  databasePoolSize: number
  /** Default: that of the service. */
  databaseStatementTimeoutSeconds?: number
  baseUrl: string | undefined
  /** Default: false. */
  signIn?: boolean
  /** Default: true. */
  compressResponses?: boolean
}

/** A service in a process of its own. */
export interface LiveService {
  /** Sends a request to a path below the base path, and compares the response with openapi.yml. */
  request(path: string, options?: RequestOptions): Promise<TestResponse>
  /** Sends any request to a path below the base path. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Stops it. Throws if its exit code is not 0. */
  stop(): Promise<void>
}

/** Starts a service on a runtime. */
export async function startLiveService(
  runtime: RuntimeName,
  options: LiveServiceOptions,
): Promise<LiveService> {
  const {
    databaseUrl,
    dataDirectory,
    databasePoolSize,
    baseUrl,
    signIn = false,
    compressResponses = true,
  } = options
  const { databaseStatementTimeoutSeconds } = options
  const instance = await startInstanceProcess(
    databaseUrl,
    {
      DATA_DIR: dataDirectory,
      SAMPLE_DATA: 'off',
      DATABASE_POOL_SIZE: String(databasePoolSize),
      ...(databaseStatementTimeoutSeconds !== undefined && {
        DATABASE_STATEMENT_TIMEOUT_SECONDS: String(databaseStatementTimeoutSeconds),
      }),
      MATCH_CACHE_MB: '16',
      SHUTDOWN_DELAY_SECONDS: '0',
      BASE_URL: baseUrl ?? '',
      SIGN_IN: signIn ? 'on' : 'off',
      COMPRESS_RESPONSES: compressResponses ? 'on' : 'off',
      COMMIT: liveCommit,
    },
    { runtime },
  )
  const { port } = new URL(instance.url)
  const root = new URL(baseUrl ?? 'http://localhost')
  return {
    fetch: (path, init) => fetch(`${instance.url}${root.pathname.replace(/\/$/, '')}${path}`, init),
    async request(path, { method = 'GET', key, headers = {}, body } = {}) {
      // As `fetch` would write it, but with the host of the base URL, and without following redirects.
      const { pathname, search } = new URL(`${root.href.replace(/\/$/, '')}${path}`)
      const response = await exchange({
        port: Number(port),
        method,
        path: pathname + search,
        headers: {
          Host: root.host,
          ...(key !== undefined && { Authorization: `Bearer ${key}` }),
          ...headers,
          ...typeOf(body),
        },
        body: body === undefined ? '' : writeBody(body),
      })
      assertMatchesContract({ method, url: path, ...response, body: response.text })
      return { ...response, json: () => JSON.parse(response.text) as unknown }
    },
    async stop() {
      const code = await instance.stop()
      await instance[Symbol.asyncDispose]()
      if (code !== 0) throw new Error(`the service ended with ${code}: ${instance.readLog()}`)
    },
  }
}

/** In bytes. Up to four links contain whole filters. */
const maxHeaderSize = 1_048_576

interface Exchange {
  port: number
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

function exchange({
  port,
  body,
  ...options
}: Exchange): Promise<Pick<TestResponse, 'status' | 'headers' | 'text' | 'size'>> {
  return new Promise((settle, fail) => {
    const request = send({ host: '127.0.0.1', port, maxHeaderSize, ...options }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        const headers = new Headers()
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) headers.append(name, value)
        }
        const content = Buffer.concat(chunks)
        settle({
          status: response.statusCode ?? 0,
          headers,
          text: unpack(content, headers),
          size: content.length,
        })
      })
    })
    request.on('error', fail)
    request.end(body)
  })
}

/** Gets a URL of a service, and compares the response with openapi.yml. */
export async function getFrom(
  url: string,
  key?: string,
): Promise<{ status: number; headers: Headers; body: string }> {
  const response = await fetch(url, { headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } })
  const body = await response.text()
  const { status, headers } = response
  assertMatchesContract({ method: 'GET', url: new URL(url).pathname, status, headers, body })
  return { status, headers, body }
}

/** Repeats a request until it succeeds. Throws on a status other than 200 and 503. */
export async function waitForSuccess(url: string, key?: string): Promise<void> {
  for (;;) {
    const { status, body } = await getFrom(url, key)
    if (status === 200) return
    if (status !== 503) throw new Error(`${url} responded with ${status}: ${body}`)
    await sleep(20)
  }
}
