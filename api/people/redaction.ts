/**
 * Takes forgotten people out of commits, and out of repositories that stay without their owner. It knows them only by their
 * identities, so that the command that forgets them and later loads redact alike.
 *
 * @module
 */
import type { CommitRecord, RepositoryRecord } from '../dataset/records.ts'
import { foldText } from '../names/case-folding.ts'
import { forgottenAddress, identifyLogin, listIdentities } from '../names/forge-names.ts'

/** Whether an identity is one of forgotten people. */
export type IsForgotten = (identity: string) => boolean

/** Replaces logins. */
const forgottenName = 'forgotten'

/** In characters (RFC 5321). */
const maxAddressLength = 320
const maxLoginLength = 100

/**
 * Replaces the addresses and logins of forgotten people in a commit, and removes the trailers that name them. Returns the
 * same object when there is nothing to replace.
 */
export function redactCommit<Commit extends Omit<CommitRecord, 'repo_url'>>(
  commit: Commit,
  isForgotten: IsForgotten,
): Commit {
  const author_email = redactEmail(commit.author_email, isForgotten)
  const committer_email = redactEmail(commit.committer_email, isForgotten)
  const message = redactMessage(commit.message, isForgotten)
  const isSame =
    author_email === commit.author_email &&
    committer_email === commit.committer_email &&
    message === commit.message
  return isSame ? commit : { ...commit, author_email, committer_email, message }
}

/** Redacts what a commit has as an address. Git takes any text: `<ada@example.com>`, `Ada <ada@example.com>`, `ada`. */
function redactEmail(text: string, isForgotten: IsForgotten): string {
  const namesPerson =
    redactAddress(text, isForgotten) !== text ||
    redactText(text, isForgotten) !== text ||
    (!text.includes('@') && isLoginOf(text.trim(), isForgotten))
  return namesPerson ? forgottenAddress : text
}

function redactAddress(address: string, isForgotten: IsForgotten): string {
  return listIdentities(address).some(isForgotten) ? forgottenAddress : address
}

function redactMessage(message: string, isForgotten: IsForgotten): string {
  const lines = message.split('\n')
  const others = lines.filter((line) => !isTrailerOf(line, isForgotten))
  const text = redactText(others.join('\n'), isForgotten)
  return others.length === lines.length ? text : text.trimEnd()
}

/** `Signed-off-by: Ada <ada@example.com>`, perhaps quoted or in a list. */
const trailer = /^[\s>*-]*([a-z][\w-]*)\s*:(.*)$/is

/** Whether a line is a trailer, which names people, and a forgotten one among them. */
function isTrailerOf(line: string, isForgotten: IsForgotten): boolean {
  const [, token, value] = trailer.exec(line) ?? []
  if (token === undefined || value === undefined) return false
  const namesPeople = /-by$/i.test(token) || value.match(/<[^<>]*>/g)?.some((part) => part.includes('@'))
  if (!namesPeople) return false
  if (redactText(value, isForgotten) !== value) return true
  const name = value.replace(/<.*/s, '').trim()
  const login = /^(?:.*\()?([\w.[\]-]+)\)?$/.exec(name)?.[1] // `ada`, `Ada (ada)`
  return login !== undefined && isLoginOf(login, isForgotten)
}

/** Replaces the addresses of forgotten people in a text, their mentions (`@ada`) and paths that begin with them. */
function redactText(text: string, isForgotten: IsForgotten): string {
  return redactPaths(redactMentions(redactAddresses(text, isForgotten), isForgotten), isForgotten)
}

