/** What the operating system keeps of responses that clients haven't read, on Linux. */
import { readFile } from 'node:fs/promises'

/** Counts the bytes that connections from this local port have sent and nobody has read; of one remote port, or of all. */
export async function countUnreadBytes(localPort: number, remotePort?: number): Promise<number> {
  const texts = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'latin1').catch(() => '')),
  )
  const rows = texts.join('').matchAll(/:([\dA-F]{4}) [\dA-F]+:([\dA-F]{4}) [\dA-F]{2} ([\dA-F]{8}):/g)
  let count = 0
  for (const [, local = '', remote = '', unread = ''] of rows) {
    if (Number.parseInt(local, 16) !== localPort) continue
    if (remotePort === undefined || Number.parseInt(remote, 16) === remotePort)
      count += Number.parseInt(unread, 16)
  }
  return count
}
