/**
 * A repository's URL on its forge, in the one form in which it is stored.
 *
 * @module
 */
import { foldText } from '../../catalog/names.ts'
import { ImportError } from '../import-error.ts'

/** First path segments of a repository's pages, below its own URL. */
const repositoryPages = new Set([
  '-',
  'actions',
  'blob',
  'branches',
  'commit',
  'commits',
  'issues',
  'pull',
  'pulls',
  'releases',
  'src',
  'tags',
  'tree',
  'wiki',
])

/**
 * Normalizes a repository's URL to `https://HOST/OWNER/NAME`: without `www.`, `.git`, or the path of a page. A URL with a
 * port keeps `http`, because that port may not speak TLS. Throws `ImportError` for other URLs. Nested groups are refused:
 * an owner has no slash in this API.
 */
export function normalizeUrl(text: string): string {
  const url = URL.parse(text)
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  if (isWeb && url.username + url.password + url.search + url.hash !== '') {
    url.username = url.password = url.search = url.hash = ''
    throw new ImportError(
      `--url: must not contain a user name, a token, a query or a fragment; try ${url.href}`,
    )
  }
  const [owner, name, page] = url?.pathname.split('/').filter(Boolean) ?? []
  if (!isWeb || owner === undefined || name === undefined || !isDecodable(url.pathname)) {
    const shown = text.replace(/\/\/[^/]*@/, '//') // the part before the host may be a token
    throw new ImportError(
      `--url ${shown}: must be the repository's http or https URL, https://HOST/OWNER/NAME`,
    )
  }
  if (page !== undefined && !repositoryPages.has(page)) {
    throw new ImportError(
      `--url ${url.href}: names a group within a group; an owner can't contain a slash, so use https://HOST/OWNER/NAME`,
    )
  }
  const protocol = url.port === '' ? 'https:' : url.protocol
  return `${protocol}//${url.host.replace(/^www\./, '')}/${owner}/${name.replace(/\.git$/, '')}`
}

/** Lists the keys of all URLs that `normalizeUrl` maps to `url`: a load of lines may have stored any of them. */
export function listUrlKeys(url: string): string[] {
  const rest = url.replace(/^https?:\/\//, '')
  const protocols = new URL(url).port === '' ? ['https://', 'http://'] : [url.slice(0, -rest.length)]
  return protocols.flatMap((protocol) =>
    ['', 'www.'].flatMap((prefix) =>
      ['', '.git', '/'].map((end) => foldText(`${protocol}${prefix}${rest}${end}`)),
    ),
  )
}

/** Splits a normalized URL into owner and name. Splits first: an escaped slash would be part of a name. */
export function readOwnerAndName(url: string): { owner: string; name: string } {
  const [owner = '', name = ''] = new URL(url).pathname.split('/').slice(-2).map(decodeURIComponent)
  return { owner, name }
}

/** Whether all percent-escapes are valid, and encode UTF-8. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
