/**
 * Every page in a real browser: nothing for axe to object to, light and dark, no horizontal scroll on a narrow phone,
 * no request to another host.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docsDirectory, findDocs } from '../api/docs/docs-manifest.ts'
import { findChromium, openPortal, openRequest, type Portal, visitViewer } from './support/browser.ts'

const hasChromium = findChromium()
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  violations: { id: string; nodes: { target: unknown[] }[] }[]
}

/** What axe objects to, a line for each element. `options` are the arguments of `axe.run`, as JavaScript. */
async function runAxe(page: Page, options: string): Promise<string[]> {
  const { violations }: AxeResults = await page.evaluate(`axe.run(${options})`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** A server that answers as it is told. */
async function listen(answer: (path: string, response: ServerResponse) => Promise<void>) {
  const server = createServer((request, response) => void answer(request.url ?? '', response))
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

describe.skipIf(!hasChromium)('every page', () => {
  let portal: Portal
  let pages: string[]

  beforeAll(async () => {
    portal = await openPortal()
    const docs = await findDocs(docsDirectory)
    const files = Object.keys(docs?.files ?? {}).filter((name) => /(^|\/)index\.html$/.test(name))
    pages = [...files.map((name) => `/docs/${name.replace(/index\.html$/, '')}`), '/docs/no-such-page']
  })

  afterAll(() => portal?.close())

  /** Opens a page with axe in it, once what scrolls can be reached by keyboard: that takes until the page is idle. */
  async function openReachable(page: Page, path: string): Promise<void> {
    await page.goto(`${portal.origin}${path}`, { waitUntil: 'load' })
    const isReachable = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('pre, table')].every(
          (box) => box.scrollWidth <= box.clientWidth || box.tabIndex >= 0,
        ),
      )
    await expect.poll(isReachable, { message: path }).toBe(true)
    await page.evaluate(axe)
  }

  test('has nothing that axe objects to, light and dark, and asks no other host', async () => {
    expect(pages.length).toBeGreaterThan(50)
    const context = await portal.openContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    const found: string[] = []
    for (const path of pages) {
      await openReachable(page, path)
      for (const line of await runAxe(page, 'document')) found.push(`${path} ${line}`)
      // The themes differ in colors alone.
      await page.evaluate(`document.documentElement.dataset.theme = 'dark'`)
      for (const line of await runAxe(page, "document, { runOnly: ['color-contrast'] }"))
        found.push(`${path} dark ${line}`)
    }
    expect(found).toEqual([])
    expect([...hosts]).toEqual([portal.origin])
    await context.close()
  }, 1_200_000)

  test('has nothing that axe objects to on a phone', async () => {
    const context = await portal.openContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    const found: string[] = []
    let wideTables = 0
    for (const path of pages) {
      await openReachable(page, path)
      wideTables += await page.locator('.sl-markdown-content table[tabindex="0"]').count()
      for (const line of await runAxe(page, 'document')) found.push(`${path} ${line}`)
    }
    expect(found).toEqual([])
    expect(wideTables).toBeGreaterThan(0)
    await context.close()
  }, 1_200_000)

  test('stays where it is while it loads', async () => {
    const context = await portal.openContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript(() => {
      const shifts: number[] = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if ('value' in entry) shifts.push(Number(entry.value))
      }).observe({ type: 'layout-shift', buffered: true })
      Object.assign(globalThis, { readShift: () => shifts.reduce((sum, shift) => sum + shift, 0) })
    })
    // A page comes in two parts: the table of contents, which stands before the text, is drawn first.
    let sendRest = Promise.withResolvers<void>()
    await using slow = await listen(async (path, response) => {
      const answer = await fetch(`${portal.origin}${path}`)
      const body = Buffer.from(await answer.arrayBuffer())
      const type = answer.headers.get('Content-Type') ?? ''
      const part = body.subarray(
        0,
        type.startsWith('text/html') ? body.indexOf('class="main-pane') : body.length,
      )
      response.writeHead(answer.status, { 'Content-Type': type }).write(part)
      if (part.length < body.length) await sendRest.promise
      response.end(body.subarray(part.length))
    })
    for (const path of ['/docs/quickstart/', '/docs/pagination/']) {
      sendRest = Promise.withResolvers<void>()
      await page.goto(`${slow.origin}${path}`, { waitUntil: 'commit' })
      await page.locator('.right-sidebar').waitFor()
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
      sendRest.resolve()
      await page.waitForLoadState('networkidle')
      const shift = Number(await page.evaluate('readShift()'))
      expect([path, shift < 0.1, shift]).toEqual([path, true, expect.any(Number)])
    }
    await context.close()
  })

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
