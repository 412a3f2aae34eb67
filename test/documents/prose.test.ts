/**
 * Plain English in the guides, `openapi.yml`, the README files, the changelog, the decisions and the help of the
 * command lines: Google's style and the project's words (`test/support/prose-rules.ts`), short sentences, headings in
 * sentence case, and what retext finds.
 */
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Nodes, Root } from 'mdast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import retextEnglish from 'retext-english'
import retextIndefiniteArticle from 'retext-indefinite-article'
import retextRepeatedWords from 'retext-repeated-words'
import retextSimplify from 'retext-simplify'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { VFile } from 'vfile'
import { expect, test } from 'vitest'
import { isScalar, LineCounter, parseDocument, visit as visitYaml } from 'yaml'
import { createCommands } from '../../api/cli/commands.ts'
import { helpText as mcpHelpText } from '../../client/mcp/src/settings.ts'
import { helpText } from '../../client/src/shell/help.ts'
import { exactPhrases, maxWords, names, vagueLinks, wordRules } from '../support/prose-rules.ts'

const project = join(import.meta.dirname, '..', '..')
const sources = [
  'docs-site/src/content/docs/**/*.{md,mdx}',
  'openapi.yml',
  'README.md',
  'client/README.md',
  'client/mcp/README.md',
  'sample/README.md',
  'CHANGELOG.md',
  'changes/*.md',
  'CONTRIBUTING.md',
  'decisions/*.md',
]

const markdown = unified().use(remarkParse).use(remarkGfm)
const english = unified()
  .use(retextEnglish)
  .use(retextRepeatedWords)
  .use(retextIndefiniteArticle)
  .use(retextSimplify, { ignore: exactPhrases })
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
const words = wordRules.map(({ not, say }) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${not})(?![\\w-])`, 'gi'),
  say,
}))

/** A paragraph, heading or cell of a table. */
interface Block {
  /** Its words. A word with a number stands for each piece of code. */
  text: string
  line: number
  isHeading: boolean
  /** The texts of its links. */
  links: string[]
}

/** Splits Markdown into blocks. `firstLine` is that of the text in its file. */
function readBlocks(text: string, firstLine = 1): Block[] {
  const blocks: Block[] = []
  visit(markdown.parse(text) as Root, (node) => {
    if (node.type !== 'paragraph' && node.type !== 'heading' && node.type !== 'tableCell') return
    const links: string[] = []
    visit(node, 'link', (link) => {
      links.push(readText(link))
    })
    const line = firstLine + (node.position?.start.line ?? 1) - 1
    blocks.push({ text: readText(node), line, isHeading: node.type === 'heading', links })
  })
  return blocks
}

function readText(node: Nodes): string {
  if (node.type === 'text') return node.value
  if (node.type === 'inlineCode') return `CODE${node.position?.start.offset}`
  return 'children' in node ? node.children.map(readText).join('') : ''
}

/** Reads a page with its title and description. Imports of components are code, and comments name figures. */
function readPage(text: string): Block[] {
  const [frontmatter = ''] = /^---\n.*?\n---\n/s.exec(text) ?? []
  const lines = frontmatter.split('\n')
  const values = lines.flatMap((line, index) => {
    const [, name, value] = /^(title|description): ["']?(.*?)["']?$/.exec(line) ?? []
    return value ? [{ text: value, line: index + 1, isHeading: name === 'title', links: [] }] : []
  })
  const body = text.slice(frontmatter.length).replace(/^import .*$|\{\/\*.*?\*\/\}/gm, '')
  return [...values, ...readBlocks(body, lines.length)]
}

/** Reads the summaries and descriptions of `openapi.yml`. */
function readDescriptions(text: string): Block[] {
  const lineCounter = new LineCounter()
  const blocks: Block[] = []
  visitYaml(parseDocument(text, { lineCounter }), {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || typeof value.value !== 'string') return
      if (key.value !== 'description' && key.value !== 'summary') return
      const { line } = lineCounter.linePos(value.range?.[0] ?? 0)
      blocks.push(...readBlocks(value.value, value.type?.startsWith('BLOCK') ? line + 1 : line))
    },
  })
  return blocks
}

/** Lists the descriptions of a command, its arguments and options, and of its commands. */
function listHelpTexts(command: Command): string[] {
  return [
    command.summary(),
    command.description(),
    ...command.registeredArguments.map(({ description }) => description),
    ...command.options.map(({ description }) => description),
    ...command.commands.flatMap(listHelpTexts),
  ]
}

/** Lists what breaks a rule in a block: the line, what it says, and what to write instead. */
function lint({ text, line, isHeading, links }: Block): string[] {
  const found: string[] = []
  function report(index: number, problem: string): void {
    found.push(`${line + text.slice(0, index).split('\n').length - 1}: ${problem}`)
  }
  for (const { pattern, say } of words) {
    for (const { 0: word, index } of text.matchAll(pattern)) report(index, `"${word}": write ${say}`)
  }
  for (const link of links) if (vagueLinks.test(link)) report(0, `link "${link}": name the page`)
  if (isHeading) {
    const capitalized = text.matchAll(/(?<=\p{L}\S*[^\s:.?!] )\p{Lu}\p{Ll}+(?![\w.-])/gu)
    for (const { 0: word, index } of capitalized) {
      if (!names.has(word)) report(index, `heading with "${word}": write it in lower case`)
    }
    if (/\w\.$/.test(text)) report(0, 'heading with a period: leave it out')
    return found
  }
  for (const { segment, index } of sentences.segment(text.replaceAll('\n', ' '))) {
    const count = segment.match(/\S*\w\S*/g)?.length ?? 0
    if (count > maxWords) report(index, `sentence of ${count} words: write at most ${maxWords}`)
  }
  const file = new VFile(text)
  english.runSync(english.parse(file), file)
  for (const { reason, place } of file.messages) {
    report((place && 'start' in place && place.start.offset) || 0, reason)
  }
  return found
}

test('each kind of rule finds what breaks it, with its line', () => {
  const page = `---
