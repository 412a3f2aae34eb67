/** Finds an element of the page. Throws an `Error` if the page lacks it, or it has another type. */
export function find<T extends Element>(selector: string, type: { new (): T }): T {
  const element = document.querySelector(selector)
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}`)
  return element
}
