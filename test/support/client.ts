/**
 * The client as it would be published: packed, and installed into a folder of its own. And the service that it calls,
 * over HTTP.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, realpath, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createAdaptorServer } from '@hono/node-server'
import { inject } from 'vitest'
import { packClient } from '../../client/build.ts'
import { createInstance } from './instance.ts'
import { inheritEnvironment } from './program.ts'
import type { TestService } from './service.ts'

const run = promisify(execFile)

/** What the package exports. */
export type ClientModule = typeof import('../../client/src/client.ts')
/** What its part for operators exports. */
export type AdminModule = typeof import('../../client/src/admin.ts')

/** The installed package. */
export interface InstalledClient {
  /** The folder that it is installed into, for programs that import it. */
  directory: string
  /** The packed file. */
  archive: string
  module: ClientModule
  admin: AdminModule
  /** The file of the shell. */
  shell: string
  /** The file of devdata-mcp. */
  mcp: string
}

let installation: Promise<InstalledClient> | undefined

/** Packs the client and devdata-mcp, and installs the files together, once for all files that share a process. */
export function installClient(): Promise<InstalledClient> {
  installation ??= packAndInstall()
  return installation
}

async function packAndInstall(): Promise<InstalledClient> {
  // The run removes the folder at its end.
  const directory = await realpath(await mkdtemp(join(inject('databases').directory, 'client-')))
  const archive = await packClient('devdata-client', directory)
  const archives = [archive, await packClient('devdata-mcp', directory)]
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  await run('npm', ['install', ...archives, '--offline', '--silent', '--no-audit', '--no-fund'], {
    cwd: directory,
    env: inheritEnvironment(),
  })
  const installed = join(directory, 'node_modules/@devdata/client/dist')
  return {
    directory,
    archive,
    module: await import(pathToFileURL(join(installed, 'client.js')).href),
    admin: await import(pathToFileURL(join(installed, 'admin.js')).href),
    shell: join(installed, 'shell/main.js'),
    mcp: join(directory, 'node_modules/@devdata/mcp/dist/main.js'),
  }
}

/** Changes what is received or sent: the request that arrived, and what handles it. */
export type Intercept = (
  request: Request,
  handle: (request: Request) => Promise<Response>,
) => Promise<Response>

/** Handles the next requests in these ways, in their order, and those after them as they are. Notes all in `received`. */
export function interceptInTurn(interceptions: Intercept[], received: Request[]): Intercept {
  return (request, handle) => {
    received.push(request)
    const intercept = interceptions.shift()
    return intercept === undefined ? handle(request) : intercept(request, handle)
  }
}

/** The connection breaks within the response. */
export const cut: Intercept = async (request, handle) => {
  const response = await handle(request)
  const body = new Uint8Array(await response.arrayBuffer())
  return new Response(body.subarray(0, body.length / 2), response)
}

/** Sends half of a body, and calls `onSent` once the client has it. The rest never comes. */
export async function holdResponse(response: Response, onSent: () => void): Promise<Response> {
  const body = new Uint8Array(await response.arrayBuffer())
  const half = new ReadableStream({
    start: (stream) => stream.enqueue(body.subarray(0, body.length / 2)),
    pull() {
      onSent()
      return new Promise<void>(() => {})
    },
  })
  return new Response(half, response)
}
/** Something before the service responds in its place. */
export const fail =
  (status: number, headers: Record<string, string> = {}): Intercept =>
  async () =>
    new Response('<html>', { status, headers })

/** The service has responded, and the response got lost. */
export const lose: Intercept = async (request, handle) => {
  await handle(request)
  return new Response('', { status: 502 })
}

/** The error has another message: messages are for people, and may change. */
export const reword: Intercept = async (request, handle) => {
  const { status, headers: given } = await handle(request)
  const headers = new Headers(given)
  headers.delete('Content-Length')
  return Response.json({ error: 'Another message' }, { status, headers })
}

/** A service that is reached over HTTP. */
export interface ServedService extends AsyncDisposable {
  url: string
}

/** Serves a test's service on a free port. Responses are compared with openapi.yml elsewhere. */
export async function serve(
  service: TestService,
  intercept: Intercept = (request, handle) => handle(request),
): Promise<ServedService> {
  const instance = createInstance(service)
  const handle = async (request: Request) => instance.app.fetch(request)
  const server = createAdaptorServer({ fetch: (request) => intercept(request, handle) })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
