/**
 * Ranks pages by the queries that they answer: the keywords of each page are what readers type who look for it. A page
 * is as good as its one phrase that is most like the query, so a page with many phrases has little advantage.
 */

import { fillers } from './search-query.ts'

/** Endings that hardly change what a word is about. */
const ending = /(?:ations?|ments?|ings?|ers?|ors?|ies|ied|ed|es|ly|s|y|e)$/

/** The same for all forms of a word: `deleting`, `deletes` and `delete`. */
function findStem(word: string): string {
  const stem = word.replace(ending, '').replace(/([^aeiouls])\1$/, '$1')
  return stem.length < 3 ? word : stem
}

const readStems = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => !fillers.has(word)).map(findStem),
  )

/** All phrases of a page together count less than the best one: they decide if no phrase has most of the query. */
const allPhrasesWeight = 0.7
/** A title says more than a phrase of the keywords. */
const titleWeight = 1.1

/** How well each page answers a query: from 0 to about 1.8, by its id. */
export type Ranking = (query: string) => Map<string, number>

/** @param pages the phrases of each page, with commas between, its title first */
export function createRanking(pages: Readonly<Record<string, string>>): Ranking {
  const read = Object.entries(pages).map(([id, phrases]) => ({
    id,
    phrases: phrases.split(', ').map(readStems),
  }))
  const counts = new Map<string, number>()
  for (const { phrases } of read) {
    for (const stem of new Set(phrases.flatMap((each) => [...each]))) {
      counts.set(stem, (counts.get(stem) ?? 0) + 1)
    }
  }
  // A word of few pages says more than one of many.
  const weigh = (stem: string) => Math.log(1 + read.length / (counts.get(stem) ?? 1))
  const sum = (stems: Iterable<string>) => [...stems].reduce((total, stem) => total + weigh(stem), 0)

  return (query) => {
    const asked = readStems(query)
    const askedWeight = sum(asked)
    const scores = new Map<string, number>()
    for (const { id, phrases } of read) {
      let best = 0
      const said = new Map<string, number>()
      for (const [index, phrase] of phrases.entries()) {
        const common = [...asked].filter((stem) => phrase.has(stem))
        if (common.length === 0) continue
        for (const stem of common) said.set(stem, (said.get(stem) ?? 0) + 1)
        const likeness = sum(common) / Math.sqrt(askedWeight * sum(phrase))
        best = Math.max(best, likeness * (index === 0 ? titleWeight : 1))
      }
      const all = [...said].reduce((total, [stem, count]) => total + (weigh(stem) * count) / (count + 1), 0)
      if (best > 0) scores.set(id, best + (allPhrasesWeight * all) / askedWeight)
    }
    return scores
  }
}
