/**
 * The built pages as Markdown, for agents and for people who read in a terminal: `/docs/quickstart.md` beside
 * `/docs/quickstart/`, and all of them in `llms.txt` and `llms-full.txt` (https://llmstxt.org). They are made from the
 * HTML, so what is generated (reference, samples, answers) is in them as it is on the page.
 *
 * @module
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Element, ElementContent, Nodes } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { type Handle, toMdast } from 'hast-util-to-mdast'
import type { RootContent } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { toMarkdown } from 'mdast-util-to-markdown'

/** One page of the portal as Markdown. */
export interface MarkdownPage {
  /** File below the docs: `quickstart.md`. */
  name: string
  title: string
  description: string
  text: string
}

/** Where the docs will be served. */
export interface MarkdownOptions {
  /** The path of the docs: `/docs`. */
  base: string
  /** What stands before that path in a link, where it is known: `https://api.example.com`. */
  origin: string
}

function isElement(node: Nodes, tagName?: string): node is Element {
  return node.type === 'element' && (tagName === undefined || node.tagName === tagName)
}

function hasClass(node: Element, name: string): boolean {
  const { className } = node.properties
  return Array.isArray(className) && className.includes(name)
}

/** The first element that a test accepts, in document order. */
function findElement(node: Nodes, test: (element: Element) => boolean): Element | undefined {
  if (isElement(node) && test(node)) return node
  if (!('children' in node)) return undefined
  for (const child of node.children) {
    const found = findElement(child, test)
    if (found) return found
  }
  return undefined
}

function listElements(node: Nodes, test: (element: Element) => boolean): Element[] {
  if (isElement(node) && test(node)) return [node]
  return 'children' in node ? node.children.flatMap((child) => listElements(child, test)) : []
}

function readText(node: Nodes): string {
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map(readText).join('') : ''
}

/** The Markdown file of a page's folder: `quickstart/` is `quickstart.md`, the home page `index.md`. */
export function nameMarkdown(page: string): string {
  return `${page.replace(/(^|\/)(index\.html)?$/, '') || 'index'}.md`
}

/** A link as it reads outside the page: to the Markdown of a page, with the origin where that is known. */
function completeLink(href: string, page: string, { base, origin }: MarkdownOptions): string {
  const url = new URL(href, `http://localhost${base}/${page.replace(/(^|\/)index\.html$/, '$1')}`)
  if (url.origin !== 'http://localhost') return href
  const path = url.pathname
  const isPage = (path === base || path.startsWith(`${base}/`)) && /(^|\/)[^./]*$/.test(path)
  const target = isPage ? `${base}/${nameMarkdown(path.slice(base.length + 1))}` : path
  return `${origin}${target}${url.search}${url.hash}`
}

/** Code samples: one element a line, and marks for copying around them. */
const convertFigure: Handle = (state, node: Element) => {
  const block = hasClass(node, 'expressive-code')
    ? findElement(node, ({ tagName }) => tagName === 'pre')
    : undefined
  if (!block) return state.all(node)
  const title = findElement(node, (element) => hasClass(element, 'title'))
  const lines = listElements(block, (element) => hasClass(element, 'ec-line'))
  const value = lines.map((line) => readText(line).replace(/\n$/, '')).join('\n')
  const code = { type: 'code' as const, lang: String(block.properties.dataLanguage ?? ''), value }
  const caption = title ? readText(title).trim() : ''
  return caption ? [{ type: 'paragraph', children: [{ type: 'text', value: `${caption}:` }] }, code] : [code]
}