/** A word, with the rest of an address if there is one. Matches each word once, so it takes linear time. */
const wordOrAddress = /([\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+)(?:@([\p{L}\p{M}\p{N}.-]+))?/gu

function redactAddresses(text: string, isForgotten: IsForgotten): string {
  if (!text.includes('@')) return text
  return text
    .replace(/<([^<>]*)>/g, (whole, address: string) =>
      redactAddress(address.trim(), isForgotten) === forgottenAddress ? `<${forgottenAddress}>` : whole,
    )
    .replace(wordOrAddress, (whole, local: string, domain?: string) => {
      if (domain === undefined || domain.length > maxAddressLength) return whole
      const host = domain.replace(/[.-]+$/, '') // the end of a sentence
      const start = findAddress(local, host, isForgotten)
      return start === undefined
        ? whole
        : local.slice(0, start) + forgottenAddress + domain.slice(host.length)
    })
}

/** Finds where a forgotten address begins: `mailto=ada`, `/ada` and `-ada` may end with one. */
function findAddress(local: string, host: string, isForgotten: IsForgotten): number | undefined {
  const first = Math.max(0, local.length - maxAddressLength)
  const starts = [...local.slice(first).matchAll(/(?:^|[^\p{L}\p{M}\p{N}._%+-])([._%+-]*)/gu)].flatMap(
    ({ index, 0: before, 1: punctuation = '' }) => {
      const end = first + index + before.length
      return [end - punctuation.length, end]
    },
  )
  return starts.find((start) => listIdentities(`${local.slice(start)}@${host}`).some(isForgotten))
}

function redactMentions(text: string, isForgotten: IsForgotten): string {
  return text.replace(/(?<![\p{L}\p{N}_])@([\w.[\]-]+)/gu, (whole, name: string) => {
    const login = listLogins(name).find((each) => isLoginOf(each, isForgotten))
    return login === undefined ? whole : forgottenName + name.slice(login.length)
  })
}

/** Lists what may be the login in `ada`, `ada[bot]`, `ada.` and `ada-`, the longest first. */
function listLogins(name: string): string[] {
  const short = name.slice(0, maxLoginLength)
  const ends = [...short.matchAll(/[.[\]]|[-_]+(?=[.[\]]|$)/g)].map(({ index }) => index)
  return [short.length, ...ends.reverse()].filter((end) => end > 0).map((end) => short.slice(0, end))
}

/** Ends with the host of a URL, with or without `https://`. */
const hostBefore = /(?:[\w-]\.[\w-]+(?::\d+)?|:\/\/[^\s/]+)\/$/

/** Replaces the login in `ada/branch` and `host.example/ada/name`, and in `host.example/ada`. */
function redactPaths(text: string, isForgotten: IsForgotten): string {
  if (!text.includes('/')) return text
  return text.replace(/[\w.[\]-]+(\/)?/g, (whole, slash: string | undefined, offset: number) => {
    const isBelow = text[offset - 1] === '/'
    if (!isBelow && slash === undefined) return whole
    if (isBelow && !hostBefore.test(text.slice(Math.max(0, offset - 256), offset))) return whole
    const name = slash === undefined ? whole : whole.slice(0, -1)
    const before = /^[.[\]-]*/.exec(name)?.[0] ?? ''
    const rest = name.slice(before.length)
    if (isLoginOf(name, isForgotten)) return forgottenName + (slash ?? '')
    // What follows a login can't be told from it at the end of a sentence alone.
    const login = (slash === undefined ? listLogins(rest) : [rest]).find((each) =>
      isLoginOf(each, isForgotten),
    )
    return login === undefined ? whole : before + forgottenName + rest.slice(login.length) + (slash ?? '')
  })
}

function isLoginOf(name: string, isForgotten: IsForgotten): boolean {
  return name !== '' && name.length <= maxLoginLength && isForgotten(identifyLogin(name))
}

/** The owner of repositories that stay although their owner was forgotten. No account of the forge has such a login. */
export function placeholderOf(person: number): string {
  return `${forgottenName}.${person}`
}

/** Finds a forgotten login in the path of a repository's URL, before the repository's name. */
export function findOwnerInUrl(url: string, isForgotten: IsForgotten): string | undefined {
  return splitUrl(url)
    .owners.map(decode)
    .find((login) => isLoginOf(login, isForgotten))
}

/** Replaces an owner in a repository's URL. The rest stays as it is written. */
export function replaceOwnerInUrl(url: string, login: string, owner: string): string {
  const { origin, owners, rest } = splitUrl(url)
  const index = owners.findIndex((name) => foldText(decode(name)) === foldText(login))
  if (index < 0) return url
  return [origin, ...owners.with(index, owner), replaceLogin(rest, login)].join('/')
}

/** Splits a URL into `https://host`, the path's segments before the repository's name, and the rest. */
function splitUrl(url: string): { origin: string; owners: string[]; rest: string } {
  const [, origin = '', path = '', rest = ''] =
    /^([a-z]+:\/\/[^/?#]*)\/?([^?#]*?)([^/?#]*\/*(?:[?#].*)?)$/is.exec(url) ?? []
  return { origin, owners: path.split('/').slice(0, -1), rest }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Gives a repository of a forgotten owner another owner, and removes the login from its texts. */
export function redactRepository(
  repository: RepositoryRecord,
  owner: string,
  isForgotten: IsForgotten,
): RepositoryRecord {
  const { url: oldUrl, owner_login: login, description, homepage, default_branch, dependencies } = repository
  const name = replaceLogin(repository.name, login).slice(0, 100)
  const url = replaceOwnerInUrl(oldUrl, login, owner)
  const namesOwner = (text: string) =>
    foldText(text).includes(foldText(login)) || redactText(text, isForgotten) !== text
  return {
    ...repository,
    url,
    name,
    full_name: `${owner}/${name}`,
    owner_login: owner,
    owner_avatar_url: null,
    description: description && replaceLogin(redactText(description, isForgotten), login),
    homepage: homepage && namesOwner(homepage) ? null : homepage,
    default_branch: default_branch && replaceLogin(default_branch, login),
    dependencies:
      dependencies?.map((use) => (foldText(use.url) === foldText(oldUrl) ? { ...use, url } : use)) ?? null,
  }
}

/** Replaces a login that stands between other characters than letters and digits: `ada.example`, `ada-notes`. */
function replaceLogin(text: string, login: string): string {
  const pattern = login.replaceAll(/[^\w]/g, '\\$&')
  return text.replaceAll(new RegExp(`(?<![a-z0-9])${pattern}(?![a-z0-9])`, 'gi'), forgottenName)
}
