/** Content-Security-Policy of the portal's pages (decisions/0008-portal.md). */
import { createHash } from 'node:crypto'

/** CSP sources of the inline scripts of an HTML text, each once. Ignores scripts with a `src`. */
export function hashInlineScripts(html: string): string[] {
  const scripts = html.matchAll(/<script(?<attributes>\s[^>]*)?>(?<code>[\s\S]*?)<\/script>/gi)
  const hashes = new Set<string>()
  for (const { groups } of scripts) {
    if (/\ssrc\s*=/i.test(groups?.attributes ?? '') || !groups?.code) continue
    hashes.add(`'sha256-${createHash('sha256').update(groups.code).digest('base64')}'`)
  }
  return [...hashes].sort()
}

/** Writes a policy in which everything comes from this host, with further sources for some directives. */
function writePolicy(scriptHashes: readonly string[], more: Readonly<Record<string, string>>): string {
  const sources = {
    'default-src': "'none'",
    'script-src': ["'self' 'wasm-unsafe-eval'", ...scriptHashes].join(' '),
    'style-src': "'self'",
    'style-src-attr': "'unsafe-inline'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'worker-src': "'self'",
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  }
  return Object.entries(sources)
    .map(([name, own]) => `${name} ${own}${more[name] ? ` ${more[name]}` : ''}`)
    .join('; ')
}

/**
 * The policy of the docs pages. Everything comes from `'self'`, with these additions:
 * - Starlight's inline scripts, by hash;
 * - `wasm-unsafe-eval`, because the search (Pagefind) is WebAssembly;
 * - `style` attributes, which color code samples: a hash or nonce can't name attributes.
 */
export const docsContentSecurityPolicy = (scriptHashes: readonly string[]): string =>
  writePolicy(scriptHashes, {})

/**
 * The policy of the viewer. It is that of the docs, with these additions:
 * - inline styles, because Scalar adds `style` elements;
 * - `data:` and `blob:`, with which Scalar shows images in responses;
 * - requests to the API's public origin, even if the page was opened at another origin.
 */
export const viewerContentSecurityPolicy = (
  scriptHashes: readonly string[],
  publicOrigin: string | undefined,
): string =>
  writePolicy(scriptHashes, {
    'style-src': "'unsafe-inline'",
    'img-src': 'blob:',
    'font-src': 'data:',
    'connect-src': publicOrigin ?? '',
    'worker-src': 'blob:',
  })
