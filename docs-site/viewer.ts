/**
 * The script of `/api-docs`: stores the reader's key, and starts Scalar's API reference on our `openapi.json`.
 *
 * `sessionStorage` keeps the key across reloads of this tab, until it closes. Only requests to this API get the key. URLs
 * are relative to the page, which is at the API's root.
 *
 * @module
 */
import { repairMarkup } from './viewer-repairs.ts'

/** The part of Scalar's library that we use. Its own types need packages that we don't have. */
interface Library {
  createApiReference(
    selector: string,
    configuration: object,
  ): { updateConfiguration(configuration: object): void }
}

/** The parts of `openapi.json` that this script reads. */
interface Specification {
  paths: Record<string, Record<string, { operationId: string; tags?: string[] }>>
  servers: { url: string }[]
  components: { parameters: Record<string, { in: string; name: string; example?: unknown }> }
}

const keyItem = 'devdata-api-key'
/** Starlight's item with the theme chosen in the docs: `dark`, `light` or empty. */
const themeItem = 'starlight-theme'

function find<T extends Element>(selector: string, type: { new (): T }): T {
  const element = document.querySelector(selector)
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}`)
  return element
}

const writeTagSlug = (tag: string) => tag.toLowerCase()

/** The URLs of operations on this page, by method and path: `get /users`. */
function listOperations({ paths }: Specification): ReadonlyMap<string, string> {
  const urls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, tags = [] }]) =>
      tags.map((tag): [string, string] => [`${method} ${path}`, `#tag/${writeTagSlug(tag)}/${operationId}`]),
    ),
  )
  return new Map(urls)
}

/**
 * Starts the viewer. The page of `api/docs/viewer.ts` calls this function with Scalar's arguments, in place of Scalar's
 * function of the same name.
 */
export async function createApiReference(selector: string, settings: { url: string }): Promise<void> {
  const input = find('#key', HTMLInputElement)
  const state = find('#key-state', HTMLOutputElement)
  const demo = document.querySelector<HTMLButtonElement>('#demo')
  const forget = find('#forget', HTMLButtonElement)

  // Scalar leaves this space at the top free. The bar's height depends on its text.
  const bar = find('header', HTMLElement)
  new ResizeObserver(() => {
    document.documentElement.style.setProperty('--scalar-custom-header-height', `${bar.offsetHeight}px`)
  }).observe(bar)

  const readKey = () => sessionStorage.getItem(keyItem) ?? ''
  const explanation = state.textContent
  let role = 'user'
  function say(text: string, kind: 'good' | 'bad' | '' = '') {
    state.textContent = text
    state.dataset.state = kind
  }
  const sayCredits = (credits: string) =>
    say(
      role === 'admin' ? 'An admin key: not charged' : `${Number(credits).toLocaleString('en')} credits left`,
      'good',
    )

  /** Requests the balance, which is free, to see whether the key works. */
  async function checkKey(): Promise<void> {
    const key = readKey()
    if (!key) return say(explanation)
    try {
      const response = await fetch('api-key/credits', { headers: { Authorization: `Bearer ${key}` } })
      const body: { error?: string; remaining_credits?: number; role?: string } = await response.json()
      if (key !== readKey()) return // the reader has entered another key
      role = body.role ?? 'user'
      if (response.ok) sayCredits(String(body.remaining_credits))
      else say(body.error ?? `The response has status ${response.status}`, 'bad')
    } catch {
      say('The API is unreachable', 'bad')
    }
  }

  function useKey(key: string): void {
    if (key) sessionStorage.setItem(keyItem, key)
    else sessionStorage.removeItem(keyItem)
    input.value = key
    forget.hidden = !key
    if (demo) demo.hidden = key === demo.dataset.demoKey
    void checkKey()
  }

  find('#key-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    useKey(input.value.trim())
  })
  demo?.addEventListener('click', () => useKey(demo.dataset.demoKey ?? ''))
  forget.addEventListener('click', () => {
    useKey('')
    input.focus()
  })
  useKey(readKey())

  const prefersDark = matchMedia('(prefers-color-scheme: dark)')
  const readTheme = () => localStorage.getItem(themeItem) || (prefersDark.matches ? 'dark' : 'light')
  const setTheme = (theme: string) => {
    document.documentElement.dataset.theme = theme
    document.body.classList.toggle('dark-mode', theme === 'dark')
    document.body.classList.toggle('light-mode', theme !== 'dark')
  }
  setTheme(readTheme())

  // The document's server: BASE_URL, or this page's own origin.
  const specification: Specification = await (await fetch(settings.url)).json()
  // Scalar fills in every example. A first request needs no conditional headers, starts at the first page, and shows
  // whole items of many.
  const unsent = ['after', 'changed_since', 'owner', 'exclude', 'logins', 'full_names', 'forge_rest_ids']
  for (const parameter of Object.values(specification.components.parameters)) {
    const isUnsent = parameter.in === 'query' && unsent.includes(parameter.name)
    if (parameter.in === 'header' || isUnsent) delete parameter.example
  }
  const apiUrl = `${specification.servers[0]?.url.replace(/\/$/, '')}/`
  const { url: _, ...others } = settings
  const configure = () => ({
    ...others,
    content: specification,
    forceDarkModeState: readTheme(),
    // The reference pages link to these URLs.
    generateTagSlug: ({ name = '' }: { name?: string }) => writeTagSlug(name),
    generateOperationSlug: ({ operationId = '' }: { operationId?: string }) => operationId,
    onRequestBuilt({ request }: { request: Request }) {
      const key = readKey()
      if (!request.url.startsWith(apiUrl)) return
      // Without a key, the response says what is missing.
      if (key) request.headers.set('Authorization', `Bearer ${key}`)
      else request.headers.delete('Authorization')
    },
    onResponseReceived({ response }: { response: Response }) {
      const credits = response.headers.get('X-Credits-Remaining')
      if (credits !== null) sayCredits(credits)
    },
  })

  // Zod, inside the library, would try to compile code, which violates the page's policy.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
  const libraryUrl = './standalone.esm.js'
  const library: Library = await import(/* @vite-ignore */ libraryUrl)
  const operations = listOperations(specification)
  repairMarkup((operation) => operations.get(operation))
  find(selector, HTMLElement).replaceChildren()
  const viewer = library.createApiReference(selector, configure())
  find('#theme', HTMLButtonElement).addEventListener('click', () => {
    localStorage.setItem(themeItem, readTheme() === 'dark' ? 'light' : 'dark')
    setTheme(readTheme())
    viewer.updateConfiguration(configure())
  })
}
