/**
 * What the portal's look promises: small fonts from this host, tabs without a script, and tables that a phone can show.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fromHtml } from 'hast-util-from-html'
import { selectAll } from 'hast-util-select'
import { describe, expect, test } from 'vitest'
import { contract } from '../support/contract.ts'
import { serveDocs } from '../support/docs.ts'
import { readText } from '../support/html.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)

const readFileOf = (name: string) => readFile(join(docs.manifest.directory, name))
const readPage = async (path: string) => fromHtml((await readFileOf(`${path}/index.html`)).toString())
const listFiles = (pattern: RegExp) => Object.keys(docs.manifest.files).filter((name) => pattern.test(name))

describe('fonts', () => {
  test('are two files of less than 80 KB together', async () => {
    const fonts = listFiles(/\.woff2?$/)
    const contents = await Promise.all(fonts.map(readFileOf))
    expect(fonts).toHaveLength(2)
    expect(contents.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(80_000)
  })

  test('are loaded before the style sheet names them, on every page', async () => {
    for (const name of listFiles(/\.html$/)) {
      const page = fromHtml((await readFileOf(name)).toString())
      const preloads = selectAll('link[rel=preload][as=font][crossorigin]', page)
      const paths = preloads.map(({ properties }) => String(properties.href).replace(/^\/docs\//, ''))
      expect([name, paths.sort()]).toEqual([name, listFiles(/^_astro\/.*\.woff2$/)])
    }
  })
})

describe('the tabs', () => {
  test.each([
    ['quickstart', 'Guides', 'Start here'],
    ['reference/list-users', 'Reference', 'API'],
    ['scaling', 'Operators', 'Run your own'],
  ])('are links, and give %s a sidebar of its own', async (path, current, group) => {
    const page = await readPage(path)
    const tabs = selectAll('header .tabs a', page)
    expect(tabs.map(({ properties }) => properties.href)).toEqual([
      '/docs/quickstart/',
      '/docs/reference/',
      '/docs/running/',
    ])
    expect(tabs.filter(({ properties }) => properties.ariaCurrent).map(readText)).toEqual([current])
    const [first] = selectAll('#starlight__sidebar .top-level > li .large', page)
    expect(first && readText(first)).toBe(group)
    expect(selectAll('#starlight__sidebar a[aria-current=page]', page)).toHaveLength(1)
  })

  test('are in the menu of phones too', async () => {
    expect(selectAll('#starlight__sidebar .tabs a', await readPage('reference')).map(readText)).toEqual([
      'Guides',
      'Reference',
      'Operators',
    ])
  })
})

test('each endpoint that costs credits has a color of its own in “Your key”, in both themes', async () => {
  const metered = Object.values(contract.paths).filter(({ head }) => head !== undefined)
  const css = await readFile(join(import.meta.dirname, '../../docs-site/src/styles/usage.css'), 'utf8')
  const rules = [...css.matchAll(/^(.*)\[data-series(?:="(\d)")?\] \{\n {2}--series: (.*);$/gm)]
  for (const theme of ['', '[data-theme="light"] ']) {
    const colors = rules.filter(([, selector]) => selector === theme)
    expect(colors.map(([, , series = '0']) => Number(series))).toEqual([...metered.keys()])
    expect(new Set(colors.map(([, , , color]) => color)).size).toBe(metered.length)
  }
})

test('every picture says what it shows, and has a caption', async () => {
  const pages = await Promise.all(listFiles(/\.html$/).map((name) => readFileOf(name)))
  const figures = pages.flatMap((page) => selectAll('figure.diagram', fromHtml(page.toString())))
  expect(figures.length).toBeGreaterThan(5)
  for (const figure of figures) {
    const [picture] = selectAll('svg[role=img]', figure)
    const [caption] = selectAll('figcaption', figure)
    expect(String(picture?.properties.ariaLabel)).toMatch(/^[A-Z].{80,}\.$/)
    expect(caption && readText(caption)).toMatch(/\w\.\s*$/)
  }
})

test('every column of a table has a name', async () => {
  for (const name of listFiles(/\.html$/)) {
    const names = selectAll('thead th', fromHtml((await readFileOf(name)).toString())).map(readText)
    expect([name, names.filter((text) => text.trim() === '')]).toEqual([name, []])
  }
})

test('cells of a table know their column, which a phone shows', async () => {
  const rows = selectAll('.sl-markdown-content tbody tr', await readPage('settings'))
  expect(rows.length).toBeGreaterThan(15)
  for (const row of rows) {
    const columns = selectAll('td', row).map(({ properties }) => properties.dataColumn)
    expect(columns).toEqual([undefined, 'Default', 'Rule and meaning'])
  }
})
