/**
 * The documentation pages under `/docs`, served from the folder that `docs-site/build.ts` fills.
 *
 * The build leaves a manifest of every file with its ETag and its compressed forms. Only what the
 * manifest names is served, so no path, however it is written, leads out of the folder.
 *
 * @module
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { matchesEntityTag } from '../answer/entity-tag.ts'
import { ApiError, badRequest, notFound } from '../errors.ts'
import { allowsRange, type ByteRange, readByteRange } from './byte-range.ts'
import { docsContentSecurityPolicy } from './content-security-policy.ts'
import { createManifestReader, type DocsFile, type DocsManifest, docsUnavailable } from './docs-manifest.ts'

/** Where the docs lie and where they are mounted. */
export interface DocsRoutesOptions {
  /** The folder that `docs-site/build.ts` filled. */
  directory: string
  /** The path of `BASE_URL` without a slash at its end: `''`, or for example `/public-api`. */
  basePath: string
}

/** The path inside the docs that a request asks for; `undefined` when it can't be the name of a file. */
function readDocsPath(url: string, base: string): string | undefined {
  try {
    const { pathname } = new URL(url)
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
function findDocsFile({ files }: DocsManifest, path: string): string | undefined {
  const page = path.replace(/\/$/, '')
  const candidates = [
    path,
    page ? `${page}/index.html` : 'index.html',
    path.replace(/(?<=.)\/index\.md$/, '.md'),
  ]
  return candidates.find((name) => name !== '404.html' && Object.hasOwn(files, name))
}

/** The Markdown of a page; `undefined` for what is no page. */
function findMarkdown({ files }: DocsManifest, name: string): string | undefined {
  const markdown = name.replace(/(?:(?<=.)\/index)?\.html$/, '.md')
  return markdown !== name && Object.hasOwn(files, markdown) ? markdown : undefined
}

/** Whether a reader asks for Markdown by name, and likes it no less than HTML. Browsers never do. */
function prefersMarkdown(accept: string | undefined): boolean {
  if (!accept?.includes('text/markdown')) return false
  const qualities = new Map(parseAccept(accept).map(({ type, q }) => [type.toLowerCase(), q]))
  const markdown = qualities.get('text/markdown') ?? 0
  return markdown > 0 && markdown >= (qualities.get('text/html') ?? 0)
}

/** Names that carry a hash of the content never change it; everything else is asked for again. */
function readCacheControl(name: string): string {
  return /^(_astro|_viewer|pagefind\/(fragment|index))\//.test(name)
    ? 'public, max-age=31536000, immutable'
    : 'no-cache'
}

/** The smallest form of a file that the reader takes; the plain one when they ask for nothing else. */
function chooseEncoding(c: Context, { encodings }: DocsFile): 'br' | 'gzip' | 'identity' {
  const header = c.req.header('Accept-Encoding')
  if (!header) return 'identity'
  const qualities = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))
  const isTaken = (encoding: string) => (qualities.get(encoding) ?? qualities.get('*') ?? 0) > 0
  return encodings.find(isTaken) ?? 'identity'
}

/** Reads a file, or the part of it that `chooseRange` picks once its length is known. */
async function readContent(
  path: string,
  chooseRange: (length: number) => ByteRange | undefined,
): Promise<{ content: Uint8Array<ArrayBuffer>; length: number; range: ByteRange | undefined }> {
  await using file = await open(path)
  const { size } = await file.stat()
  const range = chooseRange(size)
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const content = new Uint8Array(end - start + 1)
  for (let filled = 0; filled < content.length; ) {
    const { bytesRead } = await file.read(content, filled, content.length - filled, start + filled)
    if (bytesRead === 0) throw new Error(`${path} has become shorter`)
    filled += bytesRead
  }
  return { content, length: size, range }
}

/**
 * The routes of `/docs` and `/docs/*` (`service.md` §4.6), to be mounted at `{basePath}/docs`.
 * Pages answer with and without a slash at their end, as Markdown to whoever asks for it, and in parts. Throws an
 * `ApiError`: 400 for an address that no file could have, 404 for an unknown one (browsers get the site's own page),
 * 416 for a part that lies behind the end, 503 while the docs are not built for this `basePath`.
 */
export function createDocsRoutes({ directory, basePath }: DocsRoutesOptions): Hono {
  const base = `${basePath}/docs`
  const readManifest = createManifestReader(directory)

  async function sendFile(
    c: Context,
    manifest: DocsManifest,
    name: string,
    file: DocsFile,
    status: 200 | 404,
  ) {
    const encoding = chooseEncoding(c, file)
    const etag = encoding === 'identity' ? `"${file.hash}"` : `"${file.hash}-${encoding}"`
    c.header('ETag', etag)
    c.header('Cache-Control', readCacheControl(name))
    if (file.encodings.length > 0) c.header('Vary', 'Accept-Encoding', { append: true })
    // On scripts too: a worker, as the search starts one, lives by the policy of its own file.
    c.header('Content-Security-Policy', docsContentSecurityPolicy(manifest.scriptHashes))
    if (status === 200) {
      if (matchesEntityTag(c.req.header('If-None-Match'), etag)) return c.body(null, 304)
      c.header('Accept-Ranges', 'bytes')
    }

    const isPartial = c.req.method === 'GET' && status === 200 && allowsRange(c.req.header('If-Range'), etag)
    const suffix = encoding === 'br' ? '.br' : encoding === 'gzip' ? '.gz' : ''
    const { content, length, range } = await readContent(join(directory, name + suffix), (length) => {
      const asked = isPartial ? readByteRange(c.req.header('Range'), length) : undefined
      if (asked !== 'unsatisfiable') return asked
      throw new ApiError(416, `Range not satisfiable: the file has ${length} bytes`, {
        headers: { 'Content-Range': `bytes */${length}` },
      })
    })
    c.header('Content-Type', file.type)
    c.header('Content-Length', String(content.byteLength))
    if (encoding !== 'identity') c.header('Content-Encoding', encoding)
    if (range === undefined) return c.body(content, status)
    c.header('Content-Range', `bytes ${range.start}-${range.end}/${length}`)
    return c.body(content, 206)
  }

  return new Hono().get('*', async (c) => {
    const manifest = await readManifest()
    if (manifest?.base !== base) throw docsUnavailable(manifest, basePath)
    const path = readDocsPath(c.req.url, base)
    if (path === undefined) throw badRequest('Invalid path')
    const page = findDocsFile(manifest, path)
    const markdown = page && findMarkdown(manifest, page)
    // What is sent depends on Accept for pages (Markdown), and for what is not there: the site's own 404 page is for
    // browsers, everybody else gets the error that all of the API gives.
    if (!page || markdown) c.header('Vary', 'Accept', { append: true })
    const name = markdown && prefersMarkdown(c.req.header('Accept')) ? markdown : page
    const file = manifest.files[name ?? '404.html']
    if (!file || (!name && !c.req.header('Accept')?.includes('text/html'))) throw notFound('Not found')
    return sendFile(c, manifest, name ?? '404.html', file, name ? 200 : 404)
  })
}
