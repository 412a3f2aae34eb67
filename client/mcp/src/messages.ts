/** What an assistant reads when a call fails: what was wrong, what it cost, and what to do. */
import {
  AuthenticationError,
  ConnectionError,
  DevdataError,
  InsufficientCreditsError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  UnavailableError,
} from '../../src/client.ts'
import type { Connection } from './call.ts'

/** A call that was not made: its arguments can't be used. The message is for the assistant. */
export class ArgumentError extends Error {
  override name = 'ArgumentError'
}

/** A call that was not made: it would cost more than it may. */
export class CostError extends Error {
  override name = 'CostError'

  /** `cost` is what it would cost, in credits, and whether that is the most that it could. */
  constructor(cost: number, isMost = false) {
    super(`This call would cost ${isMost ? 'up to ' : ''}${cost} credit${cost === 1 ? '' : 's'}`)
  }
}

/** Describes what was thrown. */
export function describeError(error: unknown, connection: Pick<Connection, 'keySource'>): string {
  if (error instanceof InsufficientCreditsError) {
    const { needed, balance } = error
    const remedy =
      connection.keySource === undefined
        ? 'tell the user that the key needs more, or that this assistant must be connected again, with more credits in all.'
        : 'tell the user that the key needs more.'
    if (balance === 0) return `No credits are left. ${sentence(remedy)}`
    if (Number.isNaN(needed + balance)) return `Too few credits are left for this call. ${sentence(remedy)}`
    return `This call would cost ${needed} credits, and ${balance} are left. Set limit to ${balance} or less, or ${remedy}`
  }
  const message = error instanceof Error ? error.message : String(error)
  const requestId = error instanceof DevdataError ? error.requestId : undefined
  const text = [
    sentence(error instanceof TypeError ? writeNames(message) : message),
    advise(error, connection),
  ]
    .filter(Boolean)
    .join(' ')
  return requestId === undefined ? text : `${text} (request ${requestId})`
}

function advise(error: unknown, { keySource }: Pick<Connection, 'keySource'>): string {
  if (error instanceof AuthenticationError) {
    const remedy =
      keySource === undefined ? 'to connect this assistant again' : `to check the key in ${keySource}`
    return `Tell the user ${remedy}. Trying again is of no use.`
  }
  if (error instanceof PermissionError) {
    return 'Tell the user that the key may not read this. Trying again is of no use.'
  }
  if (error instanceof NotFoundError)
    return 'Check owner and name; find_repositories lists those of an owner.'
  if (error instanceof UnavailableError && error.code === 'filter_not_ready') {
    return 'Call the tool again without this filter. Trying again with it is of no use today.'
  }
  if (error instanceof RateLimitError || error instanceof UnavailableError) {
    const { retryAfterSeconds } = error
    return retryAfterSeconds === undefined ? 'Try again later.' : `Try again in ${retryAfterSeconds} s.`
  }
  if (error instanceof ConnectionError) {
    return 'Tell the user to check DEVDATA_URL in the configuration of this MCP server, and whether the service runs.'
  }
  if (error instanceof InvalidRequestError || error instanceof TypeError) return 'Change the arguments.'
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'The service did not respond in time. Try again later, or ask for fewer items.'
  }
  return ''
}

/** Names the client's parameters as the tools do. */
function writeNames(message: string): string {
  const name = message.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (member) =>
    member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  return name.replace('full_names', 'full_name')
}

function sentence(text: string): string {
  const capital = text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase())
  return /[.!?]$/.test(capital) ? capital : `${capital}.`
}
