import starlight from '@astrojs/starlight'
import type { AstroIntegration } from 'astro'
import { defineConfig } from 'astro/config'
import { createBaseAddressPlugin, normalizeBaseUrl, readBasePath } from './base-address.ts'
import { loadReference } from './reference.ts'

// Set by build.ts, which says why it is not called BASE_URL here.
const baseUrl = normalizeBaseUrl(process.env.DOCS_BASE_URL)

/** Adds our Markdown plugin to the processor that Astro sets up, as Starlight does with its own. */
const baseAddress: AstroIntegration = {
  name: 'devdata-base-address',
  hooks: {
    'astro:config:setup': ({ config }) => {
      const { processor } = config.markdown
      if (!isSatteri(processor.options)) throw new Error(`The Markdown processor is now ${processor.name}`)
      processor.options.mdastPlugins.push(createBaseAddressPlugin(baseUrl))
      // An error message on a page must be the message, quotes included.
      processor.options.features.smartPunctuation = false
    },
  },
}

/** The part of the default processor's options that we touch; its package is a dependency of Starlight's. */
interface SatteriOptions {
  mdastPlugins: unknown[]
  features: { smartPunctuation?: boolean }
}

function isSatteri(options: unknown): options is SatteriOptions {
  return typeof options === 'object' && options !== null && 'mdastPlugins' in options && 'features' in options
}

const { tags, endpoints, resources } = loadReference()
/** A group for each tag of openapi.yml, and one for the resources. */
const referenceGroups = [
  ...tags.map(({ name }) => ({
    label: name,
    collapsed: name === 'Documentation' || name === 'Operators',
    items: endpoints
      .filter(({ tag }) => tag === name)
      .map(({ id, title }) => ({ label: title, link: `/reference/${id}/` })),
  })),
  {
    label: 'Resources',
    collapsed: true,
    items: resources.map(({ id, title }) => ({ label: title, link: `/reference/resources/${id}/` })),
  },
]

export default defineConfig({
  base: `${readBasePath(baseUrl)}/docs`,
  ...(baseUrl ? { site: new URL(baseUrl).origin } : {}),
  trailingSlash: 'always',
  cacheDir: '../node_modules/.cache/docs-site',
  // A Content-Security-Policy names what may run: files of ours, and the few inline scripts by hash.
  build: { inlineStylesheets: 'never' },
  vite: { build: { assetsInlineLimit: 0 }, cacheDir: '../node_modules/.cache/docs-site/vite' },
  integrations: [
    baseAddress,
    starlight({
      title: 'devdata',
      description: 'A read-only HTTP API over users, repositories, commits and dependencies.',
      favicon: '/favicon.svg',
      credits: false,
      logo: { src: './src/assets/mark.svg', alt: '' },
      customCss: ['./src/portal.css'],
      // Code that is wider than a phone wraps: a box that scrolls sideways has to be found and named for keyboards.
      expressiveCode: { defaultProps: { wrap: true } },
      components: { Search: './src/components/Search.astro' },
      routeMiddleware: './src/route-data.ts',
      sidebar: [
        {
          label: 'Start here',
          items: [{ slug: 'index', label: 'Home' }, 'quickstart', 'tools'],
        },
        {
          label: 'Guides',
          items: [
            'authentication',
            'credits',
            'exactness',
            'pagination',
            'filtering',
            'conditional-requests',
            'rate-limits',
            'requests-and-answers',
            'errors',
          ],
        },
        {
          label: 'API reference',
          items: [
            { label: 'Overview', link: '/reference/' },
            { label: 'Interactive viewer', link: '/api-docs/' },
            ...referenceGroups,
          ],
        },
        {
          label: 'Run your own',
          items: [
            'running',
            'observing',
            'containers',
            'deno-deploy',
            'settings',
            'loading-data',
            'keys',
            'ledger',
            'upgrades-and-backups',
            'scaling',
            'security',
          ],
        },
        { label: 'Project', items: [{ label: 'Changelog', link: '/changelog/' }] },
      ],
    }),
  ],
})