title: Get The Balance
description: You will read the balance.
---

# Get a balance.

Read the balance ([here](/docs/)):
the response response is a object, and \`will we\` is code.

| Cell |
| --- |
| In order to read it, send a request |

- ${'One word after another, '.repeat(8)}too long.
`
  expect(readPage(page).flatMap(lint)).toEqual([
    '2: heading with "The": write it in lower case',
    '2: heading with "Balance": write it in lower case',
    '3: "will": write the present tense',
    '6: heading with a period: leave it out',
    '8: link "here": name the page',
    '9: Unexpected repeated `response`, remove one occurrence',
    '9: Unexpected article `a` before `object`, expected `an`',
    '13: Unexpected `In order to`, use `to` instead',
    '15: sentence of 34 words: write at most 30',
  ])
  const descriptions = 'a:\n  description: |\n    Returns the list.\n    It is walked page by page.\n'
  expect(readDescriptions(descriptions).flatMap(lint)).toEqual(['4: "walked": write iterate or page through'])
})

test('pages, descriptions and decisions follow the style', async () => {
  const files: string[] = []
  for await (const file of glob(sources, { cwd: project })) files.push(file)
  expect(files.length).toBeGreaterThan(40)
  const found: string[] = []
  for (const file of files.sort()) {
    const text = await readFile(join(project, file), 'utf8')
    const blocks = file.endsWith('.yml') ? readDescriptions(text) : readPage(text)
    expect(blocks.length, file).toBeGreaterThan(0)
    found.push(...blocks.flatMap(lint).map((problem) => `${file}:${problem}`))
  }
  expect(found).toEqual([])
})

test('the help of the command lines and of the tools follows the style', async () => {
  // Lines of a help text have a name and its description in columns.
  const lines = `${helpText}\n${mcpHelpText}`.split('\n').map((line) => line.split(/ {2,}/).at(-1) ?? '')
  const [schemas, tools] = await Promise.all(
    ['schemas.ts', 'server.ts'].map((file) => readFile(join(project, 'client/mcp/src', file), 'utf8')),
  )
  const descriptions = `${schemas}${tools}`.match(/(?<=description:\s*')[^']+/g) ?? []
  const texts = [...listHelpTexts(createCommands()), ...lines, ...descriptions].filter((text) => text !== '')
  expect(texts.length).toBeGreaterThan(100)
  expect(descriptions.length).toBeGreaterThan(5) // those of filters are in openapi.yml
  const lintText = (text: string) => lint({ text, line: 1, isHeading: false, links: [] })
  expect(texts.flatMap((text) => lintText(text).map((problem) => `${text} ${problem}`))).toEqual([])
})
