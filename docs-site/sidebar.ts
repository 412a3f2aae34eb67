/** The pages in the sidebar, by tab and group. */
import { findSharedPage, loadReference } from './reference.ts'

const { tags, endpoints } = loadReference()
/** One group per tag of openapi.yml. Endpoints have their price. A shared page is where its first endpoint is. */
const referenceGroups = tags.map(({ name }) => ({
  label: name,
  items: endpoints
    .filter(({ tag }) => tag === name)
    .flatMap((endpoint) => {
      const shared = findSharedPage(endpoint.operationId)
      if (shared === undefined) return [endpoint]
      const isFirst = shared.operationIds[0] === endpoint.operationId
      return isFirst ? [{ ...endpoint, title: shared.title, link: `reference/${shared.id}/` }] : []
    })
    .map(({ title, link, price }) => ({
      label: title,
      link: `/${link}`,
      badge: { text: price, variant: price === 'free' ? ('success' as const) : ('caution' as const) },
    })),
}))

/** A group of pages, by their names. */
const group = (label: string, pages: string) => ({ label, items: pages.split(' ') })

/** The sidebar. */
export const sidebar = [
  {
    label: 'Guides',
    items: [
      {
        label: 'Start here',
        items: [{ slug: 'index', label: 'Home' }, 'quickstart', 'coverage', 'history', 'pricing'],
      },
      group('How-to guides', 'recipes watch keep-a-copy'),
      group('Clients and tools', 'typescript-client python-client command-line tools other-languages'),
      group('Assistants', 'connect-an-assistant assistant-tools'),
      group('Filters', 'filtering filter-by-dependency filter-by-location'),
      group('Requests', 'pagination conditional-requests requests-and-responses errors'),
      group('Keys and credits', 'authentication credits your-key rate-limits'),
      group('Background', 'data personal-data versions glossary'),
      { label: 'Help', items: ['support', { label: 'Changelog', link: '/changelog/' }] },
    ],
  },
  {
    label: 'Reference',
    items: [
      {
        label: 'API',
        items: [
          { label: 'Overview', link: '/reference/' },
          { label: 'Objects', link: '/reference/objects/' },
          { label: 'API viewer', link: '/api-docs/' },
        ],
      },
      ...referenceGroups,
    ],
  },
  {
    label: 'Operators',
    items: [
      group(
        'Run your own',
        'running install production settings start-and-stop url-and-connections proxies containers deno upgrades-and-backups restore',
      ),
      group('Database', 'postgresql database-roles high-availability replicas'),
      group(
        'Data',
        'loading-data load-files remove-data import-github import-git manifests keeping-fresh export-data',
      ),
      group('People', 'duties forget-a-person'),
      group('Keys', 'keys keys-over-http webhook sell-keys ledger'),
      group('In production', 'observing scaling limits security'),
    ],
  },
]
