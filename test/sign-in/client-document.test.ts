/**
 * A connector's document, fetched over TLS from real servers with certificates of an authority of our own, by names that a real
 * name server resolves, on each runtime. Only the way to public addresses is made up: it ends on this machine.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { readClientDocument } from '../../api/sign-in/client-document.ts'
import { createCertificateFolder, findOpenssl } from '../support/certificates.ts'
import { deno } from '../support/deno.ts'
import { createDocumentRoute, type DocumentRouteOptions } from '../support/document-route.ts'
import { createInstance } from '../support/instance.ts'
import { startNameServer } from '../support/name-server.ts'
import { inheritEnvironment } from '../support/program.ts'
import { anyDatabase, useService } from '../support/service.ts'
import {
  allow,
  createConnector,
  exchange,
  postForm,
  readTokens,
  redirectUri,
  tryMcp,
} from '../support/sign-in.ts'
import { useStarted } from '../support/suite.ts'

const missing = findOpenssl()
if (missing.length > 0) {
  if (process.env.CI) throw new Error(`CI must not skip the tests of documents: ${missing}`)
  console.warn(`skipped: ${missing}`)
}

const maxBytes = 5_120
const untrusted = 'its server did not respond over TLS with a valid certificate'
const id = 'https://connector.example/client.json'
const document = JSON.stringify({ client_id: id, client_name: 'Documented', redirect_uris: [redirectUri] })
const program = join(import.meta.dirname, '../support/read-documents.ts')

/** Public addresses, by what stands at them. */
const addresses = {
  good: '1.1.1.1',
  /** Its certificate is of an authority that nobody trusts. */
  untrusted: '1.1.1.2',
  /** It accepts connections, and never speaks TLS. */
  silent: '1.1.1.3',
  /** Nothing listens there. */
  closed: '1.1.1.4',
} as const

/** The addresses of names; undefined: the name server doesn't respond. */
const names: Record<string, readonly string[] | undefined> = {
  'connector.example': [addresses.good],
  'wrong-name.example': [addresses.good],
  'untrusted.example': [addresses.untrusted],
  'silent.example': [addresses.silent],
  'closed.example': [addresses.closed],
  'second.example': [addresses.closed, addresses.good],
  'nobody.example': [],
  'unresolved.example': undefined,
  'loopback.example': ['127.0.0.1'],
  'private.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': [addresses.good, '::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
}

/** What the server at the good address responds. */
const pages: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/client.json': (_, response) => response.end(document),
  '/longest': (_, response) => response.end('x'.repeat(maxBytes)),
  '/too-long': (_, response) => response.end('x'.repeat(maxBytes + 1)),
  '/endless': (_, response) => void writeEndlessly(response, 'x'.repeat(1_000)),
  '/slow': (_, response) => void writeEndlessly(response, 'x', 500),
  '/silent': () => {},
  '/cut': (_, response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('{')
    setTimeout(() => response.destroy(), 100)
  },
  '/redirect': (_, response) => response.writeHead(302, { Location: id }).end(),
  '/elsewhere': (_, response) => response.writeHead(301, { Location: 'http://127.0.0.1/' }).end(),
}

