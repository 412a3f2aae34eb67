/** Sends a message to the webhook. Whatever the receiver does, an attempt ends soon, and takes little memory. */
import type { Buffer } from 'node:buffer'
import { getMessage } from '../errors.ts'
import { signMessage } from './signature.ts'

/** Where messages go, and what signs them. */
export interface Webhook {
  url: string
  secrets: readonly Buffer[]
}

/** What the receiver gets. */
export interface Message {
  /** The same in each attempt. */
  id: string
  /** What it is about: `key.low`. */
  type: string
  /** When it happened, in ISO 8601. */
  timestamp: string
  data: Record<string, unknown>
}

const timeoutMs = 5_000
const maxResponseBytes = 4_096

/** Sends a message once. Returns what is wrong; undefined: the receiver has it. */
export async function sendMessage(
  { url, secrets }: Webhook,
  { id, ...content }: Message,
): Promise<string | undefined> {
  const body = JSON.stringify(content)
  const headers = {
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
    'User-Agent': 'devdata',
    ...signMessage(secrets, { id, seconds: Math.floor(Date.now() / 1_000), body }),
  }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await readStart(response).catch(() => {}) // the status says it: a body that breaks or never ends changes nothing
    return response.ok ? undefined : `the receiver responded with ${response.status || 'a redirect'}`
  } catch (error) {
    if (signal.aborted) return `the receiver didn't respond within ${timeoutMs / 1_000} seconds`
    return `the receiver can't be reached: ${describeFetchError(error)}`
  }
}

/** Reads the beginning of a body, so that its connection can be used again. A longer body is dropped with it. */
async function readStart({ body }: Response): Promise<void> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (let size = 0; size <= maxResponseBytes; ) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.length
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** `fetch` says only that it failed, and has the reason in its cause. */
function describeFetchError(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? getMessage(error.cause) : getMessage(error)
}
