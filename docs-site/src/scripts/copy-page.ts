/** The button that copies a page as Markdown. */
import { createElement } from './elements.ts'

const shownMs = 2_000

async function load(path: string): Promise<Blob> {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${path} is ${response.status}`)
  return new Blob([await response.text()], { type: 'text/plain' })
}

/**
 * Copies the Markdown at the button's `data-path`. Where a page may not copy, as over plain HTTP, it opens that
 * instead.
 */
export function startCopyPage(button: HTMLButtonElement): void {
  const label = button.textContent ?? ''
  const path = button.dataset.path ?? ''
  // Screen readers say a text that changes here, but not one of a button.
  const status = createElement('span', { className: 'sr-only', role: 'status' })
  button.after(status)
  const show = (text: string) => {
    button.textContent = text || label
    status.textContent = text
  }
  button.addEventListener('click', async () => {
    try {
      // Safari copies only in the click itself, so the text comes later.
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': load(path) })])
      show('Copied')
      setTimeout(() => show(''), shownMs)
    } catch {
      location.assign(path)
    }
  })
}
