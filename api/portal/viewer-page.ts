/**
 * The page of the viewer: Scalar's page with a header bar, a first view, and further elements in its head.
 *
 * All of its URLs are relative to `/api-docs`, so the page is the same under every base path.
 */

import { type DocsManifest, viewerFiles } from './docs-manifest.ts'

/** The variable parts of the page. */
export interface ViewerFrame extends Pick<DocsManifest['viewer'], 'font' | 'library' | 'firstView'> {
  /** URL of the viewer's folder, relative to the page. */
  assets: string
  /** The demo key of a trial. */
  demoKey: string | undefined
  /** HTML that says where to get a key. */
  keySource: string
}

/** Sets the theme before the first paint: the one chosen in the docs, or the system's. */
const themeScript =
  "document.documentElement.dataset.theme = localStorage.getItem('starlight-theme') || (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark')"

/** Completes Scalar's page. Throws an `Error` if a new version of Scalar renders an unexpected page. */
export function completeViewerPage(page: string, frame: ViewerFrame): string {
  const parts: [before: string, after: string][] = [
    ['<html>', '<html lang="en">'],
    ['</head>', `${writeHead(frame)}\n  </head>`],
    ['<div id="app"></div>', writeBody(frame)],
  ]
  return parts.reduce((text, [before, after]) => {
    if (text.split(before).length !== 2) throw new Error(`Scalar's page must contain ${before} once`)
    return text.replace(before, () => after)
  }, page)
}

function writeHead({ assets, font }: ViewerFrame): string {
  return `  <meta name="description" content="Try every endpoint of devdata in the browser." />
    <link rel="icon" href="docs/favicon.svg" type="image/svg+xml" />
    <script>${themeScript}</script>
    <link rel="preload" href="docs/${font}" as="font" type="font/woff2" crossorigin />
    <link rel="stylesheet" href="${assets}/${viewerFiles.style}" />`
}

function writeBody({ assets, demoKey, keySource, firstView, library }: ViewerFrame): string {
  const files = library.map((name) => `<link rel="prefetch" href="${assets}/${name}" as="script" />`)
  const demo = demoKey
    ? `<button type="button" id="demo" data-demo-key="${demoKey}">Use the demo key</button>`
    : ''
  return `<a class="skip" href="#app">Skip to the endpoints</a>
    <header>
      <a class="mark" href="docs/">
        <img src="docs/favicon.svg" alt="" width="28" height="28" />
        <span>devdata</span>
      </a>
      <nav class="tabs" aria-label="Parts">
        <a href="docs/quickstart/">Guides</a>
        <a href="docs/reference/" aria-current="true">Reference</a>
        <a href="docs/running/">Operators</a>
      </nav>
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
        ${demoKey ? '' : `<span id="key-source">${keySource}</span>`}
      </form>
      <button type="button" id="theme" aria-label="Dark or light">
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
          <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2" />
          <path d="M12 4a8 8 0 0 1 0 16Z" fill="currentColor" />
        </svg>
      </button>
    </header>
    <div id="app" tabindex="-1">${firstView}</div>
    <dialog id="price" aria-labelledby="price-text">
      <form method="dialog">
        <p id="price-text"></p>
        <button id="price-accept" value="accept"></button>
        <button value="">Don’t send</button>
      </form>
    </dialog>
    <aside id="receipt" popover="manual" aria-label="Receipt"></aside>
    <output id="viewer-state"></output>
    <template id="library">${files.join('')}</template>`
}
