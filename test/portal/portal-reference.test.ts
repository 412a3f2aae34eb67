/** A page of the reference: the sample beside the text, the errors that matter first, and fields to unfold. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Element } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { select, selectAll } from 'hast-util-select'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { documentPath, type Endpoint, loadReference } from '../../docs-site/reference.ts'
import { findRequest } from '../../docs-site/requests.ts'
import { serveDocs } from '../support/docs.ts'
import { readText } from '../support/html.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)

const readPage = async (path: string) =>
  fromHtml(await readFile(join(docs.manifest.directory, path, 'index.html'), 'utf8'))

/** What the page of an endpoint says about it. A few endpoints share a page. */
async function readEndpoint({ id, link }: Endpoint): Promise<Element> {
  const page = await readPage(link.replace(/#.*/, ''))
  return select(`[data-endpoint=${id}]`, page) ?? expect.fail(`${link} has no ${id}`)
}

const { endpoints, resources } = loadReference()

describe('the page of an endpoint', () => {
  test.each(endpoints)('has a sample right after each introduction: $path', async (endpoint) => {
    const page = await readEndpoint(endpoint)
    const names = [endpoint.operationId, endpoint.quote?.operationId ?? ''].filter(findRequest)
    // On a page that several share, the sample of one can say enough.
    if (!endpoint.link.includes('#')) expect(names).toContain(endpoint.operationId)
    const samples = selectAll('.beside > .intro + .samples [data-request]', page)
    expect(samples.map(({ properties }) => properties.dataRequest)).toEqual(names)
    // What scrolls in its column can be reached by keyboard.
    for (const sample of samples) {
      const parts = selectAll('.scroll > pre', sample)
      expect(parts).toHaveLength(selectAll('pre', sample).length)
    }
    for (const part of selectAll('.scroll', page)) expect(part.properties.tabIndex).toBe(0)
  })

  test.each(endpoints)('shows at most five errors, and folds all others: $path', async (endpoint) => {
    const page = await readEndpoint(endpoint)
    const first = selectAll('.rest > ul.errors li', page).map(readText)
    const folded = selectAll('details > ul.errors li', page).map(readText)
    expect(first.length).toBeGreaterThan(1)
    expect(first.length).toBeLessThanOrEqual(5)
    const statuses = first.map((error) => error.trim().slice(0, 3))
    expect(new Set(statuses).size).toBe(statuses.length)
    if (endpoint.needsKey) expect(first.join()).toContain('401 Invalid API key')
    const messages = endpoint.responses.flatMap((response) => response.messages)
    const shown = [...first, ...folded].map((error) => error.trim().slice(4))
    expect(shown.sort()).toEqual(messages.sort())
  })

  test.each(endpoints)('unfolds the fields of its body: $path', async (endpoint) => {
    const page = await readEndpoint(endpoint)
    const types = endpoint.responses.filter(({ status }) => status === '200').flatMap(({ types }) => types)
    for (const { resource, list } of types) {
      if (resource === undefined) continue
      const blocks = selectAll('.schema > details', page)
      expect(blocks).toHaveLength(list ? 3 : 1)
      const names = selectAll('details > dl > div > dt > code', blocks[0]).slice(0, 1).map(readText)
      expect(names).toEqual([resources.find(({ id }) => id === resource)?.fields[0]?.name])
    }
  })
})

test('the docs’ own endpoints have no page', () => {
  const { paths }: { paths: Record<string, { get?: { operationId: string; tags: string[] } }> } = parse(
    readFileSync(documentPath, 'utf8'),
  )
  const own = Object.values(paths).flatMap(({ get }) =>
    get?.tags.includes('Documentation')
      ? [get.operationId.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()]
      : [],
  )
  expect(own).toEqual(expect.arrayContaining(['redirect-to-docs', 'get-api-catalog']))
  const pages = Object.keys(docs.manifest.files)
  expect(pages).toContain('reference/list-users/index.html')
  expect(own.filter((id) => pages.includes(`reference/${id}/index.html`))).toEqual([])
})

test('the path of an endpoint and its price come before everything else', async () => {
  const page = await readPage('reference/list-users')
  const line = select('.beside > .intro > .operation:first-child', page)
  expect(line && readText(line).trim()).toBe('GET /users 1 per item')
})
