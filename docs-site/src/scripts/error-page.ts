/**
 * What the errors page says about a message. It is read only when an error comes, so pages carry no list of messages.
 */
import { docsPath } from '../docs-path.ts'
import { createElement } from './elements.ts'
import { findMessage, readPasted } from './error-messages.ts'

const errorsUrl = `${docsPath}/errors/`

/** The errors page; undefined if it can't be loaded. */
async function loadErrorsPage(): Promise<Document | undefined> {
  const text = await fetch(errorsUrl)
    .then((response) => response.text())
    .catch(() => undefined)
  return text === undefined ? undefined : new DOMParser().parseFromString(text, 'text/html')
}

/** The message as a link to its section, and the section's first paragraph. A code has the line of the table. */
export async function explainError(message: string, from?: Document): Promise<HTMLElement[]> {
  const page = from ?? (await loadErrorsPage())
  const link = createElement('a', { href: errorsUrl }, message)
  const rows = [...(page?.querySelectorAll('td:first-child > code') ?? [])]
  const row = rows.find((code) => code.textContent === message)?.closest('tr')
  if (row) return [createElement('p', {}, `${message}: ${row.lastElementChild?.textContent ?? ''}`)]
  const section = [...(page?.querySelectorAll('h2[id]') ?? [])].find(({ textContent }) =>
    /^\d{3}$/.test(message) ? textContent.startsWith(`${message} `) : false,
  )
  if (section) {
    const toSection = createElement('a', { href: `${errorsUrl}#${section.id}` }, section.textContent)
    return [createElement('p', {}, toSection), createElement('p', {}, 'All messages with this status.')]
  }
  const headings = [...(page?.querySelectorAll('h3[id]') ?? [])]
  const heading = findMessage(message, headings, ({ textContent }) => textContent)
  // Without the page, there is still the message.
  if (!heading) return [createElement('p', {}, link)]
  link.setAttribute('href', `${errorsUrl}#${heading.id}`)
  const text = heading.closest('.sl-heading-wrapper')?.nextElementSibling
  return [createElement('p', {}, link), ...(text ? [document.importNode(text as HTMLElement, true)] : [])]
}

/** Starts the field of the errors page into which readers paste a message. */
export function startErrorFinder(form: HTMLFormElement): void {
  const field = form.querySelector('input')
  const found = form.querySelector('[role="status"]')
  if (!field || !found) throw new Error('The field for a message is incomplete')
  const update = async () => {
    const message = readPasted(field.value)
    const parts = message === '' ? [] : await explainError(message, document)
    const isFound = parts.length > 1 || parts[0]?.querySelector('a') === null
    found.replaceChildren(
      ...(isFound
        ? parts
        : message === ''
          ? []
          : ['No message of this page begins like this. Try the X-Error-Code of the response.']),
    )
  }
  field.addEventListener('input', () => void update())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    found.querySelector('a')?.click()
  })
}
