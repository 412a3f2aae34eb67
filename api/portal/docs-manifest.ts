/**
 * The documentation that `docs-site/build.ts` builds into `dist/docs`. Each build has a folder with a manifest of its
 * files. A pointer file for each `BASE_URL` names the folder of its newest build (decisions/0008-portal.md).
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { readBasePath } from '../config.ts'
import { docsRemedy } from '../devdata-command.ts'
import { ApiError } from '../errors.ts'

/** The folder of all builds. */
export const docsDirectory = join(import.meta.dirname, '..', '..', 'dist', 'docs')

/** Name of the manifest inside a build's folder; it isn't served itself. */
export const docsManifestName = 'manifest.json'

/** The page of `/api-docs` inside a build's folder. */
export const viewerPage = 'api-docs.html'

/** Name of the pointer file for a `BASE_URL`, or for none. */
export function nameDocsPointer(baseUrl: string | undefined): string {
  return `for-${baseUrl === undefined ? 'any' : createHash('sha256').update(baseUrl).digest('hex').slice(0, 16)}`
}

const fileSchema = v.object({
  /** Content-Type, charset included. */
  type: v.string(),
  /** Hash of the content: the ETag without quotes and encoding. */
  hash: v.string(),
  /** Compressed variants beside the file, best first: `br` in `.br`, `gzip` in `.gz`. */
  encodings: v.array(v.picklist(['br', 'gzip'])),
  /** Whether the service completes the text. If so, it is compressed when it is served. */
  isTemplate: v.boolean(),
  /** The names of its slots (`slots.ts`). */
  slots: v.array(v.string()),
})

const manifestSchema = v.object({
  /** Hash of everything that the build depends on. */
  stamp: v.string(),
  /** The `BASE_URL` that pages show; null: built without one. */
  baseUrl: v.nullable(v.string()),
  /** Where pages of earlier builds are now, below the docs: `keeping-fresh/` by `refresh-jobs`. */
  movedPages: v.record(v.string(), v.string()),
  /** Placeholder of the request's origin, in pages built without `BASE_URL`. */
  placeholder: v.string(),
  /** CSP sources (`'sha256-…'`) of inline scripts. */
  scriptHashes: v.array(v.string()),
  /** All files by their path inside the folder. */
  files: v.record(v.string(), fileSchema),
})

/** The description of a build. */
export type DocsManifest = v.InferOutput<typeof manifestSchema>
/** One file of a build. */
export type DocsFile = v.InferOutput<typeof fileSchema>

/** A complete build. */
export interface BuiltDocs extends DocsManifest {
  /** Folder of its files. */
  directory: string
}

/** Finds the newest build for a `BASE_URL`; undefined if there is none, or its manifest has another version. */
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

/** Returns the build to serve now. Throws an `ApiError` (503) if there is none. */
export type DocsFinder = () => Promise<BuiltDocs>

/**
 * Creates a function that finds the build for a `BASE_URL`. A build without `BASE_URL` serves one without a path, too.
 * A new build takes effect immediately; the manifest is read once per build.
 */
export function createDocsFinder(directory: string, baseUrl: string | undefined): DocsFinder {
  const candidates = readBasePath(baseUrl) === '' ? [...new Set([baseUrl, undefined])] : [baseUrl]
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
      if (docs === undefined) break
      return docs
    }
    throw docsUnavailable('missing')
  }
}

/** Says that the docs aren't built for a `BASE_URL`, and what to do. It follows a verb or a name. */
export const docsNotBuilt = (baseUrl: string | undefined): string =>
  `not built for ${baseUrl ?? 'a start without BASE_URL'}; ${docsRemedy()}`

/** 503: the docs aren't built, or a file of the manifest is missing. */
export function docsUnavailable(state: 'missing' | 'incomplete', cause?: unknown): ApiError {
  return new ApiError(503, 'docs_unavailable', `The documentation is ${state}; ${docsRemedy()}`, {
    headers: { 'Retry-After': '60' },
    cause,
  })
}
