/** Creates and finds elements, and closes dialogs. */

/** Creates an element with properties and content. Text is never HTML. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...content: (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...content)
  return element
}

/** Creates a button. */
export const createButton = (text: string, onclick: () => void, className = ''): HTMLButtonElement =>
  createElement('button', { type: 'button', className, onclick }, text)

/** Finds an element of the page. Throws an `Error` if the page lacks it, or it has another type. */
export function find<T extends Element>(selector: string, type: { new (): T }): T {
  const element = document.querySelector(selector)
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}`)
  return element
}

/** Closes a dialog on a click beside what it has, unless the click began inside: then it has selected text. */
export function closeOnClickBeside(dialog: HTMLDialogElement): void {
  let pressed: EventTarget | null = null
  dialog.addEventListener('pointerdown', ({ target }) => {
    pressed = target
  })
  // The dialog itself is clicked only outside of what it has.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog && pressed === dialog) dialog.close()
  })
}
