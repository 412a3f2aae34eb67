/**
 * Every page in a real browser: axe objects to nothing, and no page asks another host.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasChromium,
  listPortalPages,
  openPortal,
  openRequest,
  type Portal,
  visitViewer,
} from '../support/browser.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  violations: { id: string; nodes: { target: unknown[] }[] }[]
}

/** What axe objects to, a line for each element: of all its rules, or of one. */
async function runAxe(page: Page, rule?: string): Promise<string[]> {
  // Without `resultTypes`, it would describe each element that it does not object to.
  const options = { resultTypes: ['violations'], ...(rule !== undefined && { runOnly: [rule] }) }
  const { violations }: AxeResults = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** A page of each kind, which is looked at in each theme and width. Others of its kind have the same colors and layout. */
const kinds: readonly string[] = [
  '/docs/',
  '/docs/pagination/',
  '/docs/errors/',
  '/docs/settings/',
  '/docs/reference/',
  '/docs/reference/list-users/',
  '/docs/reference/resources/user/',
  '/docs/changelog/',
  '/docs/no-such-page',
]

describe.skipIf(!hasChromium())('every page', () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(() => portal?.close())

  const setTheme = (page: Page, theme: 'dark' | 'light') =>
    page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)

  /** Waits until all that scrolls can be reached by keyboard: that takes until the page is idle. */
  async function waitUntilReachable(page: Page, path: string): Promise<void> {
    const isReachable = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('pre, table')].every(
          (box) => box.scrollWidth <= box.clientWidth || box.tabIndex >= 0,
        ),
      )
    await expect.poll(isReachable, { message: path }).toBe(true)
  }

  test('has nothing that axe objects to, light and dark, on a desktop and on a phone, and sends requests to no other host', async () => {
    const pages = await listPortalPages()
    const context = await portal.openContext({})
    const page = await context.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    const found: string[] = []
    expect(pages).toEqual(expect.arrayContaining([...kinds]))
    for (const path of pages) {
      const note = (where: string, lines: string[]) =>
        found.push(...lines.map((line) => `${path} ${where} ${line}`))
      const look = async (theme: 'dark' | 'light', width: number) => {
        await setTheme(page, theme)
        await page.setViewportSize({ width, height: 900 })
        await waitUntilReachable(page, path)
        note(`${theme}, ${width} pixels`, await runAxe(page))
      }
      await page.goto(`${portal.origin}${path}`, { waitUntil: 'load' })
      await page.evaluate(axe)
      await look('dark', 390)
      if (!kinds.includes(path)) continue
      await look('light', 1440)
      await look('light', 390)
      await look('dark', 1440)
    }
    expect(found).toEqual([])
    expect([...hosts]).toEqual([portal.origin])
    await context.close()
  }, 1_200_000)

  test('of the viewer has nothing that axe objects to, before Scalar starts and after, and its dialog only what is known', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await portal.openContext({ viewport: { width: 390, height: 844 }, colorScheme })
      const page = await context.newPage()
      await page.goto(`${portal.origin}/api-docs`, { waitUntil: 'load' })
      await page.evaluate(axe)
      expect(await runAxe(page)).toEqual([])
      await page.setViewportSize({ width: 1440, height: 900 })
      expect(await runAxe(page)).toEqual([])
      await visitViewer(page, `${portal.origin}/api-docs#tag/users/listUsers`)
      // Names and URLs are added once Scalar has drawn.
      await expect.poll(() => runAxe(page), { interval: 500 }).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      await expect.poll(() => runAxe(page), { interval: 500 }).toEqual([])
      await openRequest(page)
      await page.getByRole('button', { name: /^Send get request to/ }).click()
      await page.getByText('401 Unauthorized').waitFor()
      const readRules = async () => new Set((await runAxe(page)).map((line) => line.split(':')[0]))
      // Scalar's dialog brings a second `main`, whose role may not be changed.
      await expect.poll(readRules, { interval: 500 }).toEqual(new Set(['landmark-no-duplicate-main']))
      await context.close()
    }
  })
})
