/**
 * Takes the logins of forgotten people out of a text, only where they stand for the person: in mentions, as owners in
 * URLs and references of the forge, and in the titles of merges. Elsewhere a login such as `test` or `docs` is a word
 * of somebody else.
 */
import { identifyLogin } from '../names/forge-names.ts'
import type { IsForgotten } from './address-redaction.ts'

/** Replaces logins. */
export const forgottenName = 'forgotten'

const maxLoginLength = 100

/** Whether a name is the login of a forgotten person. */
export function isLoginOf(name: string, isForgotten: IsForgotten): boolean {
  return name !== '' && name.length <= maxLoginLength && isForgotten(identifyLogin(name))
}

/**
 * Replaces the logins of forgotten people in a text of a repository on a host. Takes time in proportion to the text.
 */
export function redactLogins(text: string, host: string, isForgotten: IsForgotten): string {
  return redactOwners(redactMentions(text, isForgotten), host, isForgotten)
}

/** A word before `@` makes it an address, and so does a name in a script that has spaces between words. */
const mention =
  /(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Inherited}\p{N}]_*)@([\w.[\]-]+)/gu

function redactMentions(text: string, isForgotten: IsForgotten): string {
  if (!text.includes('@')) return text
  return text.replace(mention, (whole, name: string, offset: number) => {
    // `@ada/tool` is a package of npm, or a team.
    if (/^\/\w/.test(text.slice(offset + whole.length, offset + whole.length + 2))) return whole
    const redacted = redactName(name, isForgotten)
    return redacted === name ? whole : redacted
  })
}

/** Replaces a login that a text begins with: `ada`, `ada[bot]`, `ada.`, `ada_` */
function redactName(text: string, isForgotten: IsForgotten): string {
  const short = text.slice(0, maxLoginLength + 1)
  const names = [
    short,
    short.replace(/[._-]+$/, ''),
    short.replace(/[._[\]-]+$/, ''),
    short.replace(/\[.*/, ''),
  ]
  const login = names.find((name) => isLoginOf(name, isForgotten))
  return login === undefined ? text : forgottenName + text.slice(login.length)
}

/** Where users and their logins are from if the repository is somewhere else (`import github`). */
const publicForge = 'github.com'

// Of the groups, the first is what stands before the owner, and the second begins with the owner.

/** `owner/name#12`, `owner/name!12` and `owner/name@0123abc` */
const reference = /()(?<![\w./@:~-])([\w.-]{1,100})(?=\/[\w.-]{1,100}(?:[#!]\d|@[0-9a-f]{7,40}(?!\w)))/gi

/** `Reviewed-by: ada <ada@example.com>`: the address may be somebody else's, but `Ada` is likely to be a given name. */
const trailerName =
  /^([ \t>*-]*(?:[A-Za-z][\w-]*-[Bb]y|Cc|CC|From)[ \t]*:[ \t]*)(?!\p{Lu}\p{Ll}+[ \t]*<)([\w.[\]-]+)(?=[ \t]*<[^<>\n]*>)/gmu

const merges = [
  // Merge pull request #7 from ada/fix, in the list of a squashed branch, too
  /^([ \t>*-]*(?:Revert ")*Merged? (?:(?:pull|merge) request |PR )[#!]?\d+ from ~?)([\w.[\]-]+)(?=[/:])/gim,
  // Merge from ada/fix
  /^((?:Revert ")*Merged? from ~?)([\w.[\]-]+)(?=\/)/gi,
  // Auto merge of #12 - ada:fix, r=bob, as the program homu writes it
  /^((?:Auto|Rollup) merge of #\d+ - )([\w-]+)(?=:)/gim,
  /^((?:Auto|Rollup) merge of #\d+ - [^\n=]*, r=)([\w-]+)/gim,
]

function redactOwners(text: string, host: string, isForgotten: IsForgotten): string {
  if (!text.includes('/') && !text.includes(':')) return text
  const redact = (all: string, pattern: RegExp) =>
    all.replace(pattern, (_whole, before: string, name: string) => before + redactName(name, isForgotten))
  const { anyHost, urls } = findUrlPatterns(host)
  const withoutUrls = anyHost.test(text) ? urls.reduce(redact, text) : text
  const withoutMerges = /merge/i.test(text) ? merges.reduce(redact, withoutUrls) : withoutUrls
  return [reference, trailerName].reduce(redact, withoutMerges)
}

interface UrlPatterns {
  /** Matches a text that may have such a URL. */
  anyHost: RegExp
  urls: readonly RegExp[]
}

const patternsByHost = new Map<string, UrlPatterns>()
/** Hosts whose patterns are kept. */
const maxHosts = 1_000

function findUrlPatterns(host: string): UrlPatterns {
  const known = patternsByHost.get(host)
  if (known !== undefined) return known
  if (patternsByHost.size >= maxHosts) patternsByHost.clear()
  const patterns = createUrlPatterns(host)
  patternsByHost.set(host, patterns)
  return patterns
}

function createUrlPatterns(host: string): UrlPatterns {
  const ownHost = host.replace(/:\d+$/, '') // the patterns allow any port
  const hosts = [publicForge, ...(ownHost === '' ? [] : [ownHost])].map((each) =>
    each.replaceAll(/[^\w]/g, '\\$&'),
  )
  const anyHost = `(?:${hosts.join('|')})`
  const forge = String.raw`(?<![\w.-])(?:(?:www|api|gist|raw)\.)?${anyHost}`
  const urls = [
    // [ada/tool](https://forge.example/ada/tool): comes first, because it reads the URL
    String.raw`(\[)([\w.-]{1,100})(?=(?:\/[^\]\s]{1,200})?\]\(https?:\/\/${forge}\/\2(?![\w-]))`,
    // https://forge.example/ada, forge.example/ada/tool
    String.raw`(${forge}(?::\d+)?\/(?:(?:orgs|repos|sponsors|stars|users)\/)?~?)([\w.[\]-]+)`,
    String.raw`((?<![\w.-])raw\.githubusercontent\.com\/)([\w.[\]-]+)`,
    // git@forge.example:ada/tool.git
    String.raw`(${forge}:)([\w.[\]-]+)(?=\/)`,
    // https://ada@forge.example/acme/tool
    String.raw`(\/\/)([\w.[\]-]+)(?=(?::[^\s/@]*)?@${forge})`,
  ]
  return {
    anyHost: new RegExp(String.raw`${anyHost}|githubusercontent\.com`, 'i'),
    urls: urls.map((pattern) => new RegExp(pattern, 'gi')),
  }
}
