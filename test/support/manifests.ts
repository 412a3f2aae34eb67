/** What a manifest declares, as examples, and texts that are refused. */
import { expect, test } from 'vitest'
import { parseManifest } from '../../api/manifests/manifest.ts'

/** A manifest, and the names that it declares. */
export interface ManifestExample {
  /** What the example shows: a sentence. */
  says: string
  file: string
  content: string
  names: string[]
  /** Whether the manifest declares more, which only running it would tell. Default: it doesn't. */
  isComputed?: boolean
  /** Keys of other files, each with the name that counts if no file defines it: `runtime or a:b`. Default: none. */
  references?: string[]
  /** What other manifests may refer to. Default: nothing. */
  definitions?: Record<string, string[]>
}

/** A text that is not a manifest, and the reason that is given. */
export type RefusedManifest = [file: string, content: string, message: RegExp]

/** Tests what `parseManifest` makes of examples, and how it refuses other texts. */
export function testManifests(
  examples: readonly ManifestExample[],
  refused: readonly RefusedManifest[],
): void {
  for (const { says, file, content, names, isComputed = false, references = [], definitions } of examples) {
    test(`is read, ${file}: ${says}`, () => {
      const parsed = parseManifest(file, content)
      expect([...parsed.names].sort()).toEqual([...names].sort())
      expect(parsed.isComputed).toBe(isComputed)
      const keys = parsed.references.map(({ key, name }) =>
        name === null || name === key ? key : `${key} or ${name}`,
      )
      expect(keys.sort()).toEqual([...references].sort())
      expect(parsed.definitions && Object.fromEntries(parsed.definitions)).toEqual(definitions ?? null)
    })
  }

  for (const [file, content, message] of refused) {
    test(`is refused in one line that says why, ${file}: ${JSON.stringify(content.slice(0, 200))}`, () => {
      expect(() => parseManifest(file, content)).toThrow(message)
      expect(() => parseManifest(file, content)).toThrow(/^[^\n]*$/)
    })
  }
}
