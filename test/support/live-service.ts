/**
 * The service as people run it: a process of one of the runtimes, spoken to over the wire. Its answers are held to
 * openapi.yml as those of the app are.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { assertMatchesContract } from './contract.ts'
import { deno, denoPermissions } from './deno.ts'
import { startProgram } from './program.ts'
import type { Answer, RequestOptions } from './service.ts'

const project = resolve(import.meta.dirname, '../..')

/** Where the service finds its data, and what it is told. */
export interface LiveServiceOptions {
  databaseUrl: string | undefined
  dataDirectory: string
  databasePoolSize: number
  baseUrl: string | undefined
}

/** A service in a process of its own. */
export interface LiveService {
  /** Sends a request to a path below the base path, and holds the answer to the contract. */
  request(path: string, options?: RequestOptions): Promise<Answer>
  /** Tells it to stop, and throws when it does not end well. */
  stop(): Promise<void>
}

/** Starts a service on a runtime. */
export async function startLiveService(
  runtime: 'node' | 'deno',
  { databaseUrl, dataDirectory, databasePoolSize, baseUrl }: LiveServiceOptions,
): Promise<LiveService> {
  const directory = await mkdtemp(join(tmpdir(), 'devdata-live-')) // without a .env file
  const permissions = denoPermissions('start', directory).map((flag) =>
    /^--allow-(read|write)=/.test(flag) && dataDirectory !== '' ? `${flag},${dataDirectory}` : flag,
  )
  const command = {
    node: [process.execPath, join(project, 'api/node.ts')],
    deno: [deno, 'run', '--quiet', ...permissions, join(project, 'api/deno.ts')],
  }[runtime]
  const program = await startProgram(command, {
    directory,
    environment: {
      PORT: '0',
      DATABASE_URL: databaseUrl ?? '',
      DATA_DIR: dataDirectory,
      SAMPLE_DATA: 'off',
      DATABASE_POOL_SIZE: String(databasePoolSize),
      LISTINGS_MAX_MB: '16',
      LOG_LEVEL: 'error',
      BASE_URL: baseUrl ?? '',
    },
    announcement: /http:\/\/127\.0\.0\.1:(\d+)\)?\n/,
  })
  const root = new URL(baseUrl ?? 'http://localhost')
  return {
    async request(path, { method = 'GET', key, headers = {} } = {}) {
      // As `fetch` would write it, but with the host that the address is to have, and nothing followed or unpacked.
      const { pathname, search } = new URL(`${root.href.replace(/\/$/, '')}${path}`)
      const answer = await exchange({
        port: Number(program.announced),
        method,
        path: pathname + search,
        headers: {
          Host: root.host,
          ...(key !== undefined && { Authorization: `Bearer ${key}` }),
          ...headers,
        },
      })
      assertMatchesContract({ method, url: path, ...answer, body: answer.text })
      return { ...answer, json: () => JSON.parse(answer.text) as unknown }
    },
    async stop() {
      const code = await program.stop()
      await rm(directory, { recursive: true, force: true })
      if (code !== 0) throw new Error(`the service ended with ${code}: ${program.readOutput()}`)
    },
  }
}

interface Exchange {
  port: number
  method: string
  path: string
  headers: Record<string, string>
}

function exchange({ port, ...options }: Exchange): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  return new Promise((settle, fail) => {
    const request = send({ host: '127.0.0.1', port, ...options }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        const headers = new Headers()
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) headers.append(name, value)
        }
        settle({ status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() })
      })
    })
    request.on('error', fail)
    request.end()
  })
}
