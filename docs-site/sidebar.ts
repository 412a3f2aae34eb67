/** The pages in the sidebar, by tab and group. */
import { loadReference, sharedPage } from './reference.ts'

const { tags, endpoints } = loadReference()
/** One group per tag of openapi.yml. Endpoints have their price. Those of a shared page have one link, in the first group. */
const referenceGroups = tags.map(({ name }) => {
  const own = endpoints.filter(({ tag }) => tag === name)
  const shared = own.filter(({ operationId }) => sharedPage.operationIds.includes(operationId))
  const items = own.filter((endpoint) => !shared.includes(endpoint))
  const isFirst = shared[0]?.operationId === sharedPage.operationIds[0]
  return {
    label: name,
    items: [
      ...(isFirst ? [{ title: sharedPage.title, link: `reference/${sharedPage.id}/`, price: 'free' }] : []),
      ...items,
    ].map(({ title, link, price }) => ({
      label: title,
      link: `/${link}`,
      badge: { text: price, variant: price === 'free' ? ('success' as const) : ('caution' as const) },
    })),
  }
})

/** A group of pages, by their names. */
const group = (label: string, pages: string) => ({ label, items: pages.split(' ') })

/** The sidebar. */
export const sidebar = [
  {
    label: 'Guides',
    items: [
      {
        label: 'Start here',
        items: [{ slug: 'index', label: 'Home' }, 'quickstart', 'read-a-whole-list', 'coverage', 'pricing'],
      },
      group('How-to guides', 'recipes keep-a-copy'),
      group('Clients and tools', 'typescript-client python-client command-line tools other-languages'),
      group('Assistants', 'connect-an-assistant assistant-tools'),
      group(
        'Filters',
        'filtering filter-by-dependency filter-by-location find-names batch-look-ups request-limits',
      ),
      group('Requests', 'pagination changing-lists conditional-requests requests-and-responses errors'),
      group('Keys and credits', 'authentication credits your-key billing-guarantees rate-limits'),
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
          { label: 'Interactive viewer', link: '/api-docs/' },
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
      group('Keys', 'keys keys-over-http ledger'),
      group('In production', 'observing scaling limits security'),
    ],
  },
]
