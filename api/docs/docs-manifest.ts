/**
 * The built documentation, as `docs-site/build.ts` leaves it in `dist/docs`: a folder for each build with a manifest of
 * its files, and for each `BASE_URL` a file that names the folder of its newest build. So a build changes nothing that is
 * being served, and builds for different addresses lie beside each other.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { ApiError } from '../errors.ts'

/** The folder of all builds. */
export const docsDirectory = join(import.meta.dirname, '..', '..', 'dist', 'docs')

/** Name of the manifest inside a build's folder; it isn't served itself. */
export const docsManifestName = 'manifest.json'

/** Name of the file that names the folder of the newest build for a `BASE_URL`, or for none. */
export function nameDocsPointer(baseUrl: string | undefined): string {
  return `for-${baseUrl === undefined ? 'any' : createHash('sha256').update(baseUrl).digest('hex').slice(0, 16)}`
}

const fileSchema = v.object({
  /** Content-Type, charset included. */
  type: v.string(),
  /** A hash of the content: the ETag, quotes and encoding aside. */
  hash: v.string(),
  /** The compressed forms that lie beside the file, best first: `br` in `.br`, `gzip` in `.gz`. */
  encodings: v.array(v.picklist(['br', 'gzip'])),
  /** Whether the text holds the placeholder; it is compressed when it is served. */
  hasPlaceholder: v.boolean(),
})

const manifestSchema = v.object({
  /** Hash of everything that the build was made from. */
  stamp: v.string(),
  /** The path that the pages are built for: `/docs`, or `/public-api/docs` under a `BASE_URL` with a path. */
  base: v.string(),
  /** The `BASE_URL` that the pages show; null when they were built without one. */
  baseUrl: v.nullable(v.string()),
  /** What stands for the origin of the request in pages that were built without a `BASE_URL`. */
  placeholder: v.string(),
  /** CSP sources (`'sha256-…'`) of the scripts that stand in the pages themselves. */
  scriptHashes: v.array(v.string()),
  /** The folder of the scripts that `/api-docs` loads. */
  viewer: v.string(),
  /** Every file by its path inside the folder. */
  files: v.record(v.string(), fileSchema),
})

/** What `docs-site/build.ts` says about a build. */
export type DocsManifest = v.InferOutput<typeof manifestSchema>
/** One file of the folder. */
export type DocsFile = v.InferOutput<typeof fileSchema>

/** A build that is complete. */
export interface BuiltDocs extends DocsManifest {
  /** The folder of its files. */
  directory: string
}

/** Finds the newest build for a `BASE_URL`; `undefined` when there is none, or one of another version. */
export async function findDocs(directory: string, baseUrl?: string): Promise<BuiltDocs | undefined> {
  try {
    const name = await readFile(join(directory, nameDocsPointer(baseUrl)), 'utf8')
    const folder = join(directory, name)
    const text = await readFile(join(folder, docsManifestName), 'utf8')
    const result = v.safeParse(manifestSchema, JSON.parse(text))
    return result.success ? { ...result.output, directory: folder } : undefined
  } catch {
    return undefined
  }
}

/** Finds the docs that are to be served now. */
export type DocsFinder = () => Promise<BuiltDocs | undefined>

/**
 * A function that finds the docs for a `BASE_URL`; where that has no path, those that were built without one serve too.
 * They are read again only after a new build, which shows at once behind a running server.
 */
export function createDocsFinder(directory: string, baseUrl: string | undefined): DocsFinder {
  const hasPath = baseUrl !== undefined && new URL(baseUrl).pathname !== '/'
  const candidates = hasPath ? [baseUrl] : [...new Set([baseUrl, undefined])]
  let version = ''
  let docs: BuiltDocs | undefined
  return async () => {
    for (const candidate of candidates) {
      const pointer = join(directory, nameDocsPointer(candidate))
      const status = await stat(pointer).catch(() => undefined)
      if (!status) continue
      const found = `${pointer} ${status.mtimeMs} ${status.ino}`
      if (found !== version) docs = await findDocs(directory, candidate)
      version = found
      return docs
    }
    return undefined
  }
}

/** 503: there are no docs, until somebody builds them. */
export function docsUnavailable(): ApiError {
  return createDocsError('not built')
}

/** 503: a file that the manifest names is missing. */
export function docsIncomplete(cause: unknown): ApiError {
  return createDocsError('incomplete', cause)
}

function createDocsError(state: string, cause?: unknown): ApiError {
  return new ApiError(503, 'docs_unavailable', `The documentation is ${state}; run: npm run docs`, {
    headers: { 'Retry-After': '60' },
    cause,
  })
}
