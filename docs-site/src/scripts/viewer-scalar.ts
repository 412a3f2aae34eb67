/** Starts Scalar's API reference on our `openapi.json`. */
import * as library from 'scalar'
import { apiUrl } from './api-request.ts'
import { createElement, find } from './elements.ts'
import { type Components, reduceExamples, typeListsAsTexts } from './viewer-parameters.ts'
import { repairMarkup } from './viewer-repairs.ts'
import { createSend } from './viewer-send.ts'

/** Those of Scalar's page (`scalar-page.ts`). */
let settings: object = {}

/** Takes the settings of Scalar's page, which calls this in place of its library's function of that name. */
export function createApiReference(_selector: string, given: object): void {
  settings = given
}

/** The parts of `openapi.json` that this script reads. */
interface Specification {
  info: { description: string }
  paths: Record<string, Record<string, { operationId: string; tags?: string[] }>>
  servers: { url: string }[]
  components: Components
}

/** The places of operations on this page, by method and path: `get /users`. */
const listOperations = ({ paths }: Specification): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { operationId, tags = [] }]) =>
        tags.map((tag) => [`${method} ${path}`, `#tag/${tag.toLowerCase()}/${operationId}`] as const),
      ),
    ),
  )

async function fetchSpecification(): Promise<Specification> {
  const response = await fetch(`${apiUrl}/openapi.json`)
  if (!response.ok) throw new Error(`openapi.json has status ${response.status}`)
  return response.json()
}

/** On narrow screens Scalar shows the response below the request, out of view. */
function showResponse(): void {
  const response = document.querySelector('[role="dialog"] section[aria-label="Response"]')
  if (response && response.getBoundingClientRect().top > innerHeight / 2) response.scrollIntoView()
}

/** Replaces the content of the page with Scalar. Rejects if the document can't be loaded; the content then stays. */
export async function startScalar(): Promise<void> {
  const specification = await fetchSpecification()
  reduceExamples(specification.components)
  typeListsAsTexts(specification.components)
  // Scalar's own download would have these changes.
  specification.info.description = `OpenAPI document: [YAML](openapi.yml), [JSON](openapi.json)\n\n${specification.info.description}`
  // The document's server: BASE_URL, or this page's own origin.
  const send = createSend(specification.servers[0]?.url.replace(/\/$/, '') ?? apiUrl)

  // Scalar has a `main` of its own. Paper is white in every theme.
  const app = createElement('div', { id: 'viewer' })
  find('.main-frame', HTMLElement).replaceChildren(createElement('div', { id: '_top', tabIndex: -1 }, app))
  const root = document.documentElement
  const print = matchMedia('print')
  function configure() {
    const theme = root.dataset.theme === 'light' || print.matches ? 'light' : 'dark'
    document.body.classList.toggle('dark-mode', theme === 'dark')
    document.body.classList.toggle('light-mode', theme === 'light')
    return {
      ...settings,
      content: specification,
      forceDarkModeState: theme,
      customFetch: send,
      onResponseReceived() {
        requestAnimationFrame(() => requestAnimationFrame(showResponse))
      },
    }
  }
  repairMarkup(listOperations(specification))
  const viewer = library.createApiReference('#viewer', configure())
  const update = () => viewer.updateConfiguration(configure())
  new MutationObserver(update).observe(root, { attributeFilter: ['data-theme'] })
  print.addEventListener('change', update)
}
