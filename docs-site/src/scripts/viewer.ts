/**
 * The page of the viewer. Scalar's library takes the place of the list of endpoints once the reader has chosen one: it
 * blocks the page while it starts, for a second on a desktop, and for several on a slow phone.
 */
import { find } from './elements.ts'

const state = find('#viewer-state', HTMLOutputElement)
const menu = find('#starlight__sidebar', HTMLElement)
let isStarted = false

async function start(): Promise<void> {
  // On phones, the menu lies over the page that its link leads to.
  if (menu.matches(':popover-open')) menu.hidePopover()
  if (isStarted || !location.hash.startsWith('#tag/')) return
  isStarted = true
  state.textContent = 'Loading the viewer …'
  try {
    const { startScalar } = await import('./viewer-scalar.ts')
    await import('scalar-page')
    await startScalar()
  } catch (error) {
    isStarted = false
    state.textContent = 'The viewer can’t be loaded. Choose an endpoint to try again.'
    console.error(error)
  }
}

addEventListener('hashchange', start)
void start()
