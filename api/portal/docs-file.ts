/** Sends files of a build: with ETag and compressed variants. */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { notFound } from '../errors.ts'
import { chooseEncoding, compress, type Encoding } from '../http/compression.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import { errorCodeHeader } from '../http/error-handler.ts'
import { docsContentSecurityPolicy, viewerContentSecurityPolicy } from './content-security-policy.ts'
import type { CoverageSlotsReader } from './coverage-route.ts'
import { type BuiltDocs, type DocsFile, docsUnavailable, viewerPage } from './docs-manifest.ts'
import { linkContact, writeOperatorSlots } from './operator-slots.ts'
import { createTemplate, fillTemplate, type IsCachedUrl, type PageTemplate } from './page-template.ts'
import { type Slots, writeSlot } from './slots.ts'

/** Suffixes of files and of their compressed variants. */
const suffixes = { br: '.br', gzip: '.gz', identity: '' }

/**
 * Every static file fits in all its forms, with one compressed variant of each template for each cached URL. Older
 * figures leave.
 */
export const maxContentBytes = 42 * 2 ** 20
/** All templates fit. */
export const maxTemplateBytes = 2 ** 24

/**
 * What tells other sites and crawlers the URL of a page: canonical URL, social picture and sitemap, in pages and in
 * robots.txt. Without `BASE_URL` that URL isn't known: the origin of a request can be any name of this host.
 */
const publicTags =
  /<(?:link rel="(?:canonical|sitemap)"|meta (?:property="og:(?:url|image)|name="twitter:))[^>]*>|^Sitemap: .*\n/gm

/** A file as a request gets it. */
interface Variant {
  docs: BuiltDocs
  name: string
  file: DocsFile
  encoding: Encoding | 'identity'
  /** What a template is completed with; undefined: the file is sent as it is. */
  filling: { origin: string; slots: Slots } | undefined
  etag: string
}

/** Creates a function that reads files of builds, and caches what takes time. */
function createReader({ isPublic, operator }: { isPublic: boolean; operator: Config['operator'] }) {
  /** By ETag. */
  const contents = new LRUCache<string, Uint8Array<ArrayBuffer>, () => Promise<Uint8Array<ArrayBuffer>>>({
    maxSize: maxContentBytes,
    sizeCalculation: ({ length }) => Math.max(1, length),
    fetchMethod: (_tag, _stale, { context: read }) => read(),
  })
  /** By hash of the file. */
  const templates = new LRUCache<string, PageTemplate, () => Promise<PageTemplate>>({
    maxSize: maxTemplateBytes,
    sizeCalculation: (parts) => parts.reduce((sum, { length }) => sum + length, 1),
    fetchMethod: (_hash, _stale, { context: read }) => read(),
  })

  return async ({ docs, name, file, encoding, filling, etag }: Variant): Promise<Uint8Array<ArrayBuffer>> => {
    const path = join(docs.directory, name)
    if (filling === undefined) {
      return contents.forceFetch(etag, { context: () => readFile(path + suffixes[encoding]) })
    }
    const format = file.type.startsWith('text/html') ? 'html' : 'markdown'
    const template = await templates.forceFetch(file.hash, {
      async context() {
        const text = linkContact(await readFile(path, 'utf8'), format, operator)
        const placeholders = [docs.placeholder, ...file.slots.map(writeSlot)]
        return createTemplate(isPublic ? text : text.replace(publicTags, ''), placeholders)
      },
    })
    const fill = () => {
      const texts = new Map(file.slots.map((slot) => [writeSlot(slot), filling.slots[slot]?.[format]]))
      texts.set(docs.placeholder, filling.origin)
      return fillTemplate(template, (placeholder) => texts.get(placeholder) ?? '')
    }
    return encoding === 'identity'
      ? fill()
      : contents.forceFetch(etag, { context: () => compress(fill(), encoding, 'fast') })
  }
}

/** Sends the file `name` of a build with status 200 or 304, or as the page of a 404. */
export type DocsFileSender = (
  c: Context,
  docs: BuiltDocs,
  name: string,
  status: 200 | 404,
) => Promise<Response>

/** What the texts of files are completed with. */
export interface DocsFillings {
  /** The origin that pages show; undefined: that of each request. */
  publicOrigin: string | undefined
  isCachedUrl: IsCachedUrl
  operator: Config['operator']
  readCoverageSlots: CoverageSlotsReader
}