/** Tabs become their panels, each under its label. */
const convertTabs: Handle = (state, node: Element) => {
  const labels = listElements(node, ({ properties }) => properties.role === 'tab')
  const panels = listElements(node, ({ properties }) => properties.role === 'tabpanel')
  return panels.flatMap((panel, index): RootContent[] => {
    const value = readText(labels[index] ?? panel).trim()
    return [
      { type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', value }] }] },
      ...(state.toFlow(state.all(panel)) as RootContent[]),
    ]
  })
}

/** What is for the eye or the mouse alone. */
function isDecoration(node: ElementContent): boolean {
  if (!isElement(node)) return false
  return (
    ['script', 'style', 'svg', 'button', 'starlight-tabs-restore'].includes(node.tagName) ||
    hasClass(node, 'sl-anchor-link') ||
    (hasClass(node, 'sr-only') && !hasClass(node, 'keep'))
  )
}

function removeDecoration(node: Element): Element {
  const children = node.children.flatMap((child): ElementContent[] => {
    if (child.type !== 'element') return [child]
    return isDecoration(child) ? [] : [removeDecoration(child)]
  })
  return { ...node, children }
}

/** Turns a built page into Markdown; `undefined` for what is no page of the docs. */
export function convertPage(html: string, page: string, options: MarkdownOptions): MarkdownPage | undefined {
  const document = fromHtml(html)
  const content = findElement(document, (element) => hasClass(element, 'sl-markdown-content'))
  const heading = findElement(document, ({ tagName }) => tagName === 'h1')
  if (!content || !heading) return undefined
  const meta = findElement(
    document,
    ({ tagName, properties }) => tagName === 'meta' && properties.name === 'description',
  )
  const description = String(meta?.properties.content ?? '')
  const title = readText(heading).trim()
  const tree = removeDecoration(content)
  for (const link of listElements(tree, ({ tagName }) => tagName === 'a')) {
    const { href } = link.properties
    if (typeof href === 'string') link.properties.href = completeLink(href, page, options)
  }
  const body = toMarkdown(
    toMdast(tree, { handlers: { div: convertFigure, 'starlight-tabs': convertTabs } }),
    {
      extensions: [gfmToMarkdown()],
      bullet: '-',
      rule: '-',
    },
  )
  const text = `# ${title}\n\n${description ? `> ${description}\n\n` : ''}${body.trim()}\n`
  return { name: nameMarkdown(page), title, description, text }
}

/** Groups of the sidebar with the pages in each, in their order. */
function readSidebar(html: string, base: string): { label: string; pages: string[] }[] {
  const sidebar = findElement(fromHtml(html), ({ properties }) => properties.id === 'starlight__sidebar')
  const list = sidebar && findElement(sidebar, ({ tagName }) => tagName === 'ul')
  const items = list ? list.children.filter((child) => isElement(child, 'li')) : []
  return items.map((item) => {
    const label = findElement(item, (element) => hasClass(element, 'large'))
    const links = listElements(item, ({ tagName }) => tagName === 'a')
    const paths = links.map(({ properties }) => String(properties.href ?? ''))
    const own = paths.filter((path) => path.startsWith(`${base}/`))
    return {
      label: label ? readText(label).trim() : '',
      pages: own.map((path) => nameMarkdown(path.slice(base.length + 1))),
    }
  })
}

/** Writes the Markdown of every page of a built site, `llms.txt` and `llms-full.txt`. */
export async function writeMarkdown(directory: string, options: MarkdownOptions): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const pages = new Map<string, MarkdownPage>()
  for (const { name, parentPath } of entries) {
    if (name !== 'index.html') continue
    const path = relative(directory, join(parentPath, name)).split(sep).join('/')
    const page = convertPage(await readFile(join(parentPath, name), 'utf8'), path, options)
    if (!page) continue
    pages.set(page.name, page)
    await writeFile(join(directory, page.name), page.text)
  }

  const { base, origin } = options
  const api = `${origin}${base.replace(/\/docs$/, '')}`
  const home = pages.get('index.md')
  // The home page has no sidebar of its own.
  const groups = readSidebar(await readFile(join(directory, 'quickstart', 'index.html'), 'utf8'), base)
  const listed = groups.flatMap(({ pages }) => pages)
  const missing = [...pages.keys()].filter((name) => !listed.includes(name))
  if (!home || missing.length > 0) throw new Error(`The sidebar leads nowhere to ${missing.join(', ')}`)

  const sections = groups.map(({ label, pages: names }) => {
    const lines = names.map((name) => {
      const { title = '', description = '' } = pages.get(name) ?? {}
      return `- [${title}](${origin}${base}/${name}): ${description}`
    })
    return `## ${label}\n\n${lines.join('\n')}\n`
  })
  const machine = [
    '## For machines',
    '',
    `- [openapi.yml](${api}/openapi.yml): the whole contract, OpenAPI 3.1; the same as [openapi.json](${api}/openapi.json)`,
    `- [llms-full.txt](${origin}${base}/llms-full.txt): all pages in one file`,
  ]
  const head = `# devdata\n\n> ${home.description}\n`
  await writeFile(join(directory, 'llms.txt'), [head, ...sections, `${machine.join('\n')}\n`].join('\n'))
  const full = listed.map((name) =>
    pages.get(name)?.text.replace(/^# .*$/m, (line) => `${line}\n\nSource: ${origin}${base}/${name}`),
  )
  await writeFile(join(directory, 'llms-full.txt'), full.join('\n---\n\n'))
}
