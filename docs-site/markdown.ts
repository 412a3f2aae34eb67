/**
 * Writes the built pages as Markdown, for agents and readers in a terminal: `/docs/quickstart.md` beside
 * `/docs/quickstart/`, an index in `llms.txt`, and all pages in `llms-full.txt` (https://llmstxt.org).
 *
 * The source is the HTML, so that generated parts (reference, samples, responses) are included.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import type { Element } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { matches, select, selectAll } from 'hast-util-select'
import { type Handle, toMdast } from 'hast-util-to-mdast'
import { toString as readText } from 'hast-util-to-string'
import type { RootContent } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { toMarkdown } from 'mdast-util-to-markdown'
import { writeSlot } from '../api/portal/slots.ts'
import { listFiles } from '../client/list-files.ts'

/** One page of the portal as Markdown. */
export interface MarkdownPage {
  /** File below the docs: `quickstart.md`. */
  name: string
  title: string
  description: string
  text: string
  /**
   * The text without what is folded, and with the first language of each sample alone: curl, or where it lacks the
   * next.
   */
  shortText: string
}

/** Where the docs will be served. */
export interface MarkdownOptions {
  /** The path of the docs: `/docs`. */
  base: string
  /** The origin of links, or its placeholder: `https://api.example.com`. */
  origin: string
}

/** The Markdown file of a page's folder: `quickstart/` is `quickstart.md`, the home page `index.md`. */
function nameMarkdown(page: string): string {
  return `${page.replace(/(^|\/)(index\.html)?$/, '') || 'index'}.md`
}

/** Makes a link absolute. Links to pages of the docs lead to their Markdown. */
function completeLink(href: string, page: string, { base, origin }: MarkdownOptions): string {
  const url = new URL(href, `http://localhost${base}/${page.replace(/(^|\/)index\.html$/, '$1')}`)
  if (url.origin !== 'http://localhost') return href
  const path = url.pathname
  const isPage = (path === base || path.startsWith(`${base}/`)) && /(^|\/)[^./]*$/.test(path)
  const target = isPage ? `${base}/${nameMarkdown(path.slice(base.length + 1))}` : path
  return `${origin}${target}${url.search}${url.hash}`
}

/** Converts code samples, which have one element per line and buttons around them. */
const convertCode: Handle = (state, node: Element) => {
  const block = matches('.expressive-code', node) ? select('pre', node) : undefined
  if (!block) return state.all(node)
  const lines = selectAll('.ec-line', block).map((line) => readText(line).replace(/\n$/, ''))
  const code = {
    type: 'code' as const,
    lang: String(block.properties.dataLanguage ?? ''),
    value: lines.join('\n'),
  }
  const title = select('.title', node)
  const caption = title ? readText(title).trim() : ''
  return caption ? [{ type: 'paragraph', children: [{ type: 'text', value: `${caption}:` }] }, code] : [code]
}

