/**
 * The script of `/api-docs`: keeps the reader's key, and starts Scalar's API reference on our `openapi.json`.
 *
 * The key lives in `sessionStorage`, so it is there after a reload, in this tab alone, and gone with it. It is added to
 * requests to this API and to none else. Addresses are relative to the page, which lies at the API's root.
 *
 * @module
 */
import { repairMarkup } from './viewer-repairs.ts'

/** The part of Scalar's library that we use; its own types want packages that only it needs. */
interface Library {
  createApiReference(
    selector: string,
    configuration: object,
  ): { updateConfiguration(configuration: object): void }
}

/** The parts of `openapi.json` that are read here. */
interface Specification {
  paths: Record<string, Record<string, { operationId: string; tags?: string[] }>>
  servers: { url: string }[]
  components: { parameters: Record<string, { in: string; name: string; example?: unknown }> }
}

const keyItem = 'devdata-api-key'
/** Where Starlight keeps the theme that was chosen in the docs: `dark`, `light` or nothing. */
const themeItem = 'starlight-theme'

function find<T extends Element>(selector: string, type: { new (): T }): T {
  const element = document.querySelector(selector)
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}`)
  return element
}

const writeTagSlug = (tag: string) => tag.toLowerCase()

/** The addresses of the operations on this page, by method and path: `get /users`. */
function listOperations({ paths }: Specification): ReadonlyMap<string, string> {
  const addresses = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, tags = [] }]) =>
      tags.map((tag): [string, string] => [`${method} ${path}`, `#tag/${writeTagSlug(tag)}/${operationId}`]),
    ),
  )
  return new Map(addresses)
}

/**
 * Starts the viewer in the page that `api/docs/viewer.ts` renders, which calls this in the place of Scalar's own
 * function of that name, and with what it would give to that.
 */
export async function createApiReference(selector: string, settings: { url: string }): Promise<void> {
  const input = find('#key', HTMLInputElement)
  const state = find('#key-state', HTMLOutputElement)
  const demo = document.querySelector<HTMLButtonElement>('#demo')
  const forget = find('#forget', HTMLButtonElement)

  // What Scalar keeps free at the top; the bar is as high as its words need.
  const bar = find('header', HTMLElement)
  new ResizeObserver(() => {
    document.documentElement.style.setProperty('--scalar-custom-header-height', `${bar.offsetHeight}px`)
  }).observe(bar)

  const readKey = () => sessionStorage.getItem(keyItem) ?? ''
  const explain = state.textContent
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

  /** Asks for the balance, which is free, and so whether the key works. */
  async function checkKey(): Promise<void> {
    const key = readKey()
    if (!key) return say(explain)
    try {
      const response = await fetch('api-key/credits', { headers: { Authorization: `Bearer ${key}` } })
      const body: { error?: string; remaining_credits?: number; role?: string } = await response.json()
      if (key !== readKey()) return // another one was entered meanwhile
      role = body.role ?? 'user'
      if (response.ok) sayCredits(String(body.remaining_credits))
      else say(body.error ?? `The answer was ${response.status}`, 'bad')
    } catch {
      say('The API does not answer', 'bad')
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

  // The address in the document's `servers`: this server's own, or BASE_URL, which the browser may know by another name.
  const specification: Specification = await (await fetch(settings.url)).json()
  // Scalar fills in every example; a header that asks for nothing new, or for a part, is not where a reader begins, nor is
  // the middle of a list.
  for (const parameter of Object.values(specification.components.parameters)) {
    if (parameter.in === 'header' || parameter.name === 'after') delete parameter.example
  }
  const apiAddress = `${specification.servers[0]?.url.replace(/\/$/, '')}/`
  const { url: _, ...others } = settings
  const configure = () => ({
    ...others,
    content: specification,
    forceDarkModeState: readTheme(),
    // The addresses that the reference pages link to.
    generateTagSlug: ({ name = '' }: { name?: string }) => writeTagSlug(name),
    generateOperationSlug: ({ operationId = '' }: { operationId?: string }) => operationId,
    onRequestBuilt({ request }: { request: Request }) {
      const key = readKey()
      if (!request.url.startsWith(apiAddress)) return
      // Without a key the request goes out bare, and its answer says what is missing.
      if (key) request.headers.set('Authorization', `Bearer ${key}`)
      else request.headers.delete('Authorization')
    },
    onResponseReceived({ response }: { response: Response }) {
      const credits = response.headers.get('X-Credits-Remaining')
      if (credits !== null) sayCredits(credits)
    },
  })

  // Zod, inside the library, tries whether it may compile code, which the page's policy refuses and the browser reports.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
  const libraryAddress = './standalone.esm.js'
  const library: Library = await import(/* @vite-ignore */ libraryAddress)
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
