import { defineRouteMiddleware, type StarlightRouteData } from '@astrojs/starlight/route-data'
import codeFont from '@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2?url'
import textFont from '@fontsource-variable/hanken-grotesk/files/hanken-grotesk-latin-wght-normal.woff2?url'
import { apiPath, docsPath } from './docs-path.ts'
import { findEndpoint, linkOperation, listTags } from './reference-data.ts'
import type { Tab } from './tabs.ts'

type SidebarEntry = StarlightRouteData['sidebar'][number]
type SidebarLink = Extract<SidebarEntry, { type: 'link' }>

const viewerInsideDocs = `${docsPath}/api-docs/`
const viewerBesideDocs = `${apiPath}/api-docs`

const listLinks = (entry: SidebarEntry): SidebarLink[] =>
  entry.type === 'link' ? [entry] : entry.entries.flatMap(listLinks)

/** The sidebar of the viewer: every endpoint, with its price. */
const listOperations = async (): Promise<SidebarEntry[]> =>
  Promise.all(
    (await listTags()).map(async ({ name, endpoints }) => ({
      type: 'group' as const,
      label: name,
      collapsed: false,
      badge: undefined,
      entries: (await Promise.all(endpoints.map(findEndpoint))).map((endpoint) => ({
        type: 'link' as const,
        label: endpoint.title,
        href: linkOperation(endpoint),
        isCurrent: false,
        badge: {
          variant: endpoint.price === 'free' ? ('success' as const) : ('caution' as const),
          class: undefined,
          text: endpoint.price,
        },
        attrs: {},
      })),
    })),
  )

export const onRequest = defineRouteMiddleware(async (context) => {
  const route = context.locals.starlightRoute
  const { head, entry, pagination } = route

  // Starlight resolves links without a host inside the site, but the viewer is beside it.
  for (const link of [...route.sidebar.flatMap(listLinks), pagination.prev, pagination.next]) {
    if (link?.href === viewerInsideDocs) link.href = viewerBesideDocs
  }

  // The groups at the top of the sidebar are tabs. Each has a sidebar of its own, and its pages follow each other.
  const tabs = route.sidebar.flatMap((group): (Tab & { entries: SidebarEntry[]; links: SidebarLink[] })[] => {
    if (group.type === 'link') throw new Error(`${group.label} is outside of the tabs`)
    const links = listLinks(group)
    const href = links.find((link) => link.href !== `${docsPath}/`)?.href ?? docsPath
    const isCurrent = links.some((link) => link.isCurrent)
    return [{ label: group.label, href, isCurrent, entries: group.entries, links }]
  })
  // The home page has the first sidebar, but is above the tabs.
  const isHome = entry.data.hero !== undefined
  context.locals.tabs = tabs.map((tab) => ({ ...tab, isCurrent: tab.isCurrent && !isHome }))
  const { entries = [], links = [] } = tabs.find(({ isCurrent }) => isCurrent) ?? tabs[0] ?? {}
  const isViewer = context.url.pathname === viewerInsideDocs
  route.sidebar = isViewer ? await listOperations() : entries
  const isInside = (link: SidebarLink | undefined) => links.some(({ href }) => href === link?.href)
  if (!isInside(pagination.prev)) pagination.prev = undefined
  if (!isInside(pagination.next)) pagination.next = undefined

  for (const href of [textFont, codeFont]) {
    const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href, crossorigin: true }
    head.push({ tag: 'link', attrs, content: '' })
  }

  const feed = {
    rel: 'alternate',
    type: 'application/rss+xml',
    title: 'Changelog',
    href: `${docsPath}/changelog.xml`,
  }
  head.push({ tag: 'link', attrs: feed, content: '' })

  // Guides stand above pages for operators in the search (scripts/search.ts).
  const part = tabs.find(({ isCurrent }) => isCurrent)?.label
  if (part !== undefined) {
    head.push({
      tag: 'meta',
      attrs: { 'data-pagefind-filter': 'part[content]', name: 'part', content: part },
      content: '',
    })
  }

  // The search ranks pages by them (scripts/search-rank.ts).
  if (entry.data.keywords) {
    const attrs = {
      'data-pagefind-meta': 'keywords[content]',
      name: 'keywords',
      content: entry.data.keywords,
    }
    head.push({ tag: 'meta', attrs, content: '' })
  }

  const picture = {
    'og:image': new URL(`${docsPath}/picture.png`, context.site).href,
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': 'Ask who uses a package. Know the price first.',
  }
  for (const [property, content] of Object.entries(picture)) {
    head.push({ tag: 'meta', attrs: { property, content }, content: '' })
  }

  // The page's Markdown, for agents and for components/PageTitle.astro.
  const page = context.url.pathname.replace(/\/$/, '')
  if (isViewer || page.endsWith('/404')) return
  const markdown = page === docsPath ? `${docsPath}/index.md` : `${page}.md`
  context.locals.markdownPath = markdown
  head.push({ tag: 'link', attrs: { rel: 'alternate', type: 'text/markdown', href: markdown }, content: '' })
})
