/** The feed of the changelog: an item for each version. */

import { getEntry } from 'astro:content'
import rss, { type RSSFeedItem } from '@astrojs/rss'
import type { APIContext } from 'astro'
import { docsPath } from '../docs-path.ts'

/** The versions in the HTML of the changelog, the newest first. A date follows the version if it is released. */
function listVersions(html: string): RSSFeedItem[] {
  return html
    .split(/(?=<h2\b)/)
    .slice(1)
    .map((section) => {
      const [, id = '', title = ''] = /^<h2 id="([^"]+)">(.*?)<\/h2>/s.exec(section) ?? []
      const [date] = /\d{4}-\d{2}-\d{2}/.exec(title) ?? []
      return {
        title,
        link: `${docsPath}/changelog/#${id}`,
        content: section.replace(/^<h2.*?<\/h2>\s*/s, ''),
        ...(date !== undefined && { pubDate: new Date(date) }),
      }
    })
}

/** Writes the feed. */
export async function GET({ site }: APIContext): Promise<Response> {
  const changelog = await getEntry('changelog', 'changelog')
  if (site === undefined || changelog?.rendered === undefined) throw new Error('There is no CHANGELOG.md')
  const items = listVersions(changelog.rendered.html)
  if (items.length === 0 || items.some(({ title }) => !title))
    throw new Error('The changelog has other headings')
  return rss({
    title: 'devdata: changelog',
    description: 'Changes for clients, readers and operators, version by version.',
    site: new URL(`${docsPath}/changelog/`, site).href,
    trailingSlash: false,
    items,
  })
}
