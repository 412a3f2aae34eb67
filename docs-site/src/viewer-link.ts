import { defineRouteMiddleware, type StarlightRouteData } from '@astrojs/starlight/route-data'

type SidebarEntry = StarlightRouteData['sidebar'][number]

const viewerInsideDocs = `${import.meta.env.BASE_URL.replace(/\/$/, '')}/api-docs/`
const viewerBesideDocs = viewerInsideDocs.replace(/\/docs\/api-docs\/$/, '/api-docs')

/**
 * Points the sidebar's "Interactive viewer", and the links to it at the foot of its neighbours, at
 * `/api-docs`: Starlight keeps every link without a host inside the site, and the viewer lies beside it.
 */
export const onRequest = defineRouteMiddleware((context) => {
  const { sidebar, pagination } = context.locals.starlightRoute
  const redirect = (entry: SidebarEntry | undefined) => {
    if (entry?.type === 'group') entry.entries.forEach(redirect)
    else if (entry?.href === viewerInsideDocs) entry.href = viewerBesideDocs
  }
  sidebar.forEach(redirect)
  redirect(pagination.prev)
  redirect(pagination.next)
})
