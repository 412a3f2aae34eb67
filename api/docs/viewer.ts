/**
 * The interactive viewer at `/api-docs`: Scalar's API reference on our own `openapi.json`. All scripts come from the
 * docs folder (decisions/0008-portal.md); `docs-site/viewer.ts` is the one that starts the viewer.
 *
 * @module
 */
import type { Hono } from 'hono'
import type { HonoEnvironment } from '../http/request-context.ts'
import { sendDocument, setHeader } from '../http/send.ts'
import { viewerContentSecurityPolicy } from './content-security-policy.ts'
import { type DocsFinder, viewerFiles } from './docs-manifest.ts'

/** Headers that proxies add: the client is then on another machine. */
const proxyHeaders = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP']

/** Whether a request comes from this machine: it has a local host and no sign of a proxy. */
function isLocal(request: Request): boolean {
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(request.url).hostname) &&
    !proxyHeaders.some((name) => request.headers.has(name))
  )
}

/** Adds `/api-docs`. The route throws an `ApiError` (503) if no docs are built for this `BASE_URL`. */
export function addViewerRoute(
  app: Hono<HonoEnvironment>,
  options: {
    findDocs: DocsFinder
    /** Origin of `BASE_URL`, to which the viewer sends requests; undefined: the page's own. */
    publicOrigin: string | undefined
    /** The demo key that the page offers on this machine; undefined outside a trial. */
    readDemoKey: (() => string | undefined) | undefined
  },
): void {
  const policy = viewerContentSecurityPolicy(options.publicOrigin)
  app.get('/api-docs', async (c) => {
    const { viewer } = await options.findDocs()
    const demoKey = isLocal(c.req.raw) ? options.readDemoKey?.() : undefined
    setHeader(c, 'Content-Security-Policy', policy)
    const page = writePage(`docs/${viewer}`, demoKey)
    return sendDocument(c, page, 'text/html; charset=UTF-8', demoKey ? 'no-store' : 'no-cache')
  })
}

/** The page. Its URLs are relative to `/api-docs`, so it is the same under every base path. */
function writePage(assets: string, demoKey: string | undefined): string {
  const demo = demoKey
    ? `<button type="button" id="demo" data-demo-key="${demoKey}">Use the demo key</button>`
    : ''
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>API viewer | devdata</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="description" content="Try every endpoint of devdata in the browser." />
    <link rel="icon" href="docs/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="${assets}/${viewerFiles.style}" />
    <link rel="modulepreload" href="${assets}/${viewerFiles.library}" />
    <link rel="preload" href="openapi.json" as="fetch" crossorigin="anonymous" />
    <script type="module" src="${assets}/${viewerFiles.script}"></script>
  </head>
  <body>
    <a class="skip" href="#app">Skip to the endpoints</a>
    <header>
      <a class="mark" href="docs/">
        <img src="docs/favicon.svg" alt="" width="28" height="28" />
        <span>devdata</span> <small>docs</small>
      </a>
      <form id="key-form" autocomplete="off">
        <label for="key">API key</label>
        <input
          id="key"
          type="text"
          spellcheck="false"
          autocapitalize="off"
          autocomplete="off"
          placeholder="00000000-0000-4000-8000-000000000000"
          aria-describedby="key-state"
        />
        <button type="submit">Use</button>
        ${demo}
        <button type="button" id="forget" hidden>Forget</button>
        <output id="key-state" for="key">Kept in this tab only, sent to this API only.</output>
      </form>
      <button type="button" id="theme" aria-label="Dark or light">
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
          <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2" />
          <path d="M12 4a8 8 0 0 1 0 16Z" fill="currentColor" />
        </svg>
      </button>
    </header>
    <div id="app"><p class="loading">Loading the viewer …</p></div>
    <noscript>
      <p class="loading">
        The viewer needs JavaScript. The same is written in the <a href="docs/reference/">reference</a> and in
        <a href="openapi.yml">openapi.yml</a>.
      </p>
    </noscript>
  </body>
</html>`
}