/**
 * Creates a function that sends files, and keeps their contents in memory. It throws an `ApiError`: 404 if the build
 * doesn't have the file, 503 if the file is missing.
 */
export function createDocsFileSender({
  publicOrigin,
  isCachedUrl,
  operator,
  readCoverageSlots,
}: DocsFillings): DocsFileSender {
  const readVariant = createReader({ isPublic: publicOrigin !== undefined, operator })
  const operatorSlots = writeOperatorSlots(operator)
  const operatorTag = hash('sha256', JSON.stringify([operator.contactUrl, operatorSlots]), 'base64url')

  /** The filling of a template, with a tag that changes with it. */
  async function readFilling({ slots }: DocsFile, origin: string) {
    const needsCoverage = slots.some((name) => !Object.hasOwn(operatorSlots, name))
    const coverage = needsCoverage ? await readCoverageSlots() : undefined
    const tag = hash('sha256', `${origin} ${operatorTag} ${coverage?.tag}`, 'base64url').slice(0, 11)
    return { filling: { origin, slots: { ...operatorSlots, ...coverage?.slots } }, tag }
  }

  return async (c, docs, name, status) => {
    const file = docs.files[name]
    if (file === undefined) throw notFound('Not found')
    const origin = publicOrigin ?? new URL(c.req.url).origin
    const { filling, tag } = file.isTemplate ? await readFilling(file, origin) : {}
    const version = filling === undefined ? file.hash : `${file.hash}-${tag}`
    // With BASE_URL there is one origin.
    const isCached = filling === undefined || publicOrigin !== undefined || isCachedUrl(origin)
    const encodings = isCached ? file.encodings : []
    const encoding = chooseEncoding(c.req.header('Accept-Encoding'), encodings)
    const etag = `"${version}${encoding === 'identity' ? '' : `-${encoding}`}"`
    c.header('ETag', etag)
    c.header('Cache-Control', readCacheControl(name))
    if (file.encodings.length > 0) c.header('Vary', 'Accept-Encoding', { append: true })
    // On scripts, too: a worker, such as that of the search, follows the policy of its own file.
    const policy =
      name === viewerPage
        ? viewerContentSecurityPolicy(docs.scriptHashes, publicOrigin)
        : docsContentSecurityPolicy(docs.scriptHashes)
    c.header('Content-Security-Policy', policy)
    if (status === 200) {
      if (matchesEntityTag(c.req.header('If-None-Match'), etag)) return c.body(null, 304)
    } else {
      c.header(errorCodeHeader, notFound('Not found').code)
    }

    const variant = { docs, name, file, encoding, filling, etag }
    const content = await readVariant(variant).catch((error: unknown) => {
      throw isMissingFile(error) ? docsUnavailable('incomplete', error) : error
    })
    c.header('Content-Type', file.type)
    c.header('Content-Length', String(content.length))
    if (encoding !== 'identity') c.header('Content-Encoding', encoding)
    return c.body(streamBytes(content), status)
  }
}

/** Clients cache files with a hash in their name forever, and revalidate others. */
function readCacheControl(name: string): string {
  return /^(_astro|pagefind\/(fragment|index))\//.test(name)
    ? 'public, max-age=31536000, immutable'
    : 'no-cache'
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Bytes per chunk. */
const chunkSize = 65_536
/** A client that reads nothing for this time is disconnected. Node's server has its own, shorter timeout. */
const readTimeoutMs = 90_000

/**
 * A response body that the server pulls as the client reads. Deno would copy a whole body, and hold the copy until a
 * slow client has read it.
 */
function streamBytes(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> {
  if (bytes.length <= chunkSize) return bytes
  let sent = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return new ReadableStream(
    {
      pull(controller) {
        clearTimeout(timer)
        if (sent >= bytes.length) return controller.close()
        controller.enqueue(bytes.subarray(sent, sent + chunkSize))
        sent += chunkSize
        timer = setTimeout(() => controller.error(new Error('The client reads nothing')), readTimeoutMs)
      },
      cancel() {
        clearTimeout(timer)
      },
    },
    { highWaterMark: 0 }, // no chunk before it is read: the body of a response to HEAD never is
  )
}
