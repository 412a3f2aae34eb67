/** Starts Scalar's API reference on our `openapi.json`. */

import { find } from './src/scripts/elements.ts'
import { type Components, reduceExamples, typeListsAsTexts } from './viewer-parameters.ts'
import { repairMarkup } from './viewer-repairs.ts'
import { createSend } from './viewer-send.ts'
import { onThemeChange, readTheme } from './viewer-theme.ts'
import { writeOperationUrl, writeTagSlug } from './viewer-urls.ts'

/** The part of Scalar's library that we use. Its own types need packages that we don't have. */
interface Library {
  createApiReference(
    selector: string,
    configuration: object,
  ): { updateConfiguration(configuration: object): void }
}

/** The parts of `openapi.json` that this script reads. */
interface Specification {
  info: { description: string }
  paths: Record<string, Record<string, { operationId: string; tags?: string[] }>>
  servers: { url: string }[]
  components: Components
}

/** The URLs of operations on this page, by method and path: `get /users`. */
function listOperations({ paths }: Specification): ReadonlyMap<string, string> {
  const urls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, tags = [] }]) =>
      tags.map((tag): [string, string] => [`${method} ${path}`, writeOperationUrl(tag, operationId)]),
    ),
  )
  return new Map(urls)
}

/** Links the document itself: Scalar's own download has the changes that this script makes. */
function linkDocument({ info }: Specification): void {
  info.description = `OpenAPI document: [YAML](openapi.yml), [JSON](openapi.json)\n\n${info.description}`
}

async function fetchSpecification(url: string): Promise<Specification> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} has status ${response.status}`)
  return response.json()
}

/** On narrow screens Scalar shows the response below the request, out of view. */
function showResponse(): void {
  const response = document.querySelector('[role="dialog"] section[aria-label="Response"]')
  if (response && response.getBoundingClientRect().top > innerHeight / 2) response.scrollIntoView()
}

/**
 * Loads Scalar's library, and replaces the content of `selector` with it. `sayCredits` gets the balance of each
 * response. Rejects if the library or the document can't be loaded; the content is then as before.
 */
export async function startScalar(
  selector: string,
  settings: { url: string },
  sayCredits: (credits: string) => void,
): Promise<void> {
  // Zod, inside the library, would try to compile code, which violates the page's policy.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
  const libraryUrl = './standalone.esm.js'
  const [library, specification] = await Promise.all([
    import(/* @vite-ignore */ libraryUrl) as Promise<Library>,
    fetchSpecification(settings.url),
  ])
  reduceExamples(specification.components)
  typeListsAsTexts(specification.components)
  linkDocument(specification)
  // The document's server: BASE_URL, or this page's own origin.
  const apiUrl = `${specification.servers[0]?.url.replace(/\/$/, '')}/`
  const send = createSend(apiUrl, sayCredits)
  const { url: _, ...others } = settings
  const configure = () => ({
    ...others,
    content: specification,
    forceDarkModeState: readTheme(),
    // The first view and the reference pages link to these URLs.
    generateTagSlug: ({ name = '' }: { name?: string }) => writeTagSlug(name),
    generateOperationSlug: ({ operationId = '' }: { operationId?: string }) => operationId,
    customFetch: send,
    onResponseReceived() {
      requestAnimationFrame(() => requestAnimationFrame(showResponse))
    },
  })

  const operations = listOperations(specification)
  repairMarkup((operation) => operations.get(operation))
  const app = find(selector, HTMLElement)
  const hadFocus = app.contains(document.activeElement)
  app.replaceChildren()
  const viewer = library.createApiReference(selector, configure())
  if (hadFocus) app.focus({ preventScroll: true })
  onThemeChange(() => viewer.updateConfiguration(configure()))
}
