/**
 * Finds connections whose clients read nothing of what was sent to them.
 *
 * The operating system takes a response of some megabytes whole, and keeps it until the client reads it. To Node, it is
 * then sent, and the connection is idle. Only the system's table of connections says what clients haven't read. It
 * exists on Linux, and costs nothing while all clients have read everything.
 */
import { readFile } from 'node:fs/promises'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'

const tables = ['/proc/net/tcp', '/proc/net/tcp6']

/**
 * A row of a connection that has sent bytes which weren't acknowledged: local port, remote address, remote port and how
 * many bytes, all in hexadecimal. `man 5 proc_net_tcp` has the format.
 */
const unreadRow = /^ *\d+: [\dA-F]+:([\dA-F]{4}) ([\dA-F]+:[\dA-F]{4}) [\dA-F]{2} (?!0{8})([\dA-F]{8}):/gm

/** How far a connection's client had read when it was last seen to read. */
interface Progress {
  /** Bytes that the client has read. */
  read: number
  /** Bytes that were sent to it. */
  sent: number
  sinceMs: number
}

/** Watches connections. */
export interface UnreadResponses {
  /**
   * Returns the connections whose clients have read nothing for the time limit, although something was sent to them.
   * Ignores connections that Node itself still writes to: their timeouts do the same.
   */
  findStuck(sockets: Iterable<Socket>, nowMs: number): Promise<Socket[]>
}

/** Creates a watch. It remembers what it saw when it was last asked. */
export function watchUnreadResponses(timeoutMs: number): UnreadResponses {
  const progress = new WeakMap<Socket, Progress>()
  return {
    async findStuck(sockets, nowMs) {
      const candidates = [...sockets].filter((socket) => {
        const { read, sent } = progress.get(socket) ?? { read: 0, sent: 0 }
        return socket.writableLength === 0 && (read < sent || sent < socket.bytesWritten)
      })
      if (candidates.length === 0) return []
      const unread = await readUnreadBytes()
      return candidates.filter((socket) => {
        const sent = socket.bytesWritten
        const read = sent - (unread.get(writeKey(socket)) ?? 0)
        const last = progress.get(socket)
        if (last !== undefined && read === last.read && read < sent) return nowMs - last.sinceMs >= timeoutMs
        progress.set(socket, { read, sent, sinceMs: nowMs })
        return false
      })
    },
  }
}

/** Reads how many bytes each connection's client hasn't read. Empty: the system doesn't say. */
async function readUnreadBytes(): Promise<Map<string, number>> {
  const texts = await Promise.all(tables.map((path) => readFile(path, 'latin1').catch(() => '')))
  const rows = texts.flatMap((text) => [...text.matchAll(unreadRow)])
  return new Map(
    rows.map(([, localPort, remote, bytes = '']) => [`${localPort} ${remote}`, Number.parseInt(bytes, 16)]),
  )
}

/** A connection as the tables name it. */
function writeKey({ localPort = 0, remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${writePort(localPort)} ${writeAddress(remoteAddress)}:${writePort(remotePort)}`
}

function writePort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}

/** The tables have addresses as words in the byte order of the machine. */
export function writeAddress(address: string): string {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : expandIPv6(address)
  if (endianness() === 'LE') bytes.swap32()
  return bytes.toString('hex').toUpperCase()
}

function expandIPv6(address: string): Buffer {
  const [withoutScope = ''] = address.split('%')
  if (!URL.canParse(`http://[${withoutScope}]`)) return Buffer.alloc(0) // the connection has ended
  const { hostname } = new URL(`http://[${withoutScope}]`) // an IPv4 address at its end becomes hexadecimal
  const [start = [], end = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const groups = [...start, ...Array<string>(8 - start.length - end.length).fill('0'), ...end]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
