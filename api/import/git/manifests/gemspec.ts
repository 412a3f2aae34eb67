import { readGemCalls } from './ruby.ts'

/**
 * The gems in a `*.gemspec`, those for development included; null for a name that is computed.
 *
 * @throws {Error} as {@link readGemCalls}
 */
export function parseGemspec(content: string): Generator<string | null> {
  return readGemCalls(content, /\.add_(?:runtime_|development_)?dependency\b/)
}
