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

/**
 * The policy of the docs pages. Everything comes from `'self'`, with these additions:
 * - Starlight's inline scripts, by hash;
 * - `wasm-unsafe-eval`, because the search (Pagefind) is WebAssembly;
 * - `style` attributes, which color code samples: a hash or nonce can't name attributes.
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
 * The policy of the viewer. Everything comes from `'self'`, with these additions:
 * - the inline script that starts the viewer, by hash;
 * - inline styles, because the viewer sets `style` attributes and adds `style` elements;
 * - `data:` and `blob:` images, with which the viewer shows images in responses;
 * - requests to the API's public origin, even if the page was opened at another origin.
 */
export function viewerContentSecurityPolicy(
  scriptHashes: readonly string[],
  publicOrigin: string | undefined,
): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...(publicOrigin === undefined ? [] : [publicOrigin])].join(' '),
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
