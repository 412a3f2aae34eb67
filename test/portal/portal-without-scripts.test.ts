/**
 * The docs for readers without JavaScript: the system's theme, every language of a sample, and nothing that does
 * nothing.
 *
 * @module-tag later
 */
import { describe, expect, test } from 'vitest'
import { hasChromium, openPortal } from '../support/browser.ts'
import { useStarted } from '../support/suite.ts'

describe.skipIf(!hasChromium())('without JavaScript', () => {
  const portal = useStarted(openPortal)

  /** Opens a page in a browser that runs no scripts, but those of the test. */
  const open = async (colorScheme: 'light' | 'dark', path: string, width = 1280) => {
    const viewport = { width, height: 800 }
    const context = await portal.openContext({ colorScheme, viewport, javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${portal.origin}/docs/${path}`)
    return page
  }

  test('the theme is that of the system', async () => {
    /** The brightness of the page's background and of its text, from 0 to 765. */
    const readBrightness = async (colorScheme: 'light' | 'dark') => {
      const page = await open(colorScheme, 'quickstart/')
      const read = async (property: string) => {
        const color = await page
          .locator('body')
          .evaluate((body, name) => getComputedStyle(body).getPropertyValue(name), property)
        return [...color.matchAll(/\d+/g)].slice(0, 3).reduce((sum, [part]) => sum + Number(part), 0)
      }
      const brightness = { background: await read('background-color'), text: await read('color') }
      await page.context().close()
      return brightness
    }
    const [dark, light] = [await readBrightness('dark'), await readBrightness('light')]
    expect(dark.background).toBeLessThan(dark.text)
    expect(light.background).toBeGreaterThan(light.text)
  })

  test('a sample shows each language below its name', async () => {
    const page = await open('light', 'quickstart/')
    const sample = page.locator('.sample').first()
    const labels = await sample.locator('[role=tab]').allTextContents()
    const panels = sample.locator('[role=tabpanel]')
    expect(labels.length).toBeGreaterThan(2)
    expect(await panels.count()).toBe(labels.length)
    for (const [index, label] of labels.entries()) {
      const panel = panels.nth(index)
      expect([label, await panel.locator('pre').isVisible()]).toEqual([label, true])
      const shown = await panel.evaluate((element) => getComputedStyle(element, '::before').content)
      expect(shown).toBe(`"${label.trim()}"`)
    }
    expect(await sample.locator('[role=tablist]').isVisible()).toBe(false)
    await page.context().close()
  })

  test.each([1280, 390])('what needs a script is absent or says so, at %d pixels', async (width) => {
    const page = await open('light', 'reference/list-users/', width)
    // Playwright finds no texts in `noscript`.
    const note = page.locator('site-search noscript p')
    expect([await note.textContent(), await note.isVisible()]).toEqual(['Search needs JavaScript.', true])
    expect(await page.getByRole('link', { name: 'View as Markdown' }).isVisible()).toBe(true)
    for (const control of await page.locator('main button, header button, header select').all()) {
      expect([await control.evaluate(({ outerHTML }) => outerHTML), await control.isVisible()]).toEqual([
        expect.any(String),
        false,
      ])
    }
    // The menu of phones is the browser's own popover.
    const menu = page.getByRole('button', { name: 'Menu' })
    expect(await menu.isVisible()).toBe(width < 800)
    if (width < 800) await menu.click()
    expect(
      await page.locator('#starlight__sidebar').getByRole('link', { name: 'Get user' }).isVisible(),
    ).toBe(true)
    await page.context().close()
  })
})
