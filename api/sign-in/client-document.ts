/**
 * Fetches the document at a connector's `client_id` that is a URL (OAuth Client ID Metadata Document). Anybody may name
 * any URL, so this reaches nothing but public servers: https on its usual port, a name whose addresses are all public,
 * and these addresses alone, so that a second look-up can't give another. No redirects, 5 seconds, 5 KB.
 */
import { Resolver } from 'node:dns/promises'
import { type Agent, get } from 'node:https'
import { BlockList, isIPv4 } from 'node:net'

const timeoutMs = 5_000
/** An address that doesn't accept a connection until then isn't waited for: the next one may. */
const connectMs = 1_500
const maxAddresses = 3
const maxBytes = 5_120

/** What not everybody can reach, or only by way of an IPv4 address (IANA, special-purpose addresses). */
const special = {
  ipv4: createList('ipv4', [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
    ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
    ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ]),
  ipv6: createList('ipv6', [
    ...['::/3', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '4000::/2', '8000::/1'],
  ]),
}

function createList(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

/** Whether an IP address is one that everybody can reach. */
export function isPublicAddress(address: string): boolean {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  return !special[family].check(address, family)
}

/** Whether a text has the form of a `client_id` that is a URL. */
export function isDocumentUrl(text: string): boolean {
  if (text.length > 500 || !URL.canParse(text)) return false
  const { protocol, username, password, hash, pathname, port, hostname, href } = new URL(text)
  // The text must be what the URL parser writes: so it has neither dots in its path nor another spelling of its host.
  return (
    protocol === 'https:' &&
    username + password + hash + port === '' &&
    pathname !== '/' &&
    href === text &&
    /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z][a-z\d-]*$/.test(hostname)
  )
}

/** A document can't be had. The message says why. */
export class DocumentError extends Error {
  override name = 'DocumentError'
}

/** A server can't be reached at an address over TLS with a valid certificate. */
class UnreachableError extends DocumentError {
  constructor() {
    super('its server did not respond over TLS with a valid certificate')
  }
}

/** How the servers of documents are reached. By default, with the machine's name servers and new connections. */
export interface DocumentRoute {
  /** Returns the addresses of a name. */
  resolve(hostname: string, signal: AbortSignal): Promise<string[]>
  /** Connects to one of these addresses, which are all public. False: with a new connection. */
  agent: Agent | false
}

/**
 * Returns the addresses of a name, those of IPv4 first. It asks the name servers itself (default: those of the
 * machine): `dns.lookup` would keep threads that the whole process needs for as long as a name server is silent.
 */
export async function resolveName(
  hostname: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  if (servers !== undefined) resolver.setServers(servers)
  signal.addEventListener('abort', () => resolver.cancel(), { once: true })
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
}

/** Reads the document at a URL that `isDocumentUrl` accepts. Throws `DocumentError`. */
export async function readClientDocument(
  url: URL,
  { resolve = resolveName, agent = false }: Partial<DocumentRoute> = {},
): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  const expired = new Promise<never>((_, fail) => {
    signal.addEventListener('abort', () => fail(new DocumentError('it took longer than 5 seconds')))
  })
  expired.catch(() => {})
  const addresses = await Promise.race([expired, resolve(url.hostname, signal).catch(() => [])])
  if (addresses.length === 0) throw new DocumentError('its host has no address')
  if (!addresses.every(isPublicAddress)) throw new DocumentError('its host has an address that is not public')
  for (const address of addresses.slice(0, maxAddresses)) {
    try {
      return await Promise.race([expired, fetchFrom(address, url, agent, signal)])
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
    }
  }
  throw new UnreachableError()
}

function fetchFrom(address: string, url: URL, agent: Agent | false, signal: AbortSignal): Promise<string> {
  return new Promise((succeed, fail) => {
    const refuse = (reason: string) => {
      request.destroy()
      fail(new DocumentError(reason))
    }
    const request = get(
      {
        host: address,
        servername: url.hostname,
        path: url.pathname + url.search,
        headers: { Host: url.host, Accept: 'application/json' },
        agent,
        signal,
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        if (response.statusCode !== 200) return refuse(`its status is ${response.statusCode}, not 200`)
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > maxBytes) refuse(`it has more than ${maxBytes} bytes`)
          else chunks.push(chunk)
        })
        response.on('end', () => succeed(Buffer.concat(chunks).toString()))
        response.on('error', () => refuse('the connection was lost'))
      },
    )
    const timer = setTimeout(() => request.destroy(new Error('no connection')), connectMs)
    request.on('socket', (socket) => socket.on('secureConnect', () => clearTimeout(timer)))
    request.on('error', () => {
      clearTimeout(timer)
      fail(new UnreachableError())
    })
  })
}
