/**
 * The documentation pages under `/docs`, served from the folder that `docs-site/build.ts` fills.
 *
 * The build leaves a manifest of every file with its ETag and its compressed forms. Only what the
 * manifest names is served, so no path, however it is written, leads out of the folder.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import * as v from 'valibot'
import { matchesEntityTag } from '../answer/entity-tag.ts'
import { ApiError, badRequest, notFound } from '../errors.ts'

/** Name of the manifest inside the folder; it is not served itself. */
export const docsManifestName = 'manifest.json'

const fileSchema = v.object({
  /** Content-Type, charset included. */
  type: v.string(),
  /** A hash of the content: the ETag, quotes and encoding aside. */
  hash: v.string(),
  /** The compressed forms that lie beside the file, best first: `br` in `.br`, `gzip` in `.gz`. */
  encodings: v.array(v.picklist(['br', 'gzip'])),
})

const manifestSchema = v.object({
  /** Hash of everything that the build was made from. */
  stamp: v.string(),
  /** The path that the pages are built for: `/docs`, or `/public-api/docs` under a `BASE_URL` with a path. */
  base: v.string(),
  /** CSP sources (`'sha256-…'`) of the scripts that stand in the pages themselves. */
  scriptHashes: v.array(v.string()),
  /** The viewer's script, as a path inside the folder. */
  viewerScript: v.string(),
  /** Every file by its path inside the folder. */
  files: v.record(v.string(), fileSchema),
})

/** What `docs-site/build.ts` says about the folder that it filled. */
export type DocsManifest = v.InferOutput<typeof manifestSchema>
type DocsFile = v.InferOutput<typeof fileSchema>

/** Reads the manifest of built docs; `undefined` when there is none, or one of another version. */
export async function readDocsManifest(directory: string): Promise<DocsManifest | undefined> {
  try {
    const text = await readFile(join(directory, docsManifestName), 'utf8')
    const result = v.safeParse(manifestSchema, JSON.parse(text))
    return result.success ? result.output : undefined
  } catch {
    return undefined
  }
}

/**
 * A function that reads the manifest of the docs that are there now. It is read again only after a new
 * build, so that a rebuild behind a running server shows at once.
 */
export function createManifestReader(directory: string): () => Promise<DocsManifest | undefined> {
  let readAt = ''
  let manifest: DocsManifest | undefined
  return async () => {
    const status = await stat(join(directory, docsManifestName)).catch(() => undefined)
    if (!status) return undefined
    const version = `${status.mtimeMs} ${status.size} ${status.ino}`
    if (version !== readAt) {
      manifest = await readDocsManifest(directory)
      readAt = version
    }
    return manifest
  }
}

/** CSP sources of the scripts that stand in an HTML text, each once. Scripts with a `src` are left out. */
export function hashInlineScripts(html: string): string[] {
  const scripts = html.matchAll(/<script(?<attributes>\s[^>]*)?>(?<code>[\s\S]*?)<\/script>/gi)
  const hashes = new Set<string>()
  for (const { groups } of scripts) {
    if (/\ssrc\s*=/i.test(groups?.attributes ?? '') || !groups?.code) continue
    hashes.add(`'sha256-${createHash('sha256').update(groups.code).digest('base64')}'`)
  }
  return [...hashes].sort()
}

/**
 * The Content-Security-Policy of the docs pages. Everything is `'self'`, and:
 * - the few scripts that Starlight writes into its pages are named by hash;
 * - `wasm-unsafe-eval`, because the search (Pagefind) is WebAssembly;
 * - `style` attributes are allowed, because the colours of code samples are such attributes, and a hash
 *   or nonce can't name attributes; `style` elements are not.
 */
export function docsContentSecurityPolicy(scriptHashes: readonly string[]): string {
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...scriptHashes].join(' '),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

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

/** `/docs/quickstart`, `/docs/quickstart/` and `/docs/quickstart/index.html` are the same page. */
function findDocsFile(manifest: DocsManifest, path: string): string | undefined {
  const page = path.replace(/\/$/, '')
  const candidates = [path, page ? `${page}/index.html` : 'index.html']
  return candidates.find((name) => name !== '404.html' && Object.hasOwn(manifest.files, name))
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

/** The docs are not there for this base path: 503, until somebody builds them. */
export function docsUnavailable(manifest: DocsManifest | undefined, basePath: string): ApiError {
  const state = manifest ? `built for ${manifest.base}, not for ${basePath}/docs` : 'not built'
  return new ApiError(503, `The documentation is ${state}; run: npm run docs`, {
    headers: { 'Retry-After': '60' },
  })
}

/**
 * The routes of `/docs` and `/docs/*` (`service.md` §4.6), to be mounted at `{basePath}/docs`.
 * Pages answer with and without a slash at their end. Throws an `ApiError`: 400 for an address that no file could
 * have, 404 for an unknown one (browsers get the site's own page), 503 while the docs are not built for this
 * `basePath`.
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
    if (status === 200 && matchesEntityTag(c.req.header('If-None-Match'), etag)) return c.body(null, 304)

    const suffix = encoding === 'br' ? '.br' : encoding === 'gzip' ? '.gz' : ''
    const content = await readFile(join(directory, name + suffix))
    c.header('Content-Type', file.type)
    c.header('Content-Length', String(content.byteLength))
    if (encoding !== 'identity') c.header('Content-Encoding', encoding)
    return c.body(content, status)
  }

  return new Hono().get('*', async (c) => {
    const manifest = await readManifest()
    if (manifest?.base !== base) throw docsUnavailable(manifest, basePath)
    const path = readDocsPath(c.req.url, base)
    if (path === undefined) throw badRequest('Invalid path')
    const name = findDocsFile(manifest, path)
    const file = manifest.files[name ?? '404.html']
    // The site's own page is for browsers; everybody else gets the error that all of the API gives.
    if (!name) c.header('Vary', 'Accept')
    if (!file || (!name && !c.req.header('Accept')?.includes('text/html'))) throw notFound('Not found')
    return sendFile(c, manifest, name ?? '404.html', file, name ? 200 : 404)
  })
}
