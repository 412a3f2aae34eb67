/**
 * Takes forgotten people out of commits, and out of repositories that stay without their owner. It knows them only by
 * their identities, so that the command that forgets them and later loads redact alike.
 */

import { foldText } from '../names/case-folding.ts'
import { forgottenAddress, identifyLogin } from '../names/forge-names.ts'
import { findRepositoryHost } from '../names/repository-url.ts'
import { removeTrailers, type Trailer } from '../names/trailers.ts'
import type { CommitRecord, RepositoryRecord } from '../staging/records.ts'
import { type IsForgotten, redactAddress, redactAddresses } from './address-redaction.ts'
import { forgottenName, isLoginOf, redactLogins } from './login-redaction.ts'

/**
 * Replaces the addresses and logins of forgotten people in a commit, and removes the trailers that name them. `host` is
 * that of the repository. Returns the same object when there is nothing to replace.
 */
export function redactCommit<Commit extends Omit<CommitRecord, 'repo_url'>>(
  commit: Commit,
  host: string,
  isForgotten: IsForgotten,
): Commit {
  const author_email = redactEmail(commit.author_email, host, isForgotten)
  const committer_email = redactEmail(commit.committer_email, host, isForgotten)
  const message = redactMessage(commit.message, host, isForgotten)
  const isSame =
    author_email === commit.author_email &&
    committer_email === commit.committer_email &&
    message === commit.message
  return isSame ? commit : { ...commit, author_email, committer_email, message }
}

/** Redacts what a commit has as an address. Git takes any text: `<ada@example.com>`, `Ada <ada@example.com>`, `ada`. */
function redactEmail(text: string, host: string, isForgotten: IsForgotten): string {
  const namesPerson =
    redactAddress(text, isForgotten) !== text ||
    redactText(text, host, isForgotten) !== text ||
    (!text.includes('@') && isLoginOf(text.trim(), isForgotten))
  return namesPerson ? forgottenAddress : text
}

function redactMessage(message: string, host: string, isForgotten: IsForgotten): string {
  const others = removeTrailers(message, (trailer) => isTrailerOf(trailer, host, isForgotten))
  const redacted = redactText(others, host, isForgotten)
  return others === message ? redacted : redacted.trimEnd()
}

/**
 * `Ada <ada@example.com>`: a few words before it, and after it. A line of text such as
 * `Note: Ada <ada@example.com> found that …` is somebody else's, and keeps its other words.
 */
const peopleAlone =
  /^(?:[^\s<>:/]+ ){0,3}[^\s<>:/]* ?<[^<>@]*@[^<>]*>(?:[ ,;].*<[^<>@]*@[^<>]*>)?(?: \S+){0,3}$/

/** Whether a trailer names people, and a forgotten one among them: by address, or by login where it has no address. */
function isTrailerOf({ token, value, firstLine }: Trailer, host: string, isForgotten: IsForgotten): boolean {
  // The first line is the title, unless it clearly names somebody.
  const namesPeople = /-by$/i.test(token) || (firstLine > 0 && peopleAlone.test(value.replace(/\s+/g, ' ')))
  if (!namesPeople) return false
  if (redactText(value, host, isForgotten) !== value) return true
  const login = /^(?:.*\()?([\w.[\]-]+)\)?$/s.exec(value)?.[1] // `ada`, `Ada (ada)`
  return login !== undefined && isLoginOf(login, isForgotten)
}

/** Replaces the addresses and logins of forgotten people. */
function redactText(text: string, host: string, isForgotten: IsForgotten): string {
  return redactLogins(redactAddresses(text, isForgotten), host, isForgotten)
}

/** The owner of repositories that stay although their owner was forgotten. No account of the forge has such a login. */
export function placeholderOf(person: number): string {
  return `${forgottenName}.${person}`
}

/** The identity of the owner of repositories that stay. */
export function identifyPlaceholder(person: number): string {
  return identifyLogin(placeholderOf(person))
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
  const host = findRepositoryHost(oldUrl)
  const redact = (text: string) => redactText(text, host, isForgotten)
  const namesOwner = (text: string) => foldText(text).includes(foldText(login)) || redact(text) !== text
  return {
    ...repository,
    url,
    name,
    full_name: `${owner}/${name}`,
    owner_login: owner,
    owner_avatar_url: null,
    description: description && replaceLogin(redact(description), login),
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
