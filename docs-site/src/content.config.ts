import { defineCollection } from 'astro:content'
import { readFile } from 'node:fs/promises'
import { docsLoader } from '@astrojs/starlight/loaders'
import { docsSchema } from '@astrojs/starlight/schema'
import type { Loader, LoaderContext } from 'astro/loaders'
import { z } from 'astro/zod'
import { changelogPath, loadReference } from '../reference.ts'

/** Fields of the reference with Markdown. */
const markdownFields = new Set(['description', 'meaning'])

/** Renders the Markdown of the reference as pages do. */
async function renderTexts(value: unknown, render: (text: string) => Promise<string>): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => renderTexts(item, render)))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(async ([name, field]) => [
    name,
    markdownFields.has(name) && typeof field === 'string'
      ? await render(field)
      : await renderTexts(field, render),
  ])
  return Object.fromEntries(await Promise.all(fields))
}

/** Loads tags, endpoints or resources from openapi.yml. */
function referenceLoader(kind: 'tags' | 'endpoints' | 'resources'): Loader {
  return {
    name: `devdata-${kind}`,
    async load({ store, parseData, renderMarkdown }: LoaderContext) {
      store.clear()
      for (const item of loadReference()[kind]) {
        const rendered = await renderTexts(item, async (text) => {
          // openapi.yml links pages relative to its own URL.
          return (await renderMarkdown(text.replaceAll('](docs/', '](/docs/'))).html
        })
        const data = await parseData({ id: item.id, data: rendered as Record<string, unknown> })
        store.set({ id: item.id, data })
      }
    },
  }
}

/** Loads CHANGELOG.md without its heading: the page has its own. */
const changelogLoader: Loader = {
  name: 'devdata-changelog',
  async load({ store, renderMarkdown }: LoaderContext) {
    const text = (await readFile(changelogPath, 'utf8')).replace(/^# .*\n/, '')
    store.set({ id: 'changelog', data: {}, rendered: await renderMarkdown(text) })
  },
}

/**
 * What readers type who look for the page: phrases with commas between, each on the page that answers it best. Only the
 * search sees them (scripts/search-rank.ts).
 */
const keywords = z.string().optional()

export const collections = {
  docs: defineCollection({
    loader: docsLoader(),
    schema: docsSchema({ extend: z.object({ keywords }) }),
  }),
  tags: defineCollection({ loader: referenceLoader('tags') }),
  endpoints: defineCollection({ loader: referenceLoader('endpoints') }),
  resources: defineCollection({ loader: referenceLoader('resources') }),
  changelog: defineCollection({ loader: changelogLoader }),
}
