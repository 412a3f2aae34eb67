import { readGemCalls } from './ruby.ts'

/**
 * The gems in a `Gemfile`: every `gem 'name'`, in any block; null for a computed name. `eval_gemfile` is not followed. A
 * `*.gemspec` is a manifest of its own.
 *
 * @throws {Error} as {@link readGemCalls}
 */
export function parseGemfile(content: string): Generator<string | null> {
  return readGemCalls(content, /(?<![\w.:@$|])gem\b/)
}
