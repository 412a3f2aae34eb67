/** What a connector asks for when it sends a browser to the page (OAuth 2.1, 4.1.1). */
import type { Connector, Connectors } from './connectors.ts'
import { SignInProblem } from './problem.ts'
import { isRegistered } from './redirect-uri.ts'

/** A valid request. */
export interface AuthorizationRequest {
  connector: Connector
  /** One of those that the connector has registered. */
  redirectUri: string
  /** SHA-256 of what the connector will show with the code, in Base64url. */
  challenge: string
  /** What the connector gets back with the code; undefined: nothing. */
  state: string | undefined
}

/**
 * Reads a request. Throws `SignInProblem` with what is wrong. The connector never learns that: a page that sends
 * browsers on by itself, to where anybody has registered, would lend them this service's name.
 */
export async function readAuthorizationRequest(
  query: URLSearchParams,
  connectors: Pick<Connectors, 'find'>,
  resource: string,
): Promise<AuthorizationRequest> {
  const { read, find } = createReader(query)
  const connector = await connectors.find(read('client_id'))
  const redirectUri = read('redirect_uri')
  if (!isRegistered(redirectUri, connector.redirectUris)) {
    throw new SignInProblem(
      'Invalid redirect_uri: the assistant hasn’t registered it. Remove and add it again in your assistant.',
    )
  }
  if (read('response_type') !== 'code') throw new SignInProblem('Invalid response_type: must be code')
  const challenge = read('code_challenge')
  if (read('code_challenge_method') !== 'S256')
    throw new SignInProblem('Invalid code_challenge_method: must be S256')
  if (!/^[\w-]{43}$/.test(challenge)) {
    throw new SignInProblem('Invalid code_challenge: must be a SHA-256 in Base64url, 43 characters')
  }
  assertResource(find('resource'), resource)
  return { connector, redirectUri, challenge, state: find('state') }
}

/**
 * Creates readers of parameters. They throw `SignInProblem` if a parameter is given more than once, or has a NUL
 * character.
 */
export function createReader(parameters: URLSearchParams) {
  /** Returns undefined if the parameter is missing or empty: OAuth treats both alike. */
  function find(name: string): string | undefined {
    const [value, ...others] = parameters.getAll(name)
    if (others.length > 0) throw new SignInProblem(`Invalid ${name}: given more than once`)
    if (value?.includes('\0'))
      throw new SignInProblem(`Invalid ${name}: has a NUL character, which no value has`)
    return value || undefined
  }

  return {
    find,
    /** Also throws `SignInProblem` if the parameter is missing or empty. */
    read(name: string): string {
      const value = find(name)
      if (value === undefined) throw new SignInProblem(`Invalid ${name}: missing`)
      return value
    },
  }
}

/** Throws `SignInProblem` if a token is wanted for another service (RFC 8707). Older connectors name no service. */
export function assertResource(given: string | undefined, resource: string): void {
  if (given === undefined) return
  const isSame = URL.canParse(given) && new URL(given).href.replace(/\/$/, '') === resource
  if (!isSame) {
    throw new SignInProblem(
      `Invalid resource: this service gives tokens for ${resource} alone`,
      'invalid_target',
    )
  }
}