async function writeEndlessly(response: ServerResponse, text: string, pauseMs = 0): Promise<void> {
  response.writeHead(200)
  while (!response.destroyed) {
    response.write(text)
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Starts all servers. */
async function startInternet() {
  const certificates = await createCertificateFolder()
  for (const name of ['ours', 'theirs']) certificates.createAuthority(name)
  const served = ['connector', 'second'].map((name) => `DNS:${name}.example`).join(',')
  certificates.createCertificate('good', served)
  certificates.createCertificate('untrusted', 'DNS:untrusted.example', { authority: 'theirs' })
  const requested: IncomingMessage[] = []
  const respond: RequestListener = (request, response) => {
    requested.push(request)
    const page = pages[request.url ?? '']
    if (page === undefined) response.writeHead(404).end()
    else page(request, response)
  }
  const createTlsServer = async (name: string) => {
    const [cert, key] = await Promise.all(
      ['pem', 'key'].map((kind) => readFile(certificates.file(`${name}.${kind}`))),
    )
    return createServer({ cert, key }, respond)
  }
  const good = await createTlsServer('good')
  const untrusted = await createTlsServer('untrusted')
  const silent = createTcpServer((socket) => socket.on('error', () => {}))
  const nameServer = await startNameServer((name) => (name in names ? names[name] : []))
  const route: DocumentRouteOptions = {
    nameServer: nameServer.address,
    ca: await readFile(certificates.file('ours.pem'), 'utf8'),
    ports: {
      [addresses.good]: await listen(good),
      [addresses.untrusted]: await listen(untrusted),
      [addresses.silent]: await listen(silent),
    },
  }
  return {
    route,
    requested,
    nameServer,
    async close() {
      for (const server of [good, untrusted]) server.closeAllConnections()
      for (const server of [good, untrusted, silent]) server.close()
      await nameServer[Symbol.asyncDispose]()
      await certificates[Symbol.asyncDispose]()
    },
  }
}

describe.skipIf(missing.length > 0)('a connector’s document', () => {
  const internet = useStarted(startInternet)

  describe.each([
    ['Node', [process.execPath]],
    ['Deno', [deno, 'run', '--quiet', '--no-prompt', '--allow-all', '--config=deno.json']],
  ] as const)('on %s', (_, command) => {
    const good = [addresses.good]
    const expected: Record<string, { outcome: string; connections?: string[] }> = {
      [id]: { outcome: document, connections: good },
      'https://second.example/client.json': {
        outcome: document,
        connections: [addresses.closed, addresses.good],
      },
      'https://connector.example/longest': { outcome: 'x'.repeat(maxBytes), connections: good },
      ...Object.fromEntries(
        (
          [
            ['connector.example/too-long', `it has more than ${maxBytes} bytes`, good],
            ['connector.example/endless', `it has more than ${maxBytes} bytes`, good],
            ['connector.example/slow', 'it took longer than 5 seconds', good],
            ['connector.example/silent', 'it took longer than 5 seconds', good],
            ['connector.example/cut', 'the connection was lost', good],
            ['connector.example/redirect', 'its status is 302, not 200', good],
            ['connector.example/elsewhere', 'its status is 301, not 200', good],
            ['connector.example/absent', 'its status is 404, not 200', good],
            ['wrong-name.example/client.json', untrusted, good],
            ['untrusted.example/client.json', untrusted, [addresses.untrusted]],
            ['silent.example/client.json', untrusted, [addresses.silent]],
            ['closed.example/client.json', untrusted, [addresses.closed]],
            ['nobody.example/client.json', 'its host has no address', []],
            ['unresolved.example/client.json', 'its host has no address', []],
            ...['loopback', 'private', 'metadata', 'mixed', 'mapped'].map(
              (name) =>
                [`${name}.example/client.json`, 'its host has an address that is not public', []] as const,
            ),
          ] as const
        ).map(([url, message, connections]) => [
          `https://${url}`,
          { outcome: `DocumentError: ${message}`, connections: [...connections] },
        ]),
      ),
    }
    let outcomes: Record<string, unknown>
    beforeAll(async () => {
      const [file = '', ...parameters] = command
      const { stdout } = await promisify(execFile)(
        file,
        [...parameters, program, JSON.stringify(internet.route), ...Object.keys(expected)],
        { env: { ...inheritEnvironment(), NO_COLOR: '1' }, cwd: join(import.meta.dirname, '../..') },
      )
      outcomes = JSON.parse(stdout)
    })

    test.each(Object.keys(expected))('%s', (url) => {
      expect(outcomes[url]).toEqual(expected[url])
    })
  })

  describe('in a sign-in', () => {
    const service = useService(anyDatabase)
    const start = () => {
      internet.requested.length = 0
      return createInstance(service, {
        baseUrl: 'https://api.example/public-api',
        signIn: true,
        readClientDocument: (url) => readClientDocument(url, createDocumentRoute(internet.route)),
      })
    }

    test('is requested once, with nothing of the person in the request', async () => {
      const { fetch } = start()
      const { secret } = await service.createKey()
      const connector = createConnector(id)
      const headers = { Cookie: 'a=b', 'User-Agent': 'the browser', 'Accept-Language': 'de' }
      const pages = await Promise.all([1, 2, 3].map(() => fetch(connector.query(), { headers })))
      for (const page of pages) expect(await page.text()).toContain('Connect Documented')
      const code = (await allow(fetch, connector, secret)).searchParams.get('code') ?? ''
      const { access_token } = await readTokens(await exchange(fetch, connector, code))
      expect(await tryMcp(fetch, access_token)).toBe(200)
      expect(
        internet.requested.map(({ method, url, headers }) => ({ method, url, headers: { ...headers } })),
      ).toEqual([
        {
          method: 'GET',
          url: '/client.json',
          headers: { host: 'connector.example', accept: 'application/json', connection: 'close' },
        },
      ])
    })

    test.each([
      ['https://connector.example/redirect', 'its status is 302, not 200'],
      ['https://connector.example/longest', 'it is not JSON'],
      ['https://wrong-name.example/client.json', 'its server did not respond over TLS'],
      ['https://loopback.example/client.json', 'its host has an address that is not public'],
    ])('%s is refused, and isn’t requested again at once', async (url, message) => {
      const { fetch } = start()
      const connector = createConnector(url)
      internet.nameServer.asked.length = 0
      for (const response of [
        await fetch(connector.query()),
        await postForm(fetch, connector.query(), { answer: 'allow', api_key: '' }),
      ]) {
        expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)])
      }
      expect(new Set(internet.nameServer.asked)).toEqual(new Set([new URL(url).hostname]))
      expect(internet.nameServer.asked).toHaveLength(2) // IPv4 and IPv6
      expect(internet.requested.length).toBeLessThanOrEqual(1)
    })
  })
})