/** Converts tabs to their panels, each below its label. */
const convertTabs: Handle = (state, node: Element) => {
  const labels = selectAll('[role=tab]', node)
  return selectAll('[role=tabpanel]', node).flatMap((panel, index): RootContent[] => {
    const value = readText(labels[index] ?? panel).trim()
    return [
      { type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', value }] }] },
      ...(state.toFlow(state.all(panel)) as RootContent[]),
    ]
  })
}

/** Converts tabs to their first panel, without its label. */
const convertFirstTab: Handle = (state, node: Element) => {
  const panel = select('[role=tabpanel]', node)
  return panel ? state.toFlow(state.all(panel)) : []
}

/** Leaves out what is folded, but for the messages of the errors page. */
const convertDetails: Handle = (state, node: Element) =>
  matches('.messages', node) ? state.toFlow(state.all(node)) : []

/** A slot that the service fills, in Markdown as in HTML. */
const convertSlot: Handle = (_state, { properties }: Element) => ({
  type: 'html',
  value: writeSlot(String(properties.name)),
})

/** Elements for the eye or the mouse only, and for scripts. */
const decoration =
  'script, noscript, style, svg, button, form, .price, .run, .head[hidden], starlight-tabs-restore, .sl-anchor-link, .sr-only'

const createParagraph = (value: string): Element => ({
  type: 'element',
  tagName: 'p',
  properties: {},
  children: [{ type: 'text', value }],
})

function removeDecoration(node: Element): void {
  // The caption of a picture speaks of it, so its description stays.
  node.children = node.children.map((child) => {
    const label = child.type === 'element' && matches('svg[role=img]', child) && child.properties.ariaLabel
    return typeof label === 'string' ? createParagraph(`Picture: ${label}`) : child
  })
  node.children = node.children.filter((child) => child.type !== 'element' || !matches(decoration, child))
  // The name of a field or parameter is a link to itself, for readers who want its URL.
  if (node.tagName === 'dt') {
    node.children = node.children.flatMap((child) =>
      child.type === 'element' && child.tagName === 'a' ? child.children : child,
    )
  }
  for (const child of node.children) if (child.type === 'element') removeDecoration(child)
}

/** Converts a built page to Markdown; undefined for HTML that isn't a page of the docs. */
export function convertPage(html: string, page: string, options: MarkdownOptions): MarkdownPage | undefined {
  const document = fromHtml(html)
  const content = select('.sl-markdown-content', document)
  const heading = select('h1', document)
  if (!content || !heading) return undefined
  const title = readText(heading).trim()
  const description = String(select('meta[name=description]', document)?.properties.content ?? '')
  // The first view of the home page, without its title and its form.
  content.children.unshift(...selectAll('.pitch > p:not(.actions)', document))
  removeDecoration(content)
  // An empty element would lose the space behind it.
  for (const slot of selectAll('devdata-slot', content))
    slot.children = [{ type: 'text', value: 'filled later' }]
  for (const link of selectAll('a[href]', content)) {
    link.properties.href = completeLink(String(link.properties.href), page, options)
  }
  const write = (handlers: Record<string, Handle>) => {
    const tree = toMdast(content, {
      handlers: { div: convertCode, 'devdata-slot': convertSlot, ...handlers },
      nodeHandlers: { comment: () => undefined }, // they name figures
    })
    const body = toMarkdown(tree, {
      extensions: [gfmToMarkdown({ tablePipeAlign: false })],
      bullet: '-',
      rule: '-',
    })
    return `# ${title}\n\n${description ? `> ${description}\n\n` : ''}${body.trim()}\n`
  }
  const text = write({ 'starlight-tabs': convertTabs })
  const shortText = write({ 'starlight-tabs': convertFirstTab, details: convertDetails })
  return { name: nameMarkdown(page), title, description, text, shortText }
}

/** The paths of the tabs, each of which has a sidebar of its own. */
function readTabs(html: string): string[] {
  const links = selectAll('header .tabs a', fromHtml(html))
  return links.map(({ properties }) => String(properties.href))
}

/** The groups of a page's sidebar with the Markdown files of their pages, in order. */
function readSidebar(html: string, base: string): { label: string; pages: string[] }[] {
  return selectAll('#starlight__sidebar ul.top-level > li', fromHtml(html)).map((item) => {
    const label = select('.large', item)
    const paths = selectAll('a', item).map(({ properties }) => String(properties.href ?? ''))
    return {
      label: label ? readText(label).trim() : '',
      pages: paths
        .filter((path) => path.startsWith(`${base}/`))
        .map((path) => nameMarkdown(path.slice(base.length + 1))),
    }
  })
}

/** Writes the Markdown of every page of a built site, `llms.txt` and `llms-full.txt`. */
export async function writeMarkdown(directory: string, options: MarkdownOptions): Promise<void> {
  const pages = new Map<string, MarkdownPage>()
  for (const file of await listFiles(directory)) {
    if (basename(file) !== 'index.html') continue
    const path = relative(directory, file).split(sep).join('/')
    const page = convertPage(await readFile(file, 'utf8'), path, options)
    if (!page) continue
    pages.set(page.name, page)
    await writeFile(join(directory, page.name), page.text)
  }

  const { base, origin } = options
  const api = `${origin}${base.replace(/\/docs$/, '')}`
  const home = pages.get('index.md')
  const readPage = (path: string) => readFile(join(directory, path.slice(base.length), 'index.html'), 'utf8')
  const tabs = readTabs(await readPage(`${base}/`))
  const groups = (await Promise.all(tabs.map(readPage))).flatMap((html) => readSidebar(html, base))
  const listed = groups.flatMap(({ pages }) => pages)
  const missing = [...pages.keys()].filter((name) => !listed.includes(name))
  if (!home || missing.length > 0) throw new Error(`The sidebar lacks ${missing.join(', ')}`)

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
  const rules = [
    'Rules for programs that spend credits:',
    '',
    `- Each item that a response returns costs 1 credit. An unknown user costs 1, too.`,
    `- Ask for the price first: \`HEAD\` is free, and has the number of items in \`X-Total-Count\` and the price of the page in \`X-Credits-Cost\`.`,
    `- Send \`Max-Credits: N\` with each \`GET\`: a response that costs more is refused with 403, and free.`,
    `- Send an \`Idempotency-Key\`, a new one for each request: its repetition is free, so a lost response isn't paid for twice.`,
    `- Follow the \`next\` link until there is none. Stop when the budget is spent, and say so.`,
    `- For assistants, ${api}/mcp has tools with a budget (MCP, streamable HTTP, the key as \`Bearer\`).`,
    '',
  ].join('\n')
  await writeFile(
    join(directory, 'llms.txt'),
    [head, rules, ...sections, `${machine.join('\n')}\n`].join('\n'),
  )
  const full = listed.map((name) =>
    pages.get(name)?.shortText.replace(/^# .*$/m, (line) => `${line}\n\nSource: ${origin}${base}/${name}`),
  )
  const about =
    'All pages of these docs, shortened: samples are in one language (mostly curl), and endpoints without their schemas, headers and rare errors. The page named after "Source:" has all of it.'
  await writeFile(join(directory, 'llms-full.txt'), [`${head}\n${about}\n`, ...full].join('\n---\n\n'))
}
