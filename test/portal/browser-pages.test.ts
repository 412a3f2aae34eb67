/**
 * Every page in a real browser: axe objects to nothing, nothing scrolls sideways, and no page asks another host. A
 * short run looks at a page of each kind, and at a third of the others.
 *
 * @module-tag longest
 */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  hasChromium,
  listPortalPages,
  openPortal,
  openRequest,
  runAxe,
  visitViewer,
} from '../support/browser.ts'
import { isTaken } from '../support/drill.ts'
import { useStarted } from '../support/suite.ts'

/** Contrast takes axe most of its time. */
const withoutContrast = { 'color-contrast': { enabled: false } }

/** A page of each kind, which is looked at in both themes and at all widths. Others of its kind have the same colors. */
const kinds: readonly string[] = [
  '/docs/',
  '/docs/pagination/',
  '/docs/errors/',
  '/docs/settings/',
  '/docs/reference/',
  '/docs/reference/list-users/',
  '/docs/reference/objects/',
  '/docs/coverage/',
  '/docs/history/',
  '/docs/pricing/',
  '/docs/your-key/',
  '/docs/changelog/',
  '/docs/no-such-page',
]

describe.skipIf(!hasChromium())('every page', () => {
  const portal = useStarted(openPortal)

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

  /** Elements that are wider than the page, or than what they are in. */
  async function listOverflows(page: Page): Promise<string[]> {
    const wide = await page
      .locator('.sl-markdown-content :is(table, pre)')
      .evaluateAll((boxes) =>
        boxes
          .filter((box) => box.scrollWidth > box.clientWidth)
          .map(({ outerHTML }) => outerHTML.slice(0, 120)),
      )
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
    return overflow > 0 ? [...wide, `the page, by ${overflow} pixels`] : wide
  }

  test('has nothing that axe objects to, nothing that scrolls sideways, and sends requests to no other host', async () => {
    const pages = await listPortalPages()
    const context = await portal.openContext({})
    const page = await context.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    const found: string[] = []
    expect(pages).toEqual(expect.arrayContaining([...kinds]))
    for (const [index, path] of pages.entries()) {
      const isChosen = kinds.includes(path)
      if (!isChosen && !isTaken(index)) continue
      const note = (where: string, lines: string[]) =>
        found.push(...lines.map((line) => `${path} ${where} ${line}`))
      const look = async (theme: 'dark' | 'light', width: number) => {
        await setTheme(page, theme)
        await page.setViewportSize({ width, height: 900 })
        await waitUntilReachable(page, path)
        note(`${theme}, ${width} pixels`, await runAxe(page, isChosen ? {} : withoutContrast))
      }
      await page.goto(`${portal.origin}${path}`, { waitUntil: 'load' })
      await look('dark', 390)
      if (isChosen) await look('light', 1440)
      for (const width of isChosen ? [320, 800, 1152, 1280, 1920] : [320, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        note(`scrolls at ${width} pixels:`, await listOverflows(page))
      }
    }
    expect(found).toEqual([])
    expect([...hosts]).toEqual([portal.origin])
    await context.close()
  }, 1_200_000)

  test('of the viewer scrolls sideways at no width', async () => {
    const context = await portal.openContext({ viewport: { width: 320, height: 900 } })
    const page = await context.newPage()
    await visitViewer(page, `${portal.origin}/api-docs#tag/users/listUsers`)
    for (const width of [320, 800, 1152, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      expect([width, await listOverflows(page)]).toEqual([width, []])
    }
    await context.close()
  })

  test('of the viewer has nothing that axe objects to, before Scalar starts and after, and its dialog only what is known', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await portal.openContext({ viewport: { width: 390, height: 844 }, colorScheme })
      const page = await context.newPage()
      await page.goto(`${portal.origin}/api-docs`, { waitUntil: 'load' })
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
