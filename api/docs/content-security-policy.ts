/**
 * What the pages of the portal may load and run.
 *
 * @module
 */
import { createHash } from 'node:crypto'

/** CSP sources of the scripts that stand in an HTML text, each once. Scripts with a `src` are left out. */
export function hashInlineScripts(html: string): string[] {
  const scripts = html.matchAll(/<script(?<attributes>\s[^>]*)?>(?<code>[\s\S]*?)<\/script>/gi)
  const hashes = new Set<string>()
  for (const { groups } of scripts) {
    if (/\ssrc\s*=/i.test(groups?.attributes ?? '') || !groups?.code) continue
    hashes.add(`'sha256-${createHash('sha256').update(groups.code).digest('base64')}'`)
  }
  return [...hashes].sort()
}

/**
 * The Content-Security-Policy of the docs pages. Everything is `'self'`, and:
 * - the few scripts that Starlight writes into its pages are named by hash;
 * - `wasm-unsafe-eval`, because the search (Pagefind) is WebAssembly;
 * - `style` attributes are allowed, because the colors of code samples are such attributes, and a hash
 *   or nonce can't name attributes; `style` elements are not.
 */
export function docsContentSecurityPolicy(scriptHashes: readonly string[]): string {
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...scriptHashes].join(' '),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The Content-Security-Policy of the viewer. Everything is `'self'`, and:
 * - the one script in the page itself, which starts the viewer, is named by hash;
 * - inline styles are allowed, because the viewer sets `style` attributes and adds `style` elements while
 *   it runs, and neither hash nor nonce can name the former;
 * - pictures may be `data:` and `blob:`, which is how the viewer shows a picture that an answer holds;
 * - requests may go to the API itself, also when the page was opened by another of its addresses.
 */
export function viewerContentSecurityPolicy(scriptHashes: readonly string[], apiOrigin?: string): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...(apiOrigin ? [apiOrigin] : [])].join(' '),
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
