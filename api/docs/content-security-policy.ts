/**
 * Content-Security-Policy of the portal's pages (decisions/0008-portal.md).
 *
 * @module
 */
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
 * - inline styles, because the viewer sets `style` attributes and adds `style` elements;
 * - `data:` and `blob:` images, with which the viewer shows images in responses;
 * - requests to the API's public origin, even if the page was opened at another origin.
 */
export function viewerContentSecurityPolicy(publicOrigin: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self'${publicOrigin === undefined ? '' : ` ${publicOrigin}`}`,
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
