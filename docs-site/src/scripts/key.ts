/**
 * The reader's API key, for the docs and the viewer alike. `sessionStorage` keeps it across pages and reloads of this tab,
 * until the tab closes.
 *
 * @module
 */

const item = 'devdata-api-key'
const changeEvent = 'devdata-key'

/** The key of this tab; undefined if there is none. */
export const readKey = (): string | undefined => sessionStorage.getItem(item) ?? undefined

/** Stores the key, or removes it if it is undefined, and tells every listener. */
export function writeKey(key: string | undefined): void {
  if (key) sessionStorage.setItem(item, key)
  else sessionStorage.removeItem(item)
  document.dispatchEvent(new Event(changeEvent))
}

/** Calls `listener` after each change of the key. */
export function onKeyChange(listener: () => void): void {
  document.addEventListener(changeEvent, listener)
}
