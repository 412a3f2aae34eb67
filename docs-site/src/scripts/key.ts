/**
 * The reader's API key, for the docs and the viewer alike. `sessionStorage` keeps it across pages and reloads of this
 * tab, until the tab closes. Where the browser blocks that, as it does with cookies, the key lasts as long as the page.
 */

const item = 'devdata-api-key'
const shownItem = 'devdata-api-key-shown'
const keyEvent = 'devdata-key'
const shownEvent = 'devdata-key-shown'

/** Finds the tab's storage. Where it is blocked, even its name throws. */
function findStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  try {
    if (sessionStorage !== null) return sessionStorage // it is null in some apps that show web pages
  } catch {}
  const items = new Map<string, string>()
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  }
}

const storage = findStorage()

/** The key of this tab; undefined if there is none. */
export const readKey = (): string | undefined => storage.getItem(item) ?? undefined

/** Whether samples show the key in place of `$DEVDATA_API_KEY`. */
export const isKeyShown = (): boolean => storage.getItem(shownItem) !== null

function write(name: string, value: string | undefined): void {
  if (value) storage.setItem(name, value)
  else storage.removeItem(name)
}

let knownKey = readKey()
let wasShown = isKeyShown()

/** Tells the listeners of what has changed. */
function tellListeners(): void {
  const [key, isShown] = [readKey(), isKeyShown()]
  const events = [...(key === knownKey ? [] : [keyEvent]), ...(isShown === wasShown ? [] : [shownEvent])]
  knownKey = key
  wasShown = isShown
  for (const name of events) document.dispatchEvent(new Event(name))
}

/** Stores the key, or removes it if it is undefined, and tells every listener of a change. */
export function writeKey(key: string | undefined): void {
  write(item, key)
  if (!key) write(shownItem, undefined)
  tellListeners()
}

/** Chooses what samples show, and tells every listener of a change. */
export function showKey(isShown: boolean): void {
  write(shownItem, isShown ? '1' : undefined)
  tellListeners()
}

/** Calls `listener` after each change of the key. */
export function onKeyChange(listener: () => void): void {
  document.addEventListener(keyEvent, listener)
}

/** Calls `listener` after the reader has chosen to show the key in samples, or to hide it. */
export function onShownChange(listener: () => void): void {
  document.addEventListener(shownEvent, listener)
}

// A page that the browser brings back as it was may have missed a change on another one.
addEventListener('pageshow', tellListeners)
