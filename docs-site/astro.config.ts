import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import starlight from '@astrojs/starlight'
import type { AstroIntegration } from 'astro'
import { defineConfig } from 'astro/config'
import { createBaseAddressPlugin, normalizeBaseUrl, readBasePath } from './base-address.ts'
import { loadReference } from './reference.ts'
import { writeViewerAssets } from './viewer-assets.ts'

const source = join(import.meta.dirname, 'src')
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

/** Writes the viewer's files beside the pages: Vite is here, and loads native code, which `build.ts` may not on Deno. */
const viewer: AstroIntegration = {
  name: 'devdata-viewer',
  hooks: { 'astro:build:done': ({ dir }) => writeViewerAssets(fileURLToPath(dir)) },
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
  // The root is a folder of the build alone, so that builds at the same time share no file.
  srcDir: source,
  publicDir: join(import.meta.dirname, 'public'),
  cacheDir: './cache',
  // A Content-Security-Policy names what may run: files of ours, and the few inline scripts by hash.
  build: { inlineStylesheets: 'never' },
  vite: { build: { assetsInlineLimit: 0 }, cacheDir: './cache/vite' },
  integrations: [
    baseAddress,
    viewer,
    starlight({
      title: 'devdata',
      description: 'A read-only HTTP API over users, repositories, commits and dependencies.',
      favicon: '/favicon.svg',
      credits: false,
      logo: { src: join(source, 'assets/mark.svg'), alt: '' },
      customCss: [join(source, 'portal.css')],
      // Code that is wider than a phone wraps: a box that scrolls sideways has to be found and named for keyboards.
      expressiveCode: { defaultProps: { wrap: true } },
      components: {
        MarkdownContent: join(source, 'components/MarkdownContent.astro'),
        Search: join(source, 'components/Search.astro'),
      },
      routeMiddleware: join(source, 'route-data.ts'),
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
