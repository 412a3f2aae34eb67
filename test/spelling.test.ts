/**
 * The words of the portal are spelt as a British dictionary has them. Names and terms that it lacks are in
 * `docs-site/words.txt`; code is left out.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import dictionary from 'dictionary-en-gb'
import nspell from 'nspell'
import { beforeAll, expect, test } from 'vitest'
import { docsDirectory, findDocs } from '../api/docs/docs-manifest.ts'
import { buildDocs } from '../docs-site/build.ts'

const ownWords = join(import.meta.dirname, '../docs-site/words.txt')

beforeAll(async () => {
  await buildDocs({ ifStale: true })
})

/** The words of a Markdown text: no code, no addresses, no HTML. */
function listWords(markdown: string): string[] {
  const prose = markdown
    .replace(/^(`{3,})[\s\S]*?^\1$/gm, ' ')
    .replace(/`[^`]*`/g, ' ')
    .replace(/\]\([^)]*\)/g, '] ')
    .replace(/<[^>]+>|https?:\/\/\S+|\S+@\S+|\\/g, ' ')
  return prose.match(/(?<![\p{L}\d_./-])\p{L}+(?:['’]\p{L}+)*(?![\p{L}\d_]|[./]\p{L})/gu) ?? []
}

test('the spelling of every page', async () => {
  const spell = nspell({ aff: Buffer.from(dictionary.aff), dic: Buffer.from(dictionary.dic) })
  const own = (await readFile(ownWords, 'utf8')).split('\n').filter((line) => line && !line.startsWith('#'))
  for (const word of own) spell.add(word)

  const docs = await findDocs(docsDirectory)
  if (!docs) throw new Error('the build left no docs')
  const pages = Object.keys(docs.files).filter((name) => name.endsWith('.md'))
  expect(pages.length).toBeGreaterThan(50)
  const known = new Map<string, boolean>()
  const wrong = new Map<string, string>()
  const used = new Set<string>()
  for (const page of pages) {
    for (const word of listWords(await readFile(join(docs.directory, page), 'utf8'))) {
      const plain = word.replace('’', "'").replace(/'s$/, '')
      used.add(plain)
      if (!known.has(plain)) known.set(plain, spell.correct(plain))
      if (!known.get(plain)) wrong.set(plain, page)
    }
  }
  expect(known.size).toBeGreaterThan(800)
  expect([...wrong].map(([word, page]) => `${page}: ${word}`)).toEqual([])
  expect(own.filter((word) => !used.has(word))).toEqual([])
})
