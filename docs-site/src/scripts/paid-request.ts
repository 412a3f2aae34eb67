/**
 * Requests that cost credits. After a lost response, the next attempt has the same idempotency key, so it isn't paid
 * twice.
 */

/** What the service takes for the same request under an idempotency key. */
interface PaidRequest {
  readonly path: string
  readonly key: string | undefined
}

const writeIdentity = ({ key, path }: PaidRequest): string => `${key} ${path}`

/** Idempotency keys of requests that may have been charged, though no response has come. */
const lostKeys = new Map<string, string>()

/** Whether a request may have been charged, though no response has come. */
export const isLost = (request: PaidRequest): boolean => lostKeys.has(writeIdentity(request))

/** `crypto.randomUUID` is missing on pages without HTTPS, except those of this machine. */
const createIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The idempotency key under which to send a request: that of its lost response, or another one. */
export const chooseIdempotencyKey = (request: PaidRequest): string =>
  lostKeys.get(writeIdentity(request)) ?? createIdempotencyKey()

/** Sends a request under an idempotency key, and remembers that key until a response has come. */
export async function sendPaid<Received extends { status: number }>(
  request: PaidRequest,
  idempotencyKey: string,
  send: () => Promise<Received>,
): Promise<Received> {
  const identity = writeIdentity(request)
  const wasLost = lostKeys.has(identity)
  lostKeys.set(identity, idempotencyKey)
  const received = await send()
  // A proxy may send an error in place of a response that was charged, and a refusal says nothing of an earlier one.
  const { status } = received
  if (status < 400 || status === 404 || (status < 500 && !wasLost)) lostKeys.delete(identity)
  return received
}
