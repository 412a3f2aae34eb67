/**
 * What `docs-site/build.ts` says about the folder that it filled: every file with its type, its ETag and its
 * compressed forms.
 *
 * @module
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { ApiError } from '../errors.ts'

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
  /** The `BASE_URL` that the pages show; null when they were built without one. */
  baseUrl: v.nullable(v.string()),
  /** CSP sources (`'sha256-…'`) of the scripts that stand in the pages themselves. */
  scriptHashes: v.array(v.string()),
  /** The folder of the scripts that `/api-docs` loads. */
  viewer: v.string(),
  /** Every file by its path inside the folder. */
  files: v.record(v.string(), fileSchema),
})

/** What `docs-site/build.ts` says about the folder that it filled. */
export type DocsManifest = v.InferOutput<typeof manifestSchema>
/** One file of the folder. */
export type DocsFile = v.InferOutput<typeof fileSchema>

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

/** The docs are not there for this base path: 503, until somebody builds them. */
export function docsUnavailable(manifest: DocsManifest | undefined, basePath: string): ApiError {
  const state = manifest ? `built for ${manifest.base}, not for ${basePath}/docs` : 'not built'
  return new ApiError(503, `The documentation is ${state}; run: npm run docs`, {
    headers: { 'Retry-After': '60' },
  })
}
