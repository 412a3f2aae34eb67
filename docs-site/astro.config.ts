import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import starlight from '@astrojs/starlight'
import type { AstroIntegration } from 'astro'
import { defineConfig } from 'astro/config'
import { readBasePath } from '../api/config.ts'
import { createBaseUrlPlugin, originPlaceholder } from './base-url.ts'
import { createScalarPage } from './scalar-page.ts'
import { sidebar } from './sidebar.ts'
import { createStyleScopes } from './style-scopes.ts'
import { systemTheme } from './system-theme.ts'

const source = join(import.meta.dirname, 'src')
/** One file per concern. */
const styles = [
  'fonts',
  'layout',
  'search',
  'content',
  'code',
  'reference',
  'key',
  'run',
  'home',
  'builder',
  'usage',
  'coverage',
  'diagrams',
  'without-scripts',
  'print',
]
// build.ts sets it, and explains why it isn't called BASE_URL here.
const { DOCS_BASE_URL: baseUrl = originPlaceholder } = process.env

/** Adds our plugin to Astro's Markdown processor, as Starlight adds its own. */
const baseUrlPlugin: AstroIntegration = {
  name: 'devdata-base-url',
  hooks: {
    'astro:config:setup': ({ config }) => {
      const { processor } = config.markdown
      if (!isSatteri(processor.options)) throw new Error(`The Markdown processor is now ${processor.name}`)
      processor.options.mdastPlugins.push(createBaseUrlPlugin(baseUrl))
      // Error messages on pages must be exact, quotes included.
      processor.options.features.smartPunctuation = false
    },
  },
}

/**
 * Scalar's library for browsers, which its package doesn't export. This configuration runs in Vite, which lacks
 * `import.meta.resolve`.
 */
const scalar = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/api-reference')),
  'browser/standalone.esm.js',
)

/** The docs' own word for the key stands in the viewer's commands, too. */
const keyWord = {
  name: 'devdata-key-word',
  transform: (code: string, id: string) =>
    id.startsWith(dirname(scalar)) ? code.replaceAll('YOUR_SECRET_TOKEN', 'YOUR_KEY') : undefined,
}

/** The options of the default processor that we change. Its package is a dependency of Starlight. */
interface SatteriOptions {
  mdastPlugins: unknown[]
  features: { smartPunctuation?: boolean }
}

function isSatteri(options: unknown): options is SatteriOptions {
  return typeof options === 'object' && options !== null && 'mdastPlugins' in options && 'features' in options
}

export default defineConfig({
  base: `${readBasePath(baseUrl)}/docs`,
  // For canonical URLs, the picture and the sitemap. The service removes what names them if it doesn't know its URL.
  site: new URL(baseUrl).origin,
  trailingSlash: 'always',
  // The root is a folder of this build alone, so that concurrent builds share no file.
  srcDir: source,
  publicDir: join(import.meta.dirname, 'public'),
  cacheDir: './cache',
  // The Content-Security-Policy allows our own files, and inline scripts by hash.
  build: { inlineStylesheets: 'never' },
  vite: {
    build: { assetsInlineLimit: 0 },
    cacheDir: './cache/vite',
    css: { postcss: { plugins: [systemTheme] } },
    plugins: [
      createStyleScopes(dirname(import.meta.dirname)),
      keyWord,
      createScalarPage(join(source, 'scripts/viewer-scalar.ts')),
    ],
    resolve: { alias: { scalar } },
  },
  integrations: [
    baseUrlPlugin,
    starlight({
      title: 'devdata',
      description: 'A read-only HTTP API over users, repositories, commits and dependencies.',
      favicon: '/favicon.svg',
      credits: false,
      logo: { src: join(source, 'assets/mark.svg'), alt: '' },
      customCss: [join(source, 'portal.css'), ...styles.map((name) => join(source, `styles/${name}.css`))],
      components: {
        Footer: join(source, 'components/Footer.astro'),
        Header: join(source, 'components/Header.astro'),
        Hero: join(source, 'components/Home.astro'),
        MarkdownContent: join(source, 'components/MarkdownContent.astro'),
        PageTitle: join(source, 'components/PageTitle.astro'),
        Search: join(source, 'components/Search.astro'),
        Sidebar: join(source, 'components/Sidebar.astro'),
      },
      routeMiddleware: join(source, 'route-data.ts'),
      // The groups at the top are tabs (src/route-data.ts).
      sidebar,
    }),
  ],
})
