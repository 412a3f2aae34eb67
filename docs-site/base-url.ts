/**
 * The API's URL in Markdown pages.
 *
 * A page writes `{base_url}` where readers see that URL, and starts links inside the service with a slash
 * (`/docs/errors/`, `/api-docs`). The build completes both, so that the sources are the same for every deployment.
 */
import { readBasePath } from '../api/config.ts'

/**
 * Stands for the API's URL in pages built without `BASE_URL`. The service replaces it with the origin of each request.
 */
export const originPlaceholder = 'http://origin.invalid'

/** Nodes of a Markdown tree that hold text or a URL; `mdast` names their fields. */
interface TextNode {
  type: 'text' | 'code' | 'inlineCode'
  value: string
}
interface LinkNode {
  type: 'link' | 'image' | 'definition'
  url: string
}
interface MarkdownContext {
  setProperty(node: object, key: string, value: string): void
}

/**
 * A plugin for Astro's Markdown processor that replaces `{base_url}` and prefixes internal links with the base path.
 */
export function createBaseUrlPlugin(baseUrl: string) {
  const basePath = readBasePath(baseUrl)
  const completeText = (node: Readonly<TextNode>, context: MarkdownContext) => {
    if (!node.value.includes('{base_url}')) return
    context.setProperty(node, 'value', node.value.replaceAll('{base_url}', baseUrl))
  }
  const completeUrl = (node: Readonly<LinkNode>, context: MarkdownContext) => {
    if (/^\/(?!\/)/.test(node.url)) context.setProperty(node, 'url', basePath + node.url)
  }
  return {
    name: 'devdata-base-url',
    text: completeText,
    code: completeText,
    inlineCode: completeText,
    link: completeUrl,
    image: completeUrl,
    definition: completeUrl,
  }
}
