/**
 * The first view of `/api-docs`: every operation of `openapi.yml` with links, made by the build. Readers see it before
 * the viewer's code arrives, and without JavaScript (decisions/0008-portal.md).
 */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { escapeHtml } from '../api/portal/slots.ts'
import { documentPath, loadReference } from './reference.ts'
import { writeOperationUrl, writeTagUrl } from './viewer-urls.ts'

interface Operation {
  operationId: string
  tags: [string]
  summary: string
}

interface Document {
  info: { title: string; summary: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, unknown>>
}

/** An operation as the first view shows it. */
interface Entry {
  tag: string
  method: string
  path: string
  title: string
  /** URL of the operation in the viewer, relative to its page. */
  url: string
  /** URL of its page in the reference; undefined: it has none. */
  page: string | undefined
}

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete']

function listEntries({ paths }: Document): Entry[] {
  const pages = new Map(
    loadReference().endpoints.map(({ method, path, link }) => [`${method} ${path}`, `docs/${link}`]),
  )
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method): Entry[] => {
      const operation = item[method] as Operation | undefined
      if (operation === undefined) return []
      const { operationId, tags, summary } = operation
      const url = writeOperationUrl(tags[0], operationId)
      const page = pages.get(`${method === 'head' ? 'GET' : method.toUpperCase()} ${path}`)
      return [{ tag: tags[0], method, path, title: summary, url, page }]
    }),
  )
}

const writeMethod = (method: string) => `<b class="method ${method}">${method.toUpperCase()}</b>`

/** A line of the sidebar, in the place where Scalar's will be. */
const writeLink = ({ url, title, method }: Entry) =>
  `<li><a href="${escapeHtml(url)}"><span>${escapeHtml(title)}</span> ${writeMethod(method)}</a></li>`

/** A row of the list. Its id makes the links to it work without JavaScript, too. */
function writeRow({ url, title, method, path, page }: Entry): string {
  const name = escapeHtml(title)
  const reference = page ? `<a href="${page}" aria-label="Reference: ${name}">Reference</a>` : ''
  return `<li id="${escapeHtml(url.slice(1))}">${writeMethod(method)}
    <a href="${escapeHtml(url)}">${name}</a> <code>${escapeHtml(path)}</code> ${reference}</li>`
}

/** Writes the first view as HTML. */
export function writeFirstView(): string {
  const document: Document = parse(readFileSync(documentPath, 'utf8'))
  const entries = listEntries(document)
  const groups = document.tags.map((tag) => ({
    ...tag,
    own: entries.filter((entry) => entry.tag === tag.name),
  }))
  const { title, summary } = document.info
  return `<div class="first">
  <nav aria-label="Endpoints"><ul>
  <li><a href="#description/introduction" aria-current="page">Introduction</a></li>
  ${groups
    .map(
      ({ name, own }) =>
        `<li><a href="${escapeHtml(writeTagUrl(name))}">${escapeHtml(name)}</a><ul>${own.map(writeLink).join('\n')}</ul></li>`,
    )
    .join('\n')}
  </ul></nav>
  <main>
  <h1>${escapeHtml(title)}</h1>
  <p>${escapeHtml(summary)}</p>
  <p>Choose an endpoint to see its parameters and to send a request.</p>
  <noscript><p>The viewer needs JavaScript. The links to the reference work without it.</p></noscript>
  <p>OpenAPI document: <a href="openapi.yml">YAML</a>, <a href="openapi.json">JSON</a></p>
  ${groups
    .map(
      ({ name, description, own }) =>
        `<h2 id="${escapeHtml(writeTagUrl(name).slice(1))}">${escapeHtml(name)}</h2>
  <p>${escapeHtml(description).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
  <ul>${own.map(writeRow).join('\n')}</ul>`,
    )
    .join('\n')}
  </main>
</div>`
}
