import { defineRouteMiddleware, type StarlightRouteData } from '@astrojs/starlight/route-data'

type SidebarEntry = StarlightRouteData['sidebar'][number]

const docs = import.meta.env.BASE_URL.replace(/\/$/, '')
const viewerInsideDocs = `${docs}/api-docs/`
const viewerBesideDocs = viewerInsideDocs.replace(/\/docs\/api-docs\/$/, '/api-docs')

export const onRequest = defineRouteMiddleware((context) => {
  const { sidebar, pagination, head, entry } = context.locals.starlightRoute

  // Starlight resolves links without a host inside the site, but the viewer is beside it.
  const redirect = (entry: SidebarEntry | undefined) => {
    if (entry?.type === 'group') entry.entries.forEach(redirect)
    else if (entry?.href === viewerInsideDocs) entry.href = viewerBesideDocs
  }
  sidebar.forEach(redirect)
  redirect(pagination.prev)
  redirect(pagination.next)

  // The Markdown plugin doesn't see links in the front matter.
  const { hero } = entry.data
  if (hero) {
    const actions = hero.actions.map((action) => ({
      ...action,
      link: action.link.replace(/^(?=\/(docs|api-docs)\b)/, docs.replace(/\/docs$/, '')),
    }))
    entry.data = { ...entry.data, hero: { ...hero, actions } }
  }

  // The page's Markdown for agents, and its picture if the site's URL is known.
  const page = context.url.pathname.replace(/\/$/, '')
  const markdown = page === docs ? `${docs}/index.md` : `${page}.md`
  if (page.endsWith('/404')) return
  head.push({ tag: 'link', attrs: { rel: 'alternate', type: 'text/markdown', href: markdown }, content: '' })
  if (context.site) {
    const picture = new URL(`${docs}/picture.png`, context.site).href
    const facts = { 'og:image': picture, 'og:image:width': '1200', 'og:image:height': '630' }
    for (const [property, content] of Object.entries(facts)) {
      head.push({ tag: 'meta', attrs: { property, content }, content: '' })
    }
    head.push({ tag: 'meta', attrs: { property: 'og:image:alt', content: 'devdata' }, content: '' })
  }
})
