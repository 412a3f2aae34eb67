/**
 * The reader's API key, for the docs and the viewer alike. `sessionStorage` keeps it across pages and reloads of this tab,
 * until the tab closes.
 *
 * @module
 */

const item = 'devdata-api-key'
const shownItem = 'devdata-api-key-shown'
const changeEvent = 'devdata-key'

/** The key of this tab; undefined if there is none. */
export const readKey = (): string | undefined => sessionStorage.getItem(item) ?? undefined

/** Whether samples show the key in place of `$API_KEY`. */
export const isKeyShown = (): boolean => sessionStorage.getItem(shownItem) !== null

function write(name: string, value: string | undefined): void {
  if (value) sessionStorage.setItem(name, value)
  else sessionStorage.removeItem(name)
}

/** Stores the key, or removes it if it is undefined, and tells every listener. */
export function writeKey(key: string | undefined): void {
  write(item, key)
  if (!key) write(shownItem, undefined)
  document.dispatchEvent(new Event(changeEvent))
}

/** Chooses what samples show, and tells every listener. */
export function showKey(isShown: boolean): void {
  write(shownItem, isShown ? '1' : undefined)
  document.dispatchEvent(new Event(changeEvent))
}

/** Calls `listener` after each change of the key, or of what samples show. */
export function onKeyChange(listener: () => void): void {
  document.addEventListener(changeEvent, listener)
}

// A page that the browser brings back as it was may have missed a change on another one.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) document.dispatchEvent(new Event(changeEvent))
})
