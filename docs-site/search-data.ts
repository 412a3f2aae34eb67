/**
 * Writes what the search knows beside Pagefind's index: its words, the most frequent first, with which it corrects
 * typos, each page's phrases, by which it ranks pages, and the messages of the errors page.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fromHtml } from 'hast-util-from-html'
import { selectAll } from 'hast-util-select'
import { toString as readText } from 'hast-util-to-string'
import { fillers } from './src/scripts/search-query.ts'

/** What a fragment's text begins with. */
const signature = 'pagefind_dcd'

/** What `pagefind/words.json` has. */
export interface SearchWords {
  words: string[]
  /** Titles and keywords of pages, without fillers, by the pages' ids in the index: commas between, the title first. */
  phrases: Record<string, string>
  /** Error messages with the anchors of their sections. */
  messages: [message: string, anchor: string][]
}

/** Leaves out what the ranking ignores. */
const removeFillers = (phrase: string): string =>
  phrase
    .split(' ')
    .filter((word) => !fillers.has(word.toLowerCase()))
    .join(' ')

async function readMessages(directory: string): Promise<SearchWords['messages']> {
  const page = fromHtml(await readFile(join(directory, 'errors', 'index.html'), 'utf8'))
  return selectAll('h3[id]', page).map((heading) => [readText(heading), String(heading.properties.id)])
}

/** Writes `pagefind/words.json` of a built site. Throws an `Error` if the index has another form than this expects. */
export async function writeSearchWords(directory: string): Promise<void> {
  const bundle = join(directory, 'pagefind')
  const counts = new Map<string, number>()
  const phrases: SearchWords['phrases'] = {}
  for (const name of await readdir(join(bundle, 'fragment'))) {
    const text = gunzipSync(await readFile(join(bundle, 'fragment', name))).toString()
    if (!text.startsWith(signature)) throw new Error(`Pagefind's fragments no longer start with ${signature}`)
    const { content, meta } = JSON.parse(text.slice(signature.length))
    phrases[basename(name, '.pf_fragment')] = [
      meta.title.replaceAll(',', ''),
      ...(meta.keywords ?? '').split(', '),
    ]
      .map(removeFillers)
      .join(', ')
    for (const word of `${content} ${Object.values(meta).join(' ')}`.toLowerCase().match(/\p{L}{4,}/gu) ??
      []) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  const words = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b, 'en')).map(([word]) => word)
  const known: SearchWords = { words, phrases, messages: await readMessages(directory) }
  await writeFile(join(bundle, 'words.json'), JSON.stringify(known))
}
