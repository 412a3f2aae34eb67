/**
 * Writes the words of Pagefind's index, the most frequent first. The search corrects typos with them.
 *
 * @module
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** What a fragment's text begins with. */
const signature = 'pagefind_dcd'

/** Writes `pagefind/words.json` of a built site. Throws an `Error` if the index has another form than this expects. */
export async function writeSearchWords(directory: string): Promise<void> {
  const bundle = join(directory, 'pagefind')
  const counts = new Map<string, number>()
  for (const name of await readdir(join(bundle, 'fragment'))) {
    const text = gunzipSync(await readFile(join(bundle, 'fragment', name))).toString()
    if (!text.startsWith(signature)) throw new Error(`Pagefind's fragments no longer start with ${signature}`)
    const { content, meta } = JSON.parse(text.slice(signature.length))
    for (const word of `${content} ${Object.values(meta).join(' ')}`.toLowerCase().match(/\p{L}{4,}/gu) ??
      []) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  const words = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b, 'en')).map(([word]) => word)
  await writeFile(join(bundle, 'words.json'), JSON.stringify(words))
}
