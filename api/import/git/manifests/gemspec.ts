import { readGemCalls } from './ruby.ts'

/**
 * The gems in a `*.gemspec`, including those for development; null for a computed name.
 *
 * @throws {Error} as {@link readGemCalls}
 */
export function parseGemspec(content: string): Generator<string | null> {
  return readGemCalls(content, /\.add_(?:runtime_|development_)?dependency\b/)
}
