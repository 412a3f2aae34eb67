/**
 * The script of `/api-docs`: the reader's key, the theme, and the time at which Scalar's library replaces the first
 * view.
 *
 * The library blocks the page while it starts: for a second on a desktop, for several on a slow phone. So it starts at
 * the first sign that the reader will use it: a link to an operation, or a mouse that moves. URLs are relative to the
 * page, which is at the API's root.
 */
import { find } from './src/scripts/elements.ts'
import { startKeyForm } from './viewer-key-form.ts'
import { startScalar } from './viewer-scalar.ts'
import { readTheme, setTheme } from './viewer-theme.ts'

/** Safari has no idle callbacks. */
const whenIdle = (callback: () => void) =>
  'requestIdleCallback' in globalThis ? requestIdleCallback(callback) : setTimeout(callback, 1_000)

/** Fetches the library without running it: its 0.7 MB must neither delay the first view nor the reader's first click. */
function prefetchLibrary(): void {
  document.head.append(find('#library', HTMLTemplateElement).content)
}

/**
 * Starts the page. The page of `api/portal/viewer.ts` calls this function with Scalar's arguments, in place of Scalar's
 * function of the same name.
 */
export function createApiReference(selector: string, settings: { url: string }): void {
  // Scalar leaves this space at the top free. The bar's height depends on its text; a part of it may scroll away.
  const bar = find('header', HTMLElement)
  new ResizeObserver(() => {
    const height = bar.offsetHeight + Number.parseFloat(getComputedStyle(bar).top)
    document.documentElement.style.setProperty('--scalar-custom-header-height', `${height}px`)
  }).observe(bar)

  const sayCredits = startKeyForm()
  setTheme(readTheme())
  find('#theme', HTMLButtonElement).addEventListener('click', () =>
    setTheme(readTheme() === 'dark' ? 'light' : 'dark', { store: true }),
  )
  // Paper is white in every theme.
  matchMedia('print').addEventListener('change', ({ matches }) => setTheme(matches ? 'light' : readTheme()))

  const app = find(selector, HTMLElement)
  const state = find('#viewer-state', HTMLOutputElement)
  let isStarted = false
  function start(): void {
    if (isStarted) return
    isStarted = true
    app.ariaBusy = 'true'
    state.textContent = 'Loading the viewer …'
    startScalar(selector, settings, sayCredits)
      .then(() => {
        state.textContent = ''
      })
      .catch((error: unknown) => {
        isStarted = false
        state.textContent = 'The viewer can’t be loaded. Choose an endpoint to try again.'
        console.error(error)
      })
      .finally(() => {
        app.ariaBusy = null
      })
  }
  if (location.hash) start()
  else addEventListener('load', () => whenIdle(prefetchLibrary))
  addEventListener('hashchange', start)
  addEventListener('pointermove', ({ pointerType }) => {
    // A finger may only want to scroll.
    if (pointerType === 'mouse') start()
  })
}
