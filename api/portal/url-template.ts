/**
 * Texts that show the service's public URL: pages of the docs, and the OpenAPI document.
 *
 * Without `BASE_URL`, a text shows the URL of its request, and clients can invent any number of hosts. So only the texts
 * of the first few URLs are compressed and cached. The texts of other URLs are joined for each request,
 * from cached parts (decisions/0008-portal.md).
 *
 * @module
 */
import { Buffer } from 'node:buffer'

/** The parts of a text in UTF-8. The URL is missing between each two. */
export type UrlTemplate = readonly Uint8Array[]

/** Creates the template of a text that has a placeholder in place of the URL. */
export function createUrlTemplate(text: string, placeholder: string): UrlTemplate {
  return text.split(placeholder).map((part) => Buffer.from(part))
}

/** Returns the text with a URL. */
export function fillUrlTemplate(template: UrlTemplate, url: string): Uint8Array<ArrayBuffer> {
  const filling = Buffer.from(url)
  return Buffer.concat(template.flatMap((part, index) => (index === 0 ? [part] : [filling, part])))
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
