/**
 * Every page in a real browser: nothing for axe to object to, light and dark, no horizontal scroll on a narrow phone,
 * no request to another host.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDocsManifest } from '../api/routes/docs-manifest.ts'
import { docsDirectory } from '../docs-site/build.ts'
import { findChromium, openPortal, openRequest, type Portal, visitViewer } from './support/browser.ts'

const hasChromium = findChromium()
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  violations: { id: string; nodes: { target: unknown[] }[] }[]
}

/** What axe objects to, a line for each element. */
async function runAxe(page: Page, context: string): Promise<string[]> {
  const { violations }: AxeResults = await page.evaluate(`axe.run(${context})`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

describe.skipIf(!hasChromium)('every page', () => {
  let portal: Portal
  let pages: string[]

  beforeAll(async () => {
    portal = await openPortal()
    const manifest = await readDocsManifest(docsDirectory)
    const files = Object.keys(manifest?.files ?? {}).filter((name) => /(^|\/)index\.html$/.test(name))
    pages = [...files.map((name) => `/docs/${name.replace(/index\.html$/, '')}`), '/docs/no-such-page']
  })

  afterAll(() => portal?.close())

  test('has nothing that axe objects to, light and dark, and asks no other host', async () => {
    expect(pages.length).toBeGreaterThan(50)
    const context = await portal.openContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    const found: string[] = []
    for (const path of pages) {
      await page.goto(`${portal.origin}${path}`, { waitUntil: 'load' })
      // Code that is wider than its box becomes focusable once the page is idle.
      const isReachable = () =>
        page.evaluate(() =>
          [...document.querySelectorAll('pre')].every(
            (pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex >= 0,
          ),
        )
      await expect.poll(isReachable, { message: path }).toBe(true)
      await page.evaluate(axe)
      for (const theme of ['light', 'dark']) {
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
        for (const line of await runAxe(page, 'document')) found.push(`${path} ${theme} ${line}`)
      }
    }
    expect(found).toEqual([])
    expect([...hosts]).toEqual([portal.origin])
    await context.close()
  }, 1_200_000)

  test('has no horizontal scroll at 320 pixels, nor at 1,920', async () => {
    const context = await portal.openContext({})
    const page = await context.newPage()
    for (const width of [320, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      for (const path of [...pages, '/api-docs']) {
        const url = `${portal.origin}${path}`
        if (path === '/api-docs') await visitViewer(page, url)
        else await page.goto(url, { waitUntil: 'load' })
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect([path, width, Number(overflow) <= 0]).toEqual([path, width, true])
      }
    }
    await context.close()
  }, 1_200_000)

  test('the viewer has nothing that axe objects to, and of its dialog only what is known', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await portal.openContext({ viewport: { width: 1280, height: 900 }, colorScheme })
      const page = await context.newPage()
      await visitViewer(page, `${portal.origin}/api-docs#tag/users/listUsers`)
      await page.evaluate(axe)
      // Names and addresses are added once Scalar has drawn.
      await expect.poll(() => runAxe(page, 'document'), { interval: 500 }).toEqual([])
      await openRequest(page)
      const readRules = async () =>
        new Set((await runAxe(page, 'document')).map((line) => line.split(':')[0]))
      // Scalar's dialog brings a second `main`, whose role may not be changed.
      await expect.poll(readRules, { interval: 500 }).toEqual(new Set(['landmark-no-duplicate-main']))
      await context.close()
    }
  })
})
