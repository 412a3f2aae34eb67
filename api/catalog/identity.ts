/**
 * Identities: how commits and repositories name the people behind them, so that a user can be found by either.
 *
 * @module
 */
import { foldText } from './text-key.ts'

/** The forge's no-reply addresses: `12345+login@users.noreply.…`, or `login@users.noreply.…` of old. */
const noReplyAddress = /^(?:(\d{1,15})\+)?([^@+]+)@users\.noreply\./i

/** Longest address that can name somebody, in characters (RFC 5321: 64 for the name, 255 for the host). */
const maxAddressLength = 320

/**
 * Whom a commit's author address names (`decisions.md`, Lists): the account that a no-reply address carries, by id
 * where it has one, since logins change hands; else the user with that address, without regard to case.
 * Null when it can name nobody.
 */
export function identifyAddress(address: string): string | null {
  if (address === '' || address.length > maxAddressLength) return null
  const [noReply, forgeId, login] = noReplyAddress.exec(address) ?? []
  if (noReply === undefined || login === undefined) return `email:${foldText(address)}`
  return forgeId === undefined ? identifyLogin(login) : identifyForgeId(Number(forgeId))
}

/** The identity that a login has. */
export function identifyLogin(login: string): string {
  return `login:${foldText(login)}`
}

/** The identity that an account's id in the forge's REST interface has. */
export function identifyForgeId(id: number): string {
  return `id:${id}`
}
