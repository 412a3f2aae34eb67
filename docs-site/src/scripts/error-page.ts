/**
 * What the errors page says about a message. It is read only when an error comes, so pages carry no list of messages.
 *
 * @module
 */
import { docsPath } from '../docs-path.ts'
import { createElement } from './elements.ts'

const errorsUrl = `${docsPath}/errors/`

/** Numbers differ in messages of the same kind. */
const readKind = (message: string) => message.replace(/\d+/g, '0')

function countCommon(one: string, other: string): number {
  let count = 0
  while (count < one.length && one[count] === other[count]) count++
  return count
}

/** The message as a link to its section, and the section's first paragraph. */
export async function explainError(message: string): Promise<HTMLElement[]> {
  const link = createElement('a', { href: errorsUrl }, message)
  // Without the page, there is still the message.
  const page = await fetch(errorsUrl)
    .then((response) => response.text())
    .catch(() => '')
  const kind = readKind(message)
  const [best] = [...new DOMParser().parseFromString(page, 'text/html').querySelectorAll('h3[id]')]
    .map((heading) => ({ heading, common: countCommon(kind, readKind(heading.textContent)) }))
    .sort((one, other) => other.common - one.common)
  // Messages of the same kind begin with the same two words.
  if (!best || best.common < Math.min(kind.length, 12)) return [createElement('p', {}, link)]
  link.setAttribute('href', `${errorsUrl}#${best.heading.id}`)
  const text = best.heading.closest('.sl-heading-wrapper')?.nextElementSibling
  return [createElement('p', {}, link), ...(text ? [document.importNode(text as HTMLElement, true)] : [])]
}
