/** A name server (RFC 1035), so that tests decide which addresses names have. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

/** A running name server, at a free port of 127.0.0.1. */
export interface NameServer extends AsyncDisposable {
  /** As resolvers take it: host and port. */
  address: string
  /** The names that were asked for, oldest first. */
  asked: string[]
}

const types = { a: 1, aaaa: 28 }

/**
 * Starts a name server. It calls `find` for the addresses of each name that it is asked for. If that returns undefined, the
 * server doesn't respond. A name without addresses doesn't exist.
 */
export async function startNameServer(
  find: (name: string) => readonly string[] | undefined,
): Promise<NameServer> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = readQuestion(message)
    asked.push(name)
    const addresses = find(name)
    if (addresses === undefined) return
    const found = addresses.filter((each) => type === (isIPv4(each) ? types.a : types.aaaa))
    socket.send(writeResponse(message.subarray(0, end), found, addresses.length > 0), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

const headerLength = 12

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let place = headerLength
  for (let length = message.readUInt8(place); length > 0; length = message.readUInt8(place)) {
    labels.push(message.toString('ascii', place + 1, place + 1 + length))
    place += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(place + 1), end: place + 5 }
}

function writeResponse(question: Buffer, addresses: readonly string[], exists: boolean): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(exists ? 0x8180 : 0x8183, 2) // a response; 3: there is no such name
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const data = writeAddress(address)
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc000 + headerLength, 0) // the name of the question
    record.writeUInt16BE(isIPv4(address) ? types.a : types.aaaa, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([head, ...records])
}

function writeAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [left = '', right = ''] = address.split('::')
  const parse = (text: string) => text.split(':').filter((part) => part !== '')
  const [before, after] = [parse(left), parse(right)]
  const between = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const data = Buffer.alloc(16)
  for (const [index, part] of [...before, ...between, ...after].entries()) {
    data.writeUInt16BE(Number.parseInt(part, 16), index * 2)
  }
  return data
}
