/** The URL of an instance on its own machine. */
import type { Config } from '../config.ts'

/** Hosts that mean all addresses of a machine, each with one that local clients can always use. */
const localAddresses = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** Formats an address, IPv6 ones too, and a port as in a `Host` header. */
export function formatHost(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`
}

/** The origin where clients on the same machine reach an instance. */
export function localOrigin({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${formatHost(localAddresses.get(host) ?? host, port)}`
}
