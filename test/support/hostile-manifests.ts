/** Hostile texts: manifests that are cut, and go on with long runs of what their format has. */
import type { Random } from '../../sample/random.ts'
import type { ManifestGrammar } from './manifest-grammar.ts'

/** A text of any size. */
export interface HostileText {
  start: string
  /** Is repeated. */
  first: string
  /** Is repeated behind it, unless it is empty. */
  second: string
  ending: string
}

/** Writes a text of about this length, in characters. */
export function writeText({ start, first, second, ending }: HostileText, length: number): string {
  const runs = [first, second].filter((unit) => unit !== '')
  return start + runs.map((unit) => unit.repeat(length / runs.length / unit.length)).join('') + ending
}

/** Yields each token of a grammar, repeated, and then any runs: of tokens, of pieces of manifests, and one behind the other. */
export function* createTexts(
  grammar: ManifestGrammar,
  random: Random,
  count: number,
): Generator<HostileText> {
  const { tokens, examples } = grammar
  for (const first of tokens) yield { ...cutExample(), first, second: '' }
  for (let left = count; left > 0; left--) {
    yield { ...cutExample(), first: createUnit(), second: random.chance(0.5) ? createUnit() : '' }
  }

  function cutExample(): Pick<HostileText, 'start' | 'ending'> {
    const example = random.chance(0.2) ? '' : random.pick(examples)
    const cut = random.integer(0, example.length)
    return { start: example.slice(0, cut), ending: random.pick(['', '!', 'a\u2028a', example.slice(cut)]) }
  }

  function createUnit(): string {
    return Array.from({ length: random.integer(1, 3) }, () =>
      random.chance(0.3) ? cutPiece(random.pick(examples)) : random.pick(tokens),
    ).join('')
  }

  function cutPiece(example: string): string {
    const start = random.integer(0, Math.max(0, example.length - 1))
    return example.slice(start, start + random.integer(1, 12)) || 'a'
  }
}
