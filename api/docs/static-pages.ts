/**
 * The documentation pages under `/docs`, served from the folder that `docs-site/build.ts` fills.
 *
 * The build leaves a manifest of every file with its ETag and its compressed forms. Only what the
 * manifest names is served, so no path, however it is written, leads out of the folder.
 *
 * Pages that were built without a `BASE_URL` show the origin by which the service was asked, so a sample that is copied
 * out of one works.
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
import { chooseEncoding, compress, type Encoding } from '../http/compression.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import { errorCodeHeader } from '../http/error-handler.ts'
import { readTarget } from '../http/public-url.ts'
import { allowsRange, readByteRange } from './byte-range.ts'
import { streamBytes } from './byte-stream.ts'
import { docsContentSecurityPolicy } from './content-security-policy.ts'
import {
  type BuiltDocs,
  type DocsFile,
  type DocsFinder,
  docsIncomplete,
  docsUnavailable,
} from './docs-manifest.ts'

/** Where the docs are and where they are mounted. */
export interface DocsRoutesOptions {
  findDocs: DocsFinder
  /** The path of `BASE_URL` without a slash at its end: `''`, or for example `/public-api`. */
  basePath: string
  /** The origin of `BASE_URL`; `undefined` without one: then pages show the origin of each request. */
  origin: string | undefined
}

/** Files of the docs that crawlers and agents look for at the root too. */
const rootFiles = ['favicon.ico', 'llms.txt', 'robots.txt']

/** The path inside the docs that a request asks for; `undefined` when it can't be the name of a file. */
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
 * The file that a path names. `/docs/quickstart`, `/docs/quickstart/` and `/docs/quickstart/index.html` are the same
 * page; `/docs/quickstart.md` and `/docs/quickstart/index.md` are its Markdown.
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

/** The Markdown of a page; `undefined` for what is no page. */
function findMarkdown({ files }: BuiltDocs, name: string): string | undefined {
  const markdown = name.replace(/(?:(?<=.)\/index)?\.html$/, '.md')
  return markdown !== name && Object.hasOwn(files, markdown) ? markdown : undefined
}

/** The longest Accept that is read, in characters. */
const maxHeaderLength = 8_192

/** Whether a reader prefers Markdown to HTML (RFC 9110 §12.5.1). The most specific range decides; a tie is HTML. */
function prefersMarkdown(accept: string | undefined): boolean {
  if (!accept) return false
  const accepted = parseAccept(accept.slice(0, maxHeaderLength))
  const qualities = new Map(accepted.map(({ type, q }) => [type.toLowerCase(), q]))
  const qualityOf = (type: string) =>
    qualities.get(type) ?? qualities.get('text/*') ?? qualities.get('*/*') ?? 0
  return qualityOf('text/markdown') > qualityOf('text/html')
}

/** Names that carry a hash of the content never change it; everything else is asked for again. */
function readCacheControl(name: string): string {
  return /^(_astro|_viewer|pagefind\/(fragment|index))\//.test(name)
    ? 'public, max-age=31536000, immutable'
    : 'no-cache'
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** What a compressed form that lies beside its file is called. */
const suffixes = { br: '.br', gzip: '.gz', identity: '' }

/**
 * Contents are kept in memory, so that clients share them. In bytes: more than all files take, without those that hold an
 * origin. Origins are made up easily, so what is least recently used goes.
 */
const cacheBytes = 2 ** 25

/** What a content is made from. */
interface Source {
  path: string
  encoding: Encoding | 'identity'
  /** What stands for the origin in the text; absent: the file is sent as it was built. */
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
 * The routes of `/docs` and `/docs/*` (`service.md` §4.6), and of `/llms.txt`, `/robots.txt` and `/favicon.ico`, to be
 * mounted at `basePath`. Pages answer with and without a slash at their end, as Markdown to readers who prefer it, and in
 * parts. Throws an `ApiError`: 400 for an address that no file could have, 404 for an unknown one (browsers get the
 * site's own page), 416 for a part that lies behind the end, 503 while there are no docs for this `BASE_URL`.
 */
export function createDocsRoutes({ findDocs, basePath, origin: publicOrigin }: DocsRoutesOptions): Hono {
  const base = `${basePath}/docs`
  /** By ETag. */
  const contents = new LRUCache<string, Uint8Array<ArrayBuffer>, Source>({
    maxSize: cacheBytes,
    sizeCalculation: ({ length }) => Math.max(1, length),
    fetchMethod: (_tag, _stale, { context }) => readContent(context),
  })

  async function sendFile(c: Context, docs: BuiltDocs, name: string, file: DocsFile, status: 200 | 404) {
    const origin = file.hasPlaceholder ? (publicOrigin ?? new URL(c.req.url).origin) : undefined
    const version = origin === undefined ? file.hash : `${file.hash}-${tagOrigin(origin)}`
    const writeTag = (encoding: Encoding | 'identity') =>
      `"${version}${encoding === 'identity' ? '' : `-${encoding}`}"`
    const readRange = (length: number) => readByteRange(c.req.header('Range'), length)
    // A range is one of the file itself: a part of a compressed form can't be decoded.
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
    // On scripts too: a worker, as the search starts one, lives by the policy of its own file.
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
      throw isMissingFile(error) ? docsIncomplete(error) : error
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
    if (docs === undefined) throw docsUnavailable()
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
    // What is sent depends on Accept for pages (Markdown), and for what is not there: the site's own 404 page is for
    // browsers, everybody else gets the error that all of the API gives.
    if (!page || markdown) c.header('Vary', 'Accept', { append: true })
    const name = markdown && prefersMarkdown(c.req.header('Accept')) ? markdown : page
    const file = docs.files[name ?? '404.html']
    if (!file || (!name && !c.req.header('Accept')?.includes('text/html'))) throw notFound('Not found')
    return sendFile(c, docs, name ?? '404.html', file, name ? 200 : 404)
  })
}
