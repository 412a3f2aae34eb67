/** `manifest.json`: what an export says about its files. A load of the folder compares them with it. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { describeFileError, readCode } from '../../errors.ts'
import { ImportError } from '../../staging/import-error.ts'
import { recordKinds } from '../../staging/records.ts'
import { dataFileName } from './data-files.ts'

/** The file that describes an export. An export is complete once it exists. */
export const manifestName = 'manifest.json'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const exportedFileSchema = v.object({
  lines: count,
  bytes: count,
  /** In hexadecimal digits. */
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
})

const manifestSchema = v.object({
  /** The dataset's version. */
  version: count,
  /** The files have only what was added, changed or removed after this version. */
  since: v.exactOptional(count),
  files: v.record(v.string(), exportedFileSchema),
})

export type ExportedFile = v.InferOutput<typeof exportedFileSchema>

/** What `manifest.json` holds. */
export type ExportManifest = v.InferOutput<typeof manifestSchema>

/** Any JSON that describes one of the files that exports have. Other programs write a `manifest.json`, too. */
const ownManifestSchema = v.object({
  version: v.number(),
  files: v.pipe(
    v.record(v.string(), v.unknown()),
    v.check((files) => recordKinds.some((kind) => v.is(v.object({}), files[dataFileName(kind)]))),
  ),
})

const remedy =
  'Copy the export again. If its files were changed on purpose, name them instead of the folder, or delete ' +
  manifestName

/**
 * Reads the manifest of an export in a folder. Returns undefined if the folder has none, or that of another program.
 * Throws `ImportError` if it can't be read, or is broken.
 */
export async function readManifest(folder: string): Promise<ExportManifest | undefined> {
  const path = join(folder, manifestName)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes(readCode(error) ?? '')) return undefined
    throw new ImportError(`Can't read ${path}: ${describeFileError(error)}`)
  }
  let value: unknown
  try {
    value = JSON.parse(text.trim()) // without a byte order mark
  } catch {
    throw new ImportError(
      `${path} isn't JSON. If the folder is an export, copy it again. Otherwise, move ${manifestName} elsewhere`,
    )
  }
  if (!v.is(ownManifestSchema, value)) return undefined
  const manifest = v.safeParse(manifestSchema, value)
  if (manifest.success) return manifest.output
  throw new ImportError(`${path}: ${v.getDotPath(manifest.issues[0])} is missing or invalid. ${remedy}`)
}

/** The error for a file that differs from its manifest. Nothing was changed. */
function createDifference(path: string, found: string, expected: string): ImportError {
  return new ImportError(
    `${path} ${found}, but ${manifestName} says ${expected}; nothing was changed. ${remedy}`,
  )
}

/** Throws `ImportError` if a file of an export is missing, or doesn't have the size that it was written with. */
export function assertSize(path: string, size: number | undefined, { bytes, lines }: ExportedFile): void {
  const expected = `${bytes} bytes in ${lines} ${lines === 1 ? 'line' : 'lines'}`
  if (size === undefined) throw createDifference(path, 'is missing', expected)
  if (size !== bytes) throw createDifference(path, `has ${size} bytes`, expected)
}

/** Passes a file of an export through. Throws `ImportError` at its end if it isn't what was written. */
export async function* verifyContent(
  path: string,
  input: AsyncIterable<Uint8Array>,
  { sha256 }: ExportedFile,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of input) {
    hash.update(chunk)
    yield chunk
  }
  const found = hash.digest('hex')
  if (found !== sha256) throw createDifference(path, `has the SHA-256 ${found}`, sha256)
}
