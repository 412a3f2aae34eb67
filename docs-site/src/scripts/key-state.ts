/** What the docs and the viewer say about a key, from the response of `GET /api-key/credits`. */

/** What is known about a key. */
export interface KeyState {
  /** For readers: the balance, or what is wrong. */
  text: string
  /** Whether the service accepts the key. Undefined: the service couldn't say, as with status 429 or 503. */
  isValid: boolean | undefined
  role?: string
}

/** Writes a balance: `9,998 credits`. */
export const writeCredits = (credits: number): string =>
  `${credits.toLocaleString('en')} ${credits === 1 ? 'credit' : 'credits'}`

/** What a balance means for a key of this role. Admin keys don't pay. */
export const writeBalance = (credits: number, role: string | undefined): string =>
  role === 'admin' ? 'An admin key: not charged' : `${writeCredits(credits)} left`

/** Reads a response of `GET /api-key/credits`. */
export function readKeyState({ status, text }: { status: number; text: string }): KeyState {
  let body: { error?: string; remaining_credits?: number; role?: string } = {}
  try {
    body = JSON.parse(text)
  } catch {
    // Proxies send errors that aren't JSON.
  }
  if (status !== 200) {
    const isRefused = status === 401 || status === 403
    return { text: body.error ?? `The response has status ${status}`, isValid: isRefused ? false : undefined }
  }
  const role = body.role ?? 'user'
  return { text: writeBalance(body.remaining_credits ?? 0, role), isValid: true, role }
}
