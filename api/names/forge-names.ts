/**
 * Names on the forge: which are valid, and the identities by which commits and repositories name users
 * (`decisions/0004-data.md`).
 */
import { foldText } from './case-folding.ts'

/** Matches valid names of accounts and repositories. */
export const forgeNamePattern = /^(?!\.{1,2}$)[\w.[\]-]{1,100}$/

/** The rule in words, to follow the name of a field or parameter. */
export const forgeNameRule = 'must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'

/** The forge's no-reply addresses: `12345+login@users.noreply.…`, and the older `login@users.noreply.…`. */
const noReplyAddress = /^(?:(\d{1,15})\+)?([^@+]+)@users\.noreply\.(.*)/i

/** Begins the `forge_graphql_id` of what only clones have described. The forge's record replaces it. */
export const localPrefix = 'local_'

/** Whether a user or a repository is known from clones alone. */
export function isLocal({ forge_graphql_id }: { forge_graphql_id: string }): boolean {
  return forge_graphql_id.startsWith(localPrefix)
}

/** Replaces the addresses of forgotten people. No host has a name in `.invalid` (RFC 2606). */
export const forgottenAddress = 'forgotten@devdata.invalid'
const forgottenKey = foldText(forgottenAddress)

/** In characters (RFC 5321: 64 for the name, 255 for the host). */
export const maxAddressLength = 320

/**
 * Returns the identity that a commit's author address names. A no-reply address names an account: by id if it has one,
 * because logins change hands. Any other address names the user who has it. Null: the address can't name a user; the
 * one that replaces the addresses of forgotten people can't.
 */
export function identifyAddress(address: string): string | null {
  if (address === '' || address.length > maxAddressLength) return null
  const [noReply, forgeId, login] = noReplyAddress.exec(address) ?? []
  if (noReply === undefined || login === undefined) {
    const key = foldText(address)
    return key === forgottenKey ? null : `email:${key}`
  }
  return forgeId === undefined ? identifyLogin(login) : identifyForgeId(Number(forgeId))
}

const hostName = String.raw`[\p{L}\p{M}\p{N}_]+(?:(?:\.|-+)[\p{L}\p{M}\p{N}_]+)*`
/** An address as people write it, or as git makes it: `(none)` is the domain of a machine without one. */
const givenAddress = new RegExp(
  String.raw`^[^\s\p{C}()<>[\]:;,"\\@]+(?:\[bot\])?@(?:(?:${hostName}\.)?\(none\)|${hostName}|\[[\da-f.:]+\])$`,
  'iu',
)

/**
 * Returns the identity of an address that an operator gives. Null: it isn't an address alone. Git takes more, but what
 * else looks like one here (`mailto:ada@example.com`, a row of a table, one with an invisible character) would be taken
 * for an address that nobody has.
 */
export function identifyGivenAddress(text: string): string | null {
  return givenAddress.test(text) ? identifyAddress(text) : null
}

/** Lists all identities in an address: a no-reply address may have an id and a login. */
export function listIdentities(address: string): string[] {
  const identity = identifyAddress(address)
  if (identity === null) return []
  const login = noReplyAddress.exec(address)?.[2]
  return login === undefined ? [identity] : [...new Set([identity, identifyLogin(login)])]
}

/**
 * Returns the account that a no-reply address of this forge names by its id. Undefined: it names none. The older form
 * has a login alone, from which the id can't be known.
 */
export function findAccount(address: string, hostname: string): { id: number; login: string } | undefined {
  const [, id, login, host] = noReplyAddress.exec(address) ?? []
  if (id === undefined || login === undefined || host?.toLowerCase() !== hostname) return undefined
  return Number(id) > 0 && forgeNamePattern.test(login) ? { id: Number(id), login } : undefined
}

/** Returns the identity of a login. */
export function identifyLogin(login: string): string {
  return `login:${foldText(login)}`
}

/** Returns the identity of an account's id in the forge's REST interface. */
export function identifyForgeId(id: number): string {
  return `id:${id}`
}

/** Whether an identity is that of an account's id. */
export function isForgeId(identity: string): boolean {
  return identity.startsWith('id:')
}

/** Whether an identity is a login. */
export function isLogin(identity: string): boolean {
  return identity.startsWith('login:')
}

/** Whether an identity names an account, by its id or login. */
export function isAccount(identity: string): boolean {
  return isForgeId(identity) || isLogin(identity)
}
