/**
 * American spelling in the pages of the portal, the README, the guide for contributors and the decisions.
 * `docs-site/words.txt` has names and terms that the dictionary lacks. Code is left out.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import dictionary from 'dictionary-en'
import nspell from 'nspell'
import { beforeAll, expect, test } from 'vitest'
import { docsDirectory, findDocs } from '../../api/portal/docs-manifest.ts'
import { listChangeFiles } from '../../changes/assemble.ts'
import { buildDocs } from '../../docs-site/build.ts'

const project = join(import.meta.dirname, '..', '..')

beforeAll(async () => {
  await buildDocs({ ifStale: true })
})

/** The words of a Markdown text, without code, URLs and HTML. */
function listWords(markdown: string): string[] {
  const prose = markdown
    .replace(/^(`{3,})[\s\S]*?^\1$/gm, ' ')
    .replace(/`[^`]*`/g, ' ')
    .replace(/\]\([^)]*\)/g, '] ')
    .replace(/<[^>]+>|https?:\/\/\S+|\S+@\S+|\\/g, ' ')
  return prose.match(/(?<![\p{L}\d_./-])\p{L}+(?:['’]\p{L}+)*(?![\p{L}\d_]|[./]\p{L})/gu) ?? []
}

/** Every Markdown file with prose for people, by its path. */
async function listFiles(): Promise<string[]> {
  const docs = await findDocs(docsDirectory)
  if (docs === undefined) throw new Error('The build left no docs')
  const pages = Object.keys(docs.files).filter((name) => name.endsWith('.md'))
  expect(pages.length).toBeGreaterThan(50)
  const decisions = await readdir(join(project, 'decisions'))
  return [
    ...pages.map((name) => join(docs.directory, name)),
    ...[
      'README.md',
      'CONTRIBUTING.md',
      'client/README.md',
      'client/mcp/README.md',
      ...decisions.map((name) => `decisions/${name}`),
    ].map((name) => join(project, name)),
    ...listChangeFiles(),
  ]
}

test('pages, README, guide and decisions have American spelling', async () => {
  const spell = nspell({ aff: Buffer.from(dictionary.aff), dic: Buffer.from(dictionary.dic) })
  const ownWords = (await readFile(join(project, 'docs-site/words.txt'), 'utf8'))
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  for (const word of ownWords) spell.add(word)

  const known = new Map<string, boolean>()
  const wrong = new Map<string, string>()
  for (const file of await listFiles()) {
    for (const word of listWords(await readFile(file, 'utf8'))) {
      const plain = word.replace('’', "'").replace(/'s$/, '')
      if (!known.has(plain)) known.set(plain, spell.correct(plain))
      if (!known.get(plain)) wrong.set(plain, file)
    }
  }
  expect(known.size).toBeGreaterThan(800)
  expect([...wrong].map(([word, file]) => `${file}: ${word}`)).toEqual([])
  expect(ownWords.filter((word) => !known.has(word))).toEqual([])
})
