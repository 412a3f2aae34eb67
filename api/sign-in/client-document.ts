/**
 * Fetches the document at a connector's `client_id` that is a URL (OAuth Client ID Metadata Document). Anybody may name any
 * URL, so this reaches nothing but public servers: https on its usual port, a name whose addresses are all public, and
 * one of these addresses, so that a second look-up can't give another. No redirects, 5 seconds, 5 KB.
 */
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { get } from 'node:https'
import { BlockList, isIPv4 } from 'node:net'

const timeoutMs = 5_000
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

/** Reads the document at a URL that `isDocumentUrl` accepts. Throws `DocumentError`. */
export async function readClientDocument(
  url: URL,
  resolve: (hostname: string) => Promise<LookupAddress[]> = (hostname) => lookup(hostname, { all: true }),
): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  const expired = new Promise<never>((_, fail) => {
    signal.addEventListener('abort', () => fail(new DocumentError('it took longer than 5 seconds')))
  })
  expired.catch(() => {})
  const addresses = await Promise.race([expired, resolve(url.hostname).catch(() => [])])
  const [first] = addresses
  if (first === undefined) throw new DocumentError('its host has no address')
  if (!addresses.every(({ address }) => isPublicAddress(address))) {
    throw new DocumentError('its host has an address that is not public')
  }
  return Promise.race([expired, fetchFrom(first.address, url, signal)])
}

function fetchFrom(address: string, url: URL, signal: AbortSignal): Promise<string> {
  return new Promise((succeed, fail) => {
    const refuse = (reason: string) => {
      request.destroy()
      fail(new DocumentError(reason))
    }
    const request = get(
      {
        ...{ host: address, servername: url.hostname, path: url.pathname + url.search },
        ...{ headers: { Host: url.host, Accept: 'application/json' }, agent: false, signal },
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
    request.on('error', () => refuse('its server did not respond'))
  })
}
