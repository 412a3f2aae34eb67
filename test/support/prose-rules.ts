/**
 * Rules of the prose linter (`test/documents/prose.test.ts`): Google's developer documentation style, as the rules of
 * Vale state it (https://github.com/errata-ai/Google), and the words of this project.
 */

/** A word or phrase that pages don't use. */
export interface WordRule {
  /** What is wrong, matched whatever its case, as whole words. */
  not: string
  /** What to write instead. */
  say: string
}

/** Google's style. */
const google: readonly WordRule[] = [
  { not: String.raw`e\.?g\.`, say: 'for example' },
  { not: String.raw`i\.e\.`, say: 'that is' },
  { not: String.raw`etc\.`, say: 'and so on' },
  { not: 'via', say: 'through, with or by' },
  { not: String.raw`vs\.|versus`, say: 'compared with' },
  { not: "will|won['’]t", say: 'the present tense' },
  { not: "we|we['’](?:re|ve|ll)|our|ours|let['’]s", say: 'the service, or you' },
  { not: "(?-i:I)|I['’]m|my|mine", say: 'the reader or the service' },
  { not: 'he/she|s/he|his/her', say: 'they' },
  { not: 'please|simply|just|easy|easily|obviously|of course', say: 'nothing: leave it out' },
  { not: 'click(?:ing)? (?:here|on)', say: "the link's subject, or click" },
  { not: 'e-mails?', say: 'email' },
  { not: 'file ?path|path ?name', say: 'path' },
  { not: 'ingest(?:s|ed)?', say: 'import or load' },
  { not: 'and/or', say: 'or' },
  { not: 'allows? (?:you )?to|enables? (?:you )?to', say: 'lets you, or can' },
  { not: String.raw`\d+(?:st|nd|rd|th)`, say: 'the number in words' },
  { not: String.raw`\w+\(s\)`, say: 'the plural' },
  { not: String.raw`(?!early|reply|only|apply|supply|family)\w+ly-\w+`, say: 'no hyphen after an adverb' },
  { not: String.raw`\w+!(?=\s|$)`, say: 'a period' },
  { not: String.raw`(?<=\s)[–—](?=\s)`, say: 'a comma, a colon or two sentences' },
  { not: String.raw`\.\.\.`, say: 'nothing, or what was left out' },
  { not: String.raw`\d{1,2} ?[ap]\.?m\.?`, say: 'the time of 24 hours' },
  { not: String.raw`\d{1,2}[./]\d{1,2}[./]\d{4}`, say: '2030-12-31' },
  { not: 'are not', say: "aren't" },
  { not: 'is not', say: "isn't" },
  { not: 'do not', say: "don't" },
  { not: 'does not', say: "doesn't" },
  { not: 'cannot|can not', say: "can't" },
]

/** The project's words, one for each thing. */
const own: readonly WordRule[] = [
  {
    not: '(?:an|the|its|each|every|this) answers?|answer(?:s|ed|ing)? (?:with|by)',
    say: 'response, respond or return',
  },
  { not: 'for free', say: 'free, or at no charge' },
  { not: 'meanwhile|in the meantime', say: 'what happens at the same time' },
  { not: '(?<!there )(?:is|are|was|were) no(?! longer| more)', say: '"isn\'t a" or "has no"' },
  { not: 'walk(?:s|ed|ing)?', say: 'iterate or page through' },
  { not: 'elements?', say: 'item' },
  { not: 'without regard to case', say: 'case-insensitive' },
  { not: 'turn(?:s|ed)? away|admission|admitted', say: 'reject, queue or limiter' },
  { not: 'so many|so long', say: "the number's name" },
  { not: 'what is left(?! out)|what remains', say: 'balance, or the rest by name' },
  { not: 'exactness', say: 'guarantee' },
  { not: 'mend(?:s|ed|ing)?', say: 'fix or repair' },
  { not: 'at once', say: 'immediately, or at the same time' },
  { not: 'in other hands|patien(?:t|ce|tly)', say: 'locked, or timeout' },
  { not: 'upon|whilst|hence|thus|thereby|whereas', say: 'on, while, so or but' },
  { not: 'for good', say: 'permanently' },
  { not: 'goes on', say: 'continues' },
  { not: 'resp\\.|so-called|nowadays', say: 'or, or nothing' },
  { not: 'possibility to|possible to', say: 'can' },
  { not: '(?:who|whoever) asks', say: 'callers, clients or readers' },
  { not: '(?:base |web )address(?:es)?', say: 'URL' },
]

export const wordRules: readonly WordRule[] = [...google, ...own]

/**
 * What retext-simplify would replace, and what is exact here: words of HTTP, SQL and programming ("request" isn't
 * "ask"), and "it is" and "there is", which it would remove wherever they are.
 */
export const exactPhrases: readonly string[] = [
  'address',
  'all of',
  'attempt',
  'authorize',
  'contain',
  'contains',
  'delete',
  'effect',
  'equivalent',
  'expiration',
  'function',
  'however',
  'immediately',
  'implement',
  'interface',
  'it is',
  'maximum',
  'operate',
  'option',
  'parameters',
  'previous',
  'relative to',
  'request',
  'requirement',
  'there are',
  'there is',
  'type',
  'validate',
]

/** The words of a sentence, at most. */
export const maxWords = 30

/** Texts of links that don't say where they lead. */
export const vagueLinks = /^(?:(?:see |click )?here|(?:this )?(?:page|link)|this)$/i

/** Names that headings write with a capital. */
export const names: ReadonlySet<string> = new Set([
  'Berlin',
  'Code',
  'Compose',
  'Cursor',
  'Deno',
  'Deploy',
  'Desktop',
  'Docker',
  'Gemini',
  'Germany',
  'Host',
  'Postman',
  'Excel',
  'Go',
  'Windsurf',
  'Unix',
])
