/** Finds the name that a misspelled one means. */
import { diffChars } from 'diff'

/** Maximum letters added to or removed from a known name, for an unknown one to count as its misspelling. */
const maxEdits = 2

/** Finds the known name that is most similar. Undefined: each differs by more than `maxEdits` letters. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((each) => ({ name: each, edits: countEdits(takeLetters(name), takeLetters(each)) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((a, b) => a.edits - b.edits)
  return nearest?.name
}

/** Keeps only the letters, in lower case: `perPage`, `per-page` and `per_page[]` have the same ones. */
function takeLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}

/** Counts the letters to add or remove. Returns infinity if they are more than `maxEdits`. */
function countEdits(from: string, to: string): number {
  const changes = diffChars(from, to, { maxEditLength: maxEdits })
  if (changes === undefined) return Number.POSITIVE_INFINITY
  return changes.reduce((edits, { added, removed, count }) => edits + (added || removed ? count : 0), 0)
}
