import { readGemCalls } from './ruby.ts'

/**
 * The gems in a `Gemfile`: every `gem 'name'` that stands there as such, in whatever block; null for a name that is
 * computed. What `eval_gemfile` would bring in from other files is not seen; a `*.gemspec` is a manifest of its own.
 *
 * @throws {Error} as {@link readGemCalls}
 */
export function parseGemfile(content: string): Generator<string | null> {
  return readGemCalls(content, /(?<![\w.:@$|])gem\b/)
}
