/** Which URLs nobody on the way can read or change. */

/** Whether a host, with or without brackets, is one that only its own machine can reach. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1|\[::1\])$/.test(hostname)
}

/** Whether nobody on the way can read or change what is exchanged with a URL (W3C, "Secure Contexts"). */
export function isPotentiallyTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
