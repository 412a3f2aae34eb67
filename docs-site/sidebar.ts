/** The pages in the sidebar, by tab and group. */
import { loadReference } from './reference.ts'

const { tags, endpoints } = loadReference()
/** One group per tag of openapi.yml. Endpoints have their price. */
const referenceGroups = tags.map(({ name }) => ({
  label: name,
  items: endpoints
    .filter(({ tag }) => tag === name)
    .map(({ id, title, price }) => ({
      label: title,
      link: `/reference/${id}/`,
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
        items: [{ slug: 'index', label: 'Home' }, 'quickstart', 'read-a-whole-list', 'coverage', 'pricing'],
      },
      group('How-to guides', 'recipes keep-a-copy'),
      group(
        'Clients and tools',
        'typescript-client python-client python-errors command-line clients tools other-languages',
      ),
      group('Assistants', 'connect-an-assistant devdata-mcp assistant-tools assistant-example'),
      group(
        'Filters',
        'filtering filter-by-dependency filter-by-location find-names batch-look-ups request-limits',
      ),
      group('Requests', 'pagination changing-lists conditional-requests requests-and-responses errors'),
      group('Keys and credits', 'authentication credits your-key billing-guarantees rate-limits'),
      group('Background', 'data countries automation-accounts personal-data versions glossary'),
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
        'running install production settings start-and-stop url-and-connections proxies containers deno deno-deploy upgrades-and-backups restore',
      ),
      group('Database', 'postgresql poolers database-roles high-availability replicas clusters'),
      group(
        'Data',
        'loading-data load-files remove-data import-github github-records github-requests import-git clone-records manifests keeping-fresh refresh-jobs refresh-problems export-data',
      ),
      group('People', 'duties forget-a-person deletion-lists'),
      group('Keys', 'keys ledger'),
      group('In production', 'observing metrics alerts tracing scaling disk-and-memory limits security'),
    ],
  },
]
