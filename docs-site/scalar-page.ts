/** The script of the page that Scalar writes for Hono, as a module of the viewer. */
import { Scalar } from '@scalar/hono-api-reference'
import { Hono } from 'hono'
import type { Plugin } from 'vite'

/** Leaves out what nobody needs who sends a request, and what would request something from another host. */
const settings: Parameters<typeof Scalar>[0] = {
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showSidebar: false,
  hideSearch: true,
  defaultOpenAllTags: true,
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideDarkModeToggle: true,
  persistAuth: false,
  documentDownloadType: 'none',
  // The page links to `#tag/users/listUsers`, as `linkOperation` in `reference-data.ts` does.
  generateTagSlug: ({ name = '' }) => name.toLowerCase(),
  generateOperationSlug: ({ operationId = '' }) => operationId,
}

/** Creates the plugin. `library` is the module whose `createApiReference` the script calls. */
export function createScalarPage(library: string): Plugin {
  const id = '\0scalar-page'
  return {
    name: 'devdata-scalar-page',
    resolveId: (name) => (name === 'scalar-page' ? id : undefined),
    async load(name) {
      if (name !== id) return undefined
      const page = await new Hono().get('/', Scalar({ ...settings, bundle: library })).request('/')
      const [, script] = /<script type="module">(.*)<\/script>/s.exec(await page.text()) ?? []
      if (script === undefined) throw new Error("Scalar's page has no script that starts it")
      return script
    },
  }
}
