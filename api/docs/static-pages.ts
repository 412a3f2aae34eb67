/**
 * Serves the documentation under `/docs` from the folder of a build.
 *
 * Only files of the build's manifest are served, so no path leads out of the folder. Pages built without `BASE_URL` show
 * the origin of the request, so that readers can copy and run their samples.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { LRUCache } from 'lru-cache'
import { ApiError, invalidUrl, notFound } from '../errors.ts'
import { errorCodeHeader } from '../http/error-handler.ts'
import { chooseEncoding, compress, type Encoding, matchesEntityTag } from '../http/response.ts'
import { readTarget } from '../http/url.ts'
import { allowsRange, readByteRange } from './byte-range.ts'
import { streamBytes } from './byte-stream.ts'
import { docsContentSecurityPolicy } from './content-security-policy.ts'
import { type BuiltDocs, type DocsFile, type DocsFinder, docsUnavailable } from './docs-manifest.ts'

/** Options of the docs routes. */
export interface DocsRoutesOptions {
  findDocs: DocsFinder
  /** Path of `BASE_URL`: empty, or for example `/public-api`. */
  basePath: string
  /** Origin of `BASE_URL`; undefined: pages show the origin of each request. */
  origin: string | undefined
}

/** Files that crawlers and agents expect at the root, too. */
const rootFiles = ['favicon.ico', 'llms.txt', 'robots.txt']

