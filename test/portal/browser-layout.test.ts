/**
 * The layout of pages in a real browser, while they load, in print, and of pictures on a phone. The widths of pages:
 * browser-pages.test.ts.
 *
 * @module-tag later
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { hasChromium, openPortal } from '../support/browser.ts'
import { useStarted } from '../support/suite.ts'

/** Starts a server whose responses are what `respond` sends. */
async function listen(respond: (path: string, response: ServerResponse) => Promise<void>) {
  const server = createServer((request, response) => void respond(request.url ?? '', response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

describe.skipIf(!hasChromium())('every page', () => {
  const portal = useStarted(openPortal)

  test('stays where it is while it loads', async ({ skip }) => {
    const context = await portal.openContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    // Until its fonts have come, a page uses a font of the system that is as wide (docs-site/src/styles/fonts.css).
    const hasFont = await page.evaluate(`
      new FontFace('system', 'local("Arial"), local("Liberation Sans")').load().then(() => true, () => false)`)
    skip(hasFont !== true, 'neither Arial nor Liberation Sans is installed')
    await page.addInitScript(() => {
      const shifts: number[] = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if ('value' in entry) shifts.push(Number(entry.value))
      }).observe({ type: 'layout-shift', buffered: true })
      Object.assign(globalThis, { readShift: () => shifts.reduce((sum, shift) => sum + shift, 0) })
    })
    // A page comes in two parts: the table of contents, which stands before the text, is drawn first. Fonts come last.
    let sendRest = Promise.withResolvers<void>()
    await using slow = await listen(async (path, response) => {
      const original = await fetch(`${portal.origin}${path}`)
      const body = Buffer.from(await original.arrayBuffer())
      const type = original.headers.get('Content-Type') ?? ''
      const part = body.subarray(
        0,
        type.startsWith('text/html') ? body.indexOf('class="main-pane') : body.length,
      )
      if (type.startsWith('font/')) await sendRest.promise
      response.writeHead(original.status, { 'Content-Type': type }).write(part)
      if (part.length < body.length) await sendRest.promise
      response.end(body.subarray(part.length))
    })
    for (const path of ['/docs/', '/docs/quickstart/', '/docs/pagination/', '/docs/reference/list-users/']) {
      sendRest = Promise.withResolvers<void>()
      await page.goto(`${slow.origin}${path}`, { waitUntil: 'commit' })
      await page.locator('header .tabs').waitFor()
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
      sendRest.resolve()
      await page.waitForLoadState('networkidle')
      const shift = Number(await page.evaluate('readShift()'))
      expect([path, shift < 0.02, shift]).toEqual([path, true, expect.any(Number)])
    }
    await context.close()
  })

  test('has pictures whose text can be read on a phone: 12 pixels high, and neither cut nor covered', async () => {
    const context = await portal.openContext({ viewport: { width: 360, height: 740 } })
    const page = await context.newPage()
    const names = 'credits data filter-by-dependency keep-a-copy pagination scaling'.split(' ')
    for (const name of names) {
      await page.goto(`${portal.origin}/docs/${name}/`, { waitUntil: 'networkidle' })
      const pictures = page.locator('.diagram svg')
      const found = await pictures.evaluateAll((each) =>
        each.flatMap((picture) => {
          const frame = picture.getBoundingClientRect()
          const scale = frame.width / Number(picture.getAttribute('viewBox')?.split(' ')[2])
          const texts = [...picture.querySelectorAll('text')].map((text) => ({
            name: text.textContent,
            size: Number.parseFloat(getComputedStyle(text).fontSize) * scale,
            box: text.getBoundingClientRect(),
          }))
          const problems = texts.flatMap(({ name, size, box }) => [
            ...(size < 12 ? [`${name}: ${size} pixels`] : []),
            ...(box.left < frame.left - 1 || box.right > frame.right + 1 ? [`${name}: outside`] : []),
          ])
          // Lines are higher than their letters.
          const overlaps = texts.flatMap((one, index) =>
            texts
              .slice(index + 1)
              .filter(
                ({ box }) =>
                  one.box.left < box.right &&
                  box.left < one.box.right &&
                  one.box.top + 3 < box.bottom - 3 &&
                  box.top + 3 < one.box.bottom - 3,
              )
              .map((other) => `${one.name}: covers ${other.name}`),
          )
          return [...problems, ...overlaps]
        }),
      )
      expect([name, (await pictures.count()) > 0, found]).toEqual([name, true, []])
    }
    await context.close()
  })

  test('is printed without menus, forms and buttons, dark on white', async () => {
    const context = await portal.openContext({ viewport: { width: 794, height: 1123 }, colorScheme: 'dark' })
    const page = await context.newPage()
    const paths = ['', 'quickstart/', 'recipes/', 'loading-data/', 'your-key/', 'reference/list-users/']
    for (const path of [...paths.map((each) => `/docs/${each}`), '/api-docs']) {
      await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
      await page.goto(`${portal.origin}${path}`, { waitUntil: 'load' })
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      const controls = page.locator('button, input, select, textarea, nav, dialog').filter({ visible: true })
      const shown = await controls.evaluateAll((all) => all.map(({ outerHTML }) => outerHTML.slice(0, 120)))
      expect([path, shown]).toEqual([path, []])
      const light = await page.locator('main h1, main p, pre .ec-line span').evaluateAll((texts) =>
        texts.flatMap((text) => {
          const { color } = getComputedStyle(text)
          const parts = (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
          return Math.max(...parts) > 140 ? [`${color} ${text.textContent}`] : []
        }),
      )
      expect([path, light]).toEqual([path, []])
    }
    await context.close()
  })
})
