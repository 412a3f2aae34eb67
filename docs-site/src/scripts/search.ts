/** The search dialog over Pagefind's index. Its script, the index and the words load when the dialog opens. */
import type { SearchWords } from '../../search-data.ts'
import { docsPath } from '../docs-path.ts'
import { closeOnClickBeside, createElement } from './elements.ts'
import { findMessage, readPasted } from './error-messages.ts'
import { improveQuery } from './search-query.ts'
import { createRanking, type Ranking } from './search-rank.ts'

/** A part of a page that Pagefind found; its texts are HTML. */
interface Part {
  title: string
  url: string
  excerpt: string
  locations: number[]
}
interface Hit {
  url: string
  excerpt: string
  meta: { title: string }
  sub_results: Part[]
  /** The parts of the portal that it is in. */
  filters: { part?: string[] }
}
interface Result {
  id: string
  score: number
  data(): Promise<Hit>
}
/**
 * A page that was found, and its score. The result is Pagefind's own object, not a copy: Pagefind forgets the data of an
 * object that nothing refers to.
 */
interface Scored {
  result: Result
  score: number
}
interface Pagefind {
  options(options: object): Promise<void>
  search(query: string): Promise<{ results: Result[] }>
}

const maxHits = 8
const maxParts = 3
/** More readers use the service than run it, so of pages that are about as good, those for operators come later. */
const operatorsWeight = 0.95
/** What the texts of pages count beside their phrases: they decide between pages, and find what no phrase has. */
const textWeight = 0.15
/**
 * A word of a title says more about a page than one of its text. Long pages aren't better pages. Keywords are ranked apart
 * (search-rank.ts).
 */
const ranking = {
  termFrequency: 0.3,
  termSaturation: 1.5,
  pageLength: 0.4,
  metaWeights: { title: 8, keywords: 0, description: 2 },
}

const bundle = `${docsPath}/pagefind`

/** What the search has loaded. */
interface Index {
  pagefind: Pagefind
  known: SearchWords
  rank: Ranking
}

let loading: Promise<Index> | undefined