/** The requested path inside the docs; undefined if no file can have it. */
function readDocsPath(url: string, base: string): string | undefined {
  try {
    const [pathname = ''] = readTarget(url).split(/[?#]/, 1)
    if (!pathname.startsWith(base)) return undefined
    const path = decodeURIComponent(pathname.slice(base.length))
    return /[\\\0]|(^|\/)\.{1,2}(\/|$)/.test(path) ? undefined : path.replace(/^\//, '')
  } catch {
    return undefined
  }
}

/**
 * The name of the requested file. `/docs/quickstart`, `/docs/quickstart/` and `/docs/quickstart/index.html` are one page;
 * `/docs/quickstart.md` and `/docs/quickstart/index.md` are its Markdown.
 */
function findDocsFile({ files }: BuiltDocs, path: string): string | undefined {
  const page = path.replace(/\/$/, '')
  const candidates = [
    path,
    page ? `${page}/index.html` : 'index.html',
    path.replace(/(?<=.)\/index\.md$/, '.md'),
  ]
  return candidates.find((name) => name !== '404.html' && Object.hasOwn(files, name))
}

/** The Markdown file of a page; undefined for other files. */
function findMarkdown({ files }: BuiltDocs, name: string): string | undefined {
  const markdown = name.replace(/(?:(?<=.)\/index)?\.html$/, '.md')
  return markdown !== name && Object.hasOwn(files, markdown) ? markdown : undefined
}

/** Longer `Accept` headers are cut. */
const maxAcceptLength = 8_192

/** Whether a client prefers Markdown to HTML (RFC 9110 §12.5.1). The most specific range decides; a tie means HTML. */
function prefersMarkdown(accept: string | undefined): boolean {
  if (!accept) return false
  const accepted = parseAccept(accept.slice(0, maxAcceptLength))
  const qualities = new Map(accepted.map(({ type, q }) => [type.toLowerCase(), q]))
  const qualityOf = (type: string) =>
    qualities.get(type) ?? qualities.get('text/*') ?? qualities.get('*/*') ?? 0
  return qualityOf('text/markdown') > qualityOf('text/html')
}

/** Clients cache files with a hash in their name forever, and revalidate others. */
function readCacheControl(name: string): string {
  return /^(_astro|_viewer|pagefind\/(fragment|index))\//.test(name)
    ? 'public, max-age=31536000, immutable'
    : 'no-cache'
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Suffixes of files and of their compressed variants. */
const suffixes = { br: '.br', gzip: '.gz', identity: '' }

/** All files fit into the cache. Clients can invent origins for pages with a placeholder, so the cache needs a bound. */
const maxCacheBytes = 2 ** 25

/** The source of a cached content. */
interface Source {
  path: string
  encoding: Encoding | 'identity'
  /** Text to replace with the origin; absent: the file is sent as it is. */
  placeholder?: string
  origin?: string
}

async function readContent(source: Source): Promise<Uint8Array<ArrayBuffer>> {
  const { path, encoding, placeholder, origin } = source
  if (placeholder === undefined || origin === undefined) return readFile(path + suffixes[encoding])
  const text = (await readFile(path, 'utf8')).replaceAll(placeholder, origin)
  return encoding === 'identity' ? new TextEncoder().encode(text) : compress(text, encoding, 'fast')
}

function tagOrigin(origin: string): string {
  return createHash('sha256').update(origin).digest('base64url').slice(0, 11)
}

/**
 * The routes of `/docs`, `/docs/*`, `/llms.txt`, `/robots.txt` and `/favicon.ico`, for `basePath`. Supports byte ranges,
 * URLs with and without a final slash, and Markdown for clients that prefer it.
 *
 * Throws an `ApiError`: 400 for an invalid path, 404 for an unknown one (browsers get the site's page), 416 for a range
 * beyond the end, 503 if no docs are built for this `BASE_URL`.
 */
export function createDocsRoutes({ findDocs, basePath, origin: publicOrigin }: DocsRoutesOptions): Hono {
  const base = `${basePath}/docs`
  /** By ETag. */
  const contents = new LRUCache<string, Uint8Array<ArrayBuffer>, Source>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ length }) => Math.max(1, length),
    fetchMethod: (_tag, _stale, { context }) => readContent(context),
  })

  async function sendFile(c: Context, docs: BuiltDocs, name: string, file: DocsFile, status: 200 | 404) {
    const origin = file.hasPlaceholder ? (publicOrigin ?? new URL(c.req.url).origin) : undefined
    const version = origin === undefined ? file.hash : `${file.hash}-${tagOrigin(origin)}`
    const writeTag = (encoding: Encoding | 'identity') =>
      `"${version}${encoding === 'identity' ? '' : `-${encoding}`}"`
    const readRange = (length: number) => readByteRange(c.req.header('Range'), length)
    // Ranges refer to the uncompressed file: a part of a compressed one can't be decoded.
    const isPartial =
      c.req.method === 'GET' &&
      status === 200 &&
      readRange(Number.POSITIVE_INFINITY) !== undefined &&
      allowsRange(c.req.header('If-Range'), writeTag('identity'))
    const encoding = isPartial ? 'identity' : chooseEncoding(c.req.header('Accept-Encoding'), file.encodings)
    const etag = writeTag(encoding)
    c.header('ETag', etag)
    c.header('Cache-Control', readCacheControl(name))
    if (file.encodings.length > 0) c.header('Vary', 'Accept-Encoding', { append: true })
    // On scripts, too: a worker, such as that of the search, follows the policy of its own file.
    c.header('Content-Security-Policy', docsContentSecurityPolicy(docs.scriptHashes))
    if (status === 200) {
      if (matchesEntityTag(c.req.header('If-None-Match'), etag)) return c.body(null, 304)
      c.header('Accept-Ranges', 'bytes')
    } else {
      c.header(errorCodeHeader, notFound('Not found').code)
    }

    const path = join(docs.directory, name)
    const { placeholder } = docs
    const context = { path, encoding, ...(origin !== undefined && { placeholder, origin }) }
    const content = await contents.forceFetch(etag, { context }).catch((error: unknown) => {
      throw isMissingFile(error) ? docsUnavailable('incomplete', error) : error
    })
    const { length } = content
    const range = isPartial ? readRange(length) : undefined
    if (range === 'unsatisfiable') {
      throw new ApiError(
        416,
        'range_not_satisfiable',
        `Range not satisfiable: the file has ${length} bytes`,
        { headers: { 'Content-Range': `bytes */${length}` } },
      )
    }
    const part = range === undefined ? content : content.subarray(range.start, range.end + 1)
    c.header('Content-Type', file.type)
    c.header('Content-Length', String(part.length))
    if (encoding !== 'identity') c.header('Content-Encoding', encoding)
    if (range === undefined) return c.body(streamBytes(part), status)
    c.header('Content-Range', `bytes ${range.start}-${range.end}/${length}`)
    return c.body(streamBytes(part), 206)
  }

  async function findBuiltDocs(): Promise<BuiltDocs> {
    const docs = await findDocs()
    if (docs === undefined) throw docsUnavailable('not built')
    return docs
  }

  const routes = new Hono()
  for (const name of rootFiles) {
    routes.get(`/${name}`, async (c) => {
      const docs = await findBuiltDocs()
      const file = docs.files[name]
      if (file === undefined) throw notFound('Not found')
      return sendFile(c, docs, name, file, 200)
    })
  }
  return routes.get('/docs/*', async (c) => {
    const docs = await findBuiltDocs()
    const path = readDocsPath(c.req.url, base)
    if (path === undefined) throw invalidUrl('Invalid path')
    const page = findDocsFile(docs, path)
    const markdown = page && findMarkdown(docs, page)
    // Accept decides between HTML and Markdown, and for unknown paths between the site's 404 page and the API's error.
    if (!page || markdown) c.header('Vary', 'Accept', { append: true })
    const name = markdown && prefersMarkdown(c.req.header('Accept')) ? markdown : page
    const file = docs.files[name ?? '404.html']
    if (!file || (!name && !c.req.header('Accept')?.includes('text/html'))) throw notFound('Not found')
    return sendFile(c, docs, name ?? '404.html', file, name ? 200 : 404)
  })
}
