/**
 * Texts that the service completes as it sends them: pages of the docs, and the OpenAPI document. They show the
 * service's public URL, and pages have slots (`slots.ts`).
 *
 * Without `BASE_URL`, a text shows the URL of its request, and clients can invent any number of hosts. So only the
 * texts of the first few URLs are compressed and cached. The texts of other URLs are joined for each request, from
 * cached parts (decisions/0008-portal.md).
 */
import { Buffer } from 'node:buffer'

/** The parts of a text: UTF-8, and between them the placeholders as they stand there. */
export type PageTemplate = readonly (Uint8Array | string)[]

/** Creates the template of a text with placeholders. */
export function createTemplate(text: string, placeholders: readonly string[]): PageTemplate {
  const escaped = placeholders.map((each) => each.replace(/[^\w\s]/g, '\\$&'))
  const pattern = new RegExp(`(${escaped.join('|')})`)
  return text.split(pattern).map((part, index) => (index % 2 === 0 ? Buffer.from(part) : part))
}

/** Returns the text with a value in place of each placeholder. */
export function fillTemplate(
  template: PageTemplate,
  fill: (placeholder: string) => string,
): Uint8Array<ArrayBuffer> {
  return Buffer.concat(template.map((part) => (typeof part === 'string' ? Buffer.from(fill(part)) : part)))
}

/** URLs whose texts are compressed and cached. All of them fit into the cache of the docs. */
const maxCachedUrls = 8

/** Whether the texts of a URL are compressed and cached: it is one of the first that are asked about. */
export type IsCachedUrl = (url: string) => boolean

/** Creates the predicate that the docs and the OpenAPI document share. */
export function createUrlCap(): IsCachedUrl {
  const urls = new Set<string>()
  return (url) => {
    if (urls.size < maxCachedUrls) urls.add(url)
    return urls.has(url)
  }
}
