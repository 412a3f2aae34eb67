/**
 * Where an instance listens, as addresses.
 *
 * @module
 */
import type { Config } from '../config.ts'

/** Hosts that stand for all of a machine's addresses, and the one of them that a client on it can always use. */
const everywhere = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** An address, which may be an IPv6 one, and a port, as a Host header has them. */
export function formatHost(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`
}

/** Where a client on the same machine finds an instance of these settings. */
export function localOrigin({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${formatHost(everywhere.get(host) ?? host, port)}`
}
