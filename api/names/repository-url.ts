/** The spellings of a repository's URL. */
import { foldText } from './case-folding.ts'

/** First path segments of a repository's pages, below its own URL. */
const repositoryPages = /^(?:-|actions|blob|branches|commits?|issues|pulls?|releases|src|tags|tree|wiki)$/

/** What a URL says about a repository. */
export interface RepositoryUrlParts {
  /** With a port, unless it is the scheme's own; without `www.`. */
  host: string
  /** As in the path, escapes included. */
  owner: string
  /** As in the path, without `.git`. */
  name: string
  /** Whether the path goes on below the repository, but not to one of its pages: owner and name are groups then. */
  isNested: boolean
}

/** Parses a URL. Null: it is invalid. */
export const parseUrl = rememberLast((text) => URL.parse(text))

/** Returns a function that remembers its last result: the commits of a repository are next to each other. */
function rememberLast<Result>(compute: (text: string) => Result): (text: string) => Result {
  let last: { text: string; result: Result } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) }
    return last.result
  }
}

/** Splits an http or https URL of a repository, or of one of its pages. Undefined if the path has no owner and name. */
export function splitRepositoryUrl({ host, pathname }: URL): RepositoryUrlParts | undefined {
  const [owner, fullName, page] = pathname.split('/').filter(Boolean)
  const name = fullName?.replace(/\.git$/i, '')
  if (owner === undefined || name === undefined || name === '') return undefined
  const isNested = page !== undefined && !repositoryPages.test(page)
  return { host: host.replace(/^www\./, ''), owner, name, isNested }
}

/**
 * Makes the key that all usual spellings of a repository's URL share: scheme, `www.`, case, default ports, `.git`,
 * slashes at the end and pages such as `/tree/main` don't count. Other URLs, such as those with nested groups or a
 * query, are equal if only case, scheme or slashes at the end differ.
 */
export const keyRepositoryUrl = rememberLast((text) => {
  const url = parseUrl(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash === ''
  const parts = isPlain ? splitRepositoryUrl(url) : undefined
  if (parts !== undefined && !parts.isNested) {
    const owner = decode(parts.owner)
    const name = decode(parts.name)
    if (owner !== undefined && name !== undefined) return foldText(`${parts.host}/${owner}/${name}`)
  }
  return foldText(text.replace(/^https?:\/\//i, '').replace(/\/+$/, ''))
})

/** Returns the host in a key that `keyRepositoryUrl` made, with its port if it has one. */
export function findHostInKey(key: string): string {
  return key.split('/', 1)[0] ?? ''
}

/** Returns the host of a repository's URL, as in its key. */
export function findRepositoryHost(url: string): string {
  return findHostInKey(keyRepositoryUrl(url))
}

/** Undefined if an escape is invalid, or encodes what would have another meaning in a URL, or a NUL. */
function decode(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment)
    return /[/?#\0]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
