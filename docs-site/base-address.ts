/**
 * Where the portal will be served, and how Markdown pages name it.
 *
 * A page writes `{base_url}` wherever the reader should see the address of the API, in prose and in
 * samples alike, and starts links inside the service with a slash (`/docs/errors/`, `/api-docs`).
 * Both are completed when the pages are built, so the sources are the same for every deployment.
 */

/**
 * What the built pages hold when no `BASE_URL` is set. The API puts the origin of each request in its place, because only
 * a request says by which address a reader reaches the service.
 */
export const originPlaceholder = 'http://origin.invalid'

/**
 * Checks a `BASE_URL` and takes the slashes off its end; an empty or missing one is `undefined`.
 *
 * @throws {Error} when it is no absolute http or https URL, or carries a query, fragment, user or escape
 */
export function normalizeBaseUrl(baseUrl: string | undefined): string | undefined {
  const text = baseUrl?.trim()
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isBase = url && /^https?:$/.test(url.protocol) && /^[\w.~/-]*$/.test(url.pathname)
  if (!isBase || url.search || url.hash || url.username || url.password) {
    throw new Error(
      `BASE_URL is "${text}", but must be an http or https address without query, fragment or escapes`,
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** The path of a normalised base URL without a slash at its end: '' or, for example, '/public-api'. */
export function readBasePath(baseUrl: string | undefined): string {
  return baseUrl ? new URL(baseUrl).pathname.replace(/\/+$/, '') : ''
}

/** The nodes of a Markdown tree that can carry an address; `mdast` names their fields. */
interface TextNode {
  type: 'text' | 'code' | 'inlineCode'
  value: string
}
interface AddressedNode {
  type: 'link' | 'image' | 'definition'
  url: string
}
interface MarkdownContext {
  setProperty(node: object, key: string, value: string): void
}

/**
 * A Markdown plugin for Astro's processor that puts the base URL in place of `{base_url}` and its
 * path in front of links that start with a slash.
 */
export function createBaseAddressPlugin(baseUrl: string | undefined) {
  const basePath = readBasePath(baseUrl)
  const complete = (text: string) => text.replaceAll('{base_url}', baseUrl ?? originPlaceholder)
  const completeValue = (node: Readonly<TextNode>, context: MarkdownContext) => {
    if (node.value.includes('{base_url}')) context.setProperty(node, 'value', complete(node.value))
  }
  const completeUrl = (node: Readonly<AddressedNode>, context: MarkdownContext) => {
    if (/^\/(?!\/)/.test(node.url)) context.setProperty(node, 'url', basePath + node.url)
  }
  return {
    name: 'devdata-base-address',
    text: completeValue,
    code: completeValue,
    inlineCode: completeValue,
    link: completeUrl,
    image: completeUrl,
    definition: completeUrl,
  }
}