/** Loads the index once. Another attempt follows a failed one. */
function loadIndex(): Promise<Index> {
  loading ??= (async () => {
    const [pagefind, known] = await Promise.all([
      import(/* @vite-ignore */ `${bundle}/pagefind.js`) as Promise<Pagefind>,
      fetch(`${bundle}/words.json`).then((response) => {
        if (!response.ok) throw new Error(`words.json is ${response.status}`)
        return response.json() as Promise<SearchWords>
      }),
    ])
    await pagefind.options({ ranking, excerptLength: 18 })
    return { pagefind, known, rank: createRanking(known.phrases) }
  })()
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

/**
 * Finds pages that have all words of a query, or some: `compare react and vue` is a question, though no page has all of
 * it. Pagefind alone finds those that have all. A text's score is the sum of what Pagefind gives it for the query and
 * for each word.
 */
async function findPages({ pagefind, rank }: Index, query: string): Promise<Scored[]> {
  const found = new Map<string, Scored>()
  for (const words of new Set([query, ...query.split(' ')].filter((each) => each !== ''))) {
    const { results } = await pagefind.search(words)
    for (const result of results) {
      const known = found.get(result.id) ?? { result, score: 0 }
      found.set(result.id, { ...known, score: known.score + result.score })
    }
  }
  const best = Math.max(...[...found.values()].map(({ score }) => score), Number.MIN_VALUE)
  const scores = rank(query)
  return [...found.values()]
    .map(({ result, score }) => ({
      result,
      score: (scores.get(result.id) ?? 0) + (textWeight * score) / best,
    }))
    .sort((a, b) => b.score - a.score)
}

/** Reads the best hits, the pages for operators below guides that are about as good. */
async function readHits(results: readonly Scored[]): Promise<Hit[]> {
  const hits = await Promise.all(
    results.slice(0, 2 * maxHits).map(async ({ result, score }) => {
      const hit = await result.data()
      return { hit, score: hit.filters.part?.includes('Operators') ? operatorsWeight * score : score }
    }),
  )
  return hits
    .sort((a, b) => b.score - a.score)
    .slice(0, maxHits)
    .map(({ hit }) => hit)
}

/** The item of a hit: its page, and the parts of the page that have the most of the query. */
function drawHit({ url, excerpt, meta, sub_results }: Hit): HTMLLIElement {
  const drawLink = (href: string, text: string) => createElement('a', { href }, text)
  // Pagefind escapes the text, and adds nothing but `mark`.
  const drawExcerpt = (innerHTML: string) => createElement('p', { innerHTML })
  const item = createElement('li', {}, drawLink(url, meta.title))
  if (/\/reference\/(?!objects)[^/]+\/$/.test(url)) item.append(createElement('span', {}, 'Endpoint'))
  const parts = sub_results
    .filter((part) => part.url !== url && !part.url.endsWith('#_top'))
    .sort((a, b) => b.locations.length - a.locations.length)
    .slice(0, maxParts)
  if (parts.length === 0) {
    item.append(drawExcerpt(excerpt))
    return item
  }
  const entries = parts.map((part) =>
    createElement('li', {}, drawLink(part.url, part.title), drawExcerpt(part.excerpt)),
  )
  item.append(createElement('ul', {}, ...entries))
  return item
}

/** The item of an error message. */
const drawMessage = ([message, anchor]: [string, string]): HTMLLIElement =>
  createElement(
    'li',
    {},
    createElement('a', { href: `${docsPath}/errors/#${anchor}` }, message),
    createElement('span', {}, 'Error'),
  )

/** Connects the button, the dialog and the keys of `components/Search.astro`. */
export function startSearch(search: HTMLElement): void {
  const opener = search.querySelector('button')
  const dialog = search.querySelector('dialog')
  const input = search.querySelector('input')
  const status = search.querySelector('[role=status]')
  const list = search.querySelector('ol')
  const curated = search.querySelector<HTMLElement>('.curated')
  if (!opener || !dialog || !input || !status || !list || !curated) return

  const isApple = /Mac|iPhone|iPad/i.test(navigator.platform)
  if (isApple) {
    opener.setAttribute('aria-keyshortcuts', 'Meta+K')
    opener.querySelector('kbd')?.setAttribute('data-key', '⌘')
  }

  const open = () => {
    dialog.showModal()
    input.select()
    loadIndex().catch(() => {})
  }
  const find = async () => {
    const text = input.value.trim()
    // A reader types on while this waits: only the newest text counts.
    const isCurrent = () => input.value.trim() === text
    curated.hidden = text !== ''
    if (text === '') {
      list.replaceChildren()
      status.textContent = ''
      return
    }
    try {
      const index = await loadIndex()
      const { known } = index
      const pasted = readPasted(text)
      const query = improveQuery(pasted, known.words)
      const message = findMessage(pasted, known.messages, ([each]) => each)
      const results = await findPages(index, query)
      const hits = await readHits(results)
      if (!isCurrent()) return
      list.replaceChildren(...(message ? [drawMessage(message)] : []), ...hits.map(drawHit))
      const count = `${results.length} ${results.length === 1 ? 'page' : 'pages'}`
      if (hits.length === 0 && !message) status.textContent = `No page has "${query || text}".`
      else status.textContent = query === pasted.toLowerCase() ? `${count}.` : `${count} for "${query}".`
    } catch {
      if (isCurrent()) status.textContent = 'The search did not load. Check your connection and type again.'
    }
  }

  opener.disabled = false
  opener.addEventListener('click', open)
  input.addEventListener('input', find)
  window.addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (dialog.open) dialog.close()
    else open()
  })
  closeOnClickBeside(dialog)
  dialog.addEventListener('click', (event) => {
    if ((event.target as Element).closest('a, .close')) dialog.close()
  })
  dialog.addEventListener('keydown', (event) => {
    // These keys choose among the candidates of an input method. Safari says so by the code 229 alone.
    if (event.isComposing || event.keyCode === 229) return
    const links = [...list.querySelectorAll('a')]
    const current = links.indexOf(document.activeElement as HTMLAnchorElement)
    // A fast typist presses Enter before the hits are there.
    if (event.key === 'Enter' && event.target === input) find().then(() => list.querySelector('a')?.click())
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    const next = current + (event.key === 'ArrowDown' ? 1 : -1)
    if (next < 0) input.focus()
    else links[next]?.focus()
  })
}
