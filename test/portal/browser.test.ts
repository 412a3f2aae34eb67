/** @module-tag longest */
import type { BrowserContext, Locator, Page, Request } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  hasChromium,
  openPortal,
  openRequest,
  openTab,
  reload,
  visit,
  visitViewer,
} from '../support/browser.ts'
import { useStarted } from '../support/suite.ts'

describe.skipIf(!hasChromium())('in a browser', () => {
  const portal = useStarted(() =>
    openPortal(async (service) => {
      demoKey = (await service.createKey({ credits: 10_000 })).secret
      return { readDemoKey: () => demoKey }
    }),
  )
  let origin: string
  let demoKey: string
  let context: BrowserContext
  let page: Page
  let requested: Request[]
  let complaints: string[]

  beforeAll(async () => {
    origin = portal.origin
  })

  beforeEach(async () => {
    ;({ context, page, requested, complaints } = await openTab(portal))
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  })

  afterEach(() => context.close())

  const listUrls = () => requested.map((request) => new URL(request.url()))

  /** Nothing was asked of another host, and there was nothing that the browser objects to. */
  function expectGoodManners() {
    const hosts = listUrls()
      .filter((url) => /^(https?|wss?):$/.test(url.protocol))
      .map((url) => url.origin)
    expect([...new Set(hosts)]).toEqual([origin])
    expect(complaints).toEqual([])
  }

  test('the home page renders and leads to the quickstart', async () => {
    await visit(page, `${origin}/docs`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'Ask who uses a package. Know the price first.',
    )
    // What this is, a question with its response and its price, and how much data there is are seen without scrolling.
    for (const text of [
      'An HTTP API with the people',
      'users in the sample data',
      'credits for all',
      '300 users',
    ]) {
      const box = await page.getByText(text).first().boundingBox()
      expect([text, (box?.y ?? 9999) + (box?.height ?? 0)]).toEqual([text, expect.any(Number)])
      expect((box?.y ?? 9999) + (box?.height ?? 0)).toBeLessThan(900)
    }
    await page.getByRole('main').getByRole('link', { name: 'Run a query' }).click()
    await page.waitForURL(`${origin}/docs/quickstart/`)
    // Colors of samples are style attributes; were they refused, all tokens would look the same.
    const colors = await page
      .locator('pre code span[style]')
      .evaluateAll((tokens) => new Set(tokens.map((token) => getComputedStyle(token).color)).size)
    expect(colors).toBeGreaterThan(1)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Quickstart')
    expectGoodManners()
  })

  test('the theme can be changed and stays, in the viewer too', async () => {
    await visit(page, `${origin}/docs`)
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    for (const name of ['dark', 'light']) {
      await page.locator('starlight-theme-select select').first().selectOption(name)
      expect(await theme()).toBe(name)
      await reload(page)
      expect(await theme()).toBe(name)
    }
    await visitViewer(page, `${origin}/api-docs#tag/users/listUsers`)
    const background = () =>
      page
        .locator('#viewer .scalar-app')
        .first()
        .evaluate((part) => getComputedStyle(part).backgroundColor)
    const light = await background()
    await page.locator('starlight-theme-select select').first().selectOption('dark')
    await expect.poll(background).not.toBe(light)
    await visit(page, `${origin}/docs`)
    expect(await theme()).toBe('dark')
    expectGoodManners()
  })

  test('a phone has a menu that leads everywhere', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await visit(page, `${origin}/docs`)
    for (const [name, path] of [
      ['Reference', '/docs/reference/'],
      ['List users', '/docs/reference/list-users/'],
    ] as const) {
      const link = page.locator('#starlight__sidebar').getByRole('link', { name })
      expect(await link.isVisible()).toBe(false)
      await page.getByRole('button', { name: 'Menu' }).click()
      await link.click()
      await page.waitForURL(`${origin}${path}`)
    }
    expectGoodManners()
  })

  test('the docs can be used with the keyboard alone', async () => {
    await visit(page, `${origin}/docs/quickstart/`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Skip to content')
    await page.keyboard.press('Enter')
    const tab = page.getByRole('tab', { name: 'curl' }).first()
    await tab.focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('tab', { name: 'JavaScript' }).first().getAttribute('aria-selected')).toBe(
      'true',
    )
    expectGoodManners()
  })

  test('a sample is copied as it is, and its language is chosen once for all', async () => {
    await visit(page, `${origin}/docs/quickstart/`)
    await page.getByRole('tab', { name: 'Python' }).nth(1).click()
    const selected = page.getByRole('tab', { selected: true })
    expect(new Set(await selected.allTextContents().then((all) => all.map((text) => text.trim())))).toEqual(
      new Set(['Python']),
    )
    const sample = page.locator('.sample[data-request="firstCall"] [role="tabpanel"]:not([hidden])')
    await sample.hover()
    await sample.getByRole('button', { name: 'Copy to clipboard' }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^import json\nimport os\n\nimport requests\n\nresponse = requests\.get\(\n {4}"http/)
    await visit(page, `${origin}/docs/reference/get-user/`)
    expect((await selected.first().textContent())?.trim()).toBe('Python')
    expectGoodManners()
  })

  test('a page is copied as Markdown', async () => {
    await visit(page, `${origin}/docs/credits/`)
    await page.getByRole('button', { name: 'Copy page as Markdown' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(await (await fetch(`${origin}/docs/credits.md`)).text())
    await page.getByRole('link', { name: 'View as Markdown' }).click()
    await page.waitForURL(`${origin}/docs/credits.md`)
    expectGoodManners()
  })

  test('a page is copied in the click itself, as Safari requires', async () => {
    await visit(page, `${origin}/docs/credits/`)
    await page.evaluate(() => {
      let isInClick = false
      document.addEventListener(
        'click',
        () => {
          isInClick = true
          setTimeout(() => {
            isInClick = false
            document.title = 'The click is over'
          })
        },
        { capture: true },
      )
      for (const name of ['write', 'writeText'] as const) {
        const original: (data: never) => Promise<void> = navigator.clipboard[name].bind(navigator.clipboard)
        navigator.clipboard[name] = async (data: unknown) => {
          if (!isInClick) throw new DOMException('The request is not allowed', 'NotAllowedError')
          return original(data as never)
        }
      }
    })
    await page.route(/credits\.md$/, async (route) => {
      await page.waitForFunction(() => document.title === 'The click is over')
      await route.continue()
    })
    await page.getByRole('button', { name: 'Copy page as Markdown' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(await (await fetch(`${origin}/docs/credits.md`)).text())
  })

  test('an unknown page is the site’s own', async () => {
    const response = await visit(page, `${origin}/docs/no-such-page`)
    expect(response?.status()).toBe(404)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('404: no such page')
    await page.getByRole('button', { name: 'Search the docs' }).click()
    await page.getByRole('dialog').getByRole('textbox').waitFor()
  })

  test('the viewer has the document of this service, and no offers of others', async () => {
    await visitViewer(page, `${origin}/api-docs#tag/users/listUsers`)
    expect(listUrls().map((url) => url.pathname)).toContain('/openapi.json')
    expect(await page.getByText(/^(Ask AI|Open API Client|Share|Deploy|Configure)/).count()).toBe(0)
    expectGoodManners()
  })

  /** Enters a key in the header's dialog. */
  async function enterKey(text: string) {
    await page.getByRole('button', { name: 'Enter key' }).click()
    await page.getByLabel('Key', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
  }

  /** Sends the request of an open dialog, at the price that it shows, and waits for its response. */
  async function send(path: RegExp, { isFree = false } = {}) {
    const sent = page.waitForResponse(
      (response) => response.request().method() === 'GET' && path.test(new URL(response.url()).pathname),
    )
    await page.getByRole('button', { name: /^Send get request to/ }).click()
    if (!isFree) await page.getByRole('button', { name: /^Get it for/ }).click()
    return sent
  }

  test('a key is entered once: it is checked, sent on every endpoint, kept in the tab, and nowhere else', async () => {
    const { secret, id } = await portal.service.createKey({ credits: 1000 })
    await visitViewer(page, `${origin}/api-docs#tag/users/listUsers`)
    await enterKey(`Bearer ${secret.toUpperCase()}`)
    await page.locator('#key-balance', { hasText: '1,000 credits' }).waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('devdata-api-key'))).toBe(secret)
    await openRequest(page)
    const response = await send(/^\/users$/)
    expect(response.status()).toBe(200)
    expect(new URL(response.url()).searchParams.get('per_page')).toBe('2')
    expect(Object.keys(response.request().headers())).not.toContain('if-none-match')
    const headers = response.headers()
    const { balance, charged } = await portal.service.readLedger(id)
    expect(charged).toBeGreaterThan(0)
    expect([headers['x-credits-cost'], headers['x-credits-remaining']]).toEqual([
      String(charged),
      String(balance),
    ])
    await page.getByText('200 OK').waitFor()
    await page.locator('#key-balance', { hasText: `${balance} credits` }).waitFor()

    // After a reload, on another endpoint, the key is still there.
    await page.goto(`${origin}/api-docs#tag/repositories/getRepository`)
    await reload(page)
    await page.locator('#key-balance', { hasText: `${balance} credits` }).waitFor()
    await openRequest(page, page.locator('[id$="tag/repositories/getRepository"]'))
    expect((await send(/^\/repos\/./)).status()).toBe(200)

    // Another tab, and what outlives this one, have no key.
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie)
    expect(stored).not.toContain(secret)
    const other = await context.newPage()
    await visitViewer(other, `${origin}/api-docs#tag/users/listUsers`)
    await other.getByRole('button', { name: 'Enter key' }).waitFor()
    expectGoodManners()
  })

  test('the viewer marks a field that breaks its rule, and none that is left empty', async () => {
    await visitViewer(page, `${origin}/api-docs#tag/users/listUsers`)
    const dialog = await openRequest(page)
    const followers = dialog.getByRole('row').filter({ hasText: 'min_followers' }).first()
    const marks = dialog.getByRole('button', { name: 'Input is invalid' })
    await followers.waitFor()
    expect(await marks.count()).toBe(0)
    await followers.getByRole('combobox').last().fill('-7')
    await followers.getByRole('button', { name: 'Input is invalid' }).waitFor()
    expect(await marks.count()).toBe(1)
  })

  test('the viewer has one place for the key, and its lists of endpoints are links', async () => {
    await visitViewer(page, `${origin}/api-docs#tag/users/listUsers`)
    await page.getByRole('link', { name: 'get /users/{login}', exact: true }).click()
    await page.waitForURL(`${origin}/api-docs#tag/users/getUser`)
    const dialog = await openRequest(page, page.locator('[id$="tag/users/getUser"]'))
    expect(await dialog.getByRole('heading', { name: /^Authentication/ }).count()).toBe(0)
    expect(
      await page
        .getByText(/^Authentication$/)
        .filter({ visible: true })
        .count(),
    ).toBe(0)
    expectGoodManners()
  })

  test('on a phone, one tap on an endpoint leads to it, and to what comes back', async () => {
    await page.setViewportSize({ width: 390, height: 740 })
    await visit(page, `${origin}/api-docs`)
    await page.getByRole('button', { name: 'Enter key' }).click()
    await page.getByRole('button', { name: 'Use the demo key' }).click()
    await page.getByRole('button', { name: 'Change your key' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Get repository', exact: true }).click()
    const heading = page.getByRole('heading', { name: 'Get repository', exact: true })
    await heading.waitFor()
    const isShown = (locator: Locator) =>
      locator.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight
      })
    await expect.poll(() => isShown(heading)).toBe(true)
    await openRequest(page, page.locator('[id$="tag/repositories/getRepository"]'))
    await send(/^\/repos\/./)
    const status = page
      .getByRole('dialog')
      .getByText(/^\d{3} /)
      .filter({ visible: true })
    await expect.poll(() => isShown(status.first())).toBe(true)
    expectGoodManners()
  })

  test('a wrong key shows the documented error, and can be forgotten', async () => {
    await visitViewer(page, `${origin}/api-docs#tag/users/listUsers`)
    await enterKey('00000000-0000-4000-8000-000000000000')
    await page.locator('#key-state', { hasText: 'Invalid API key' }).waitFor()
    await page.keyboard.press('Escape')
    await openRequest(page)
    const response = await send(/^\/users$/, { isFree: true })
    expect([response.status(), await response.json()]).toEqual([401, { error: 'Invalid API key' }])
    await page.getByText('"Invalid API key"').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change your key' }).click()
    await page.getByRole('button', { name: 'Forget' }).click()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    // The browser itself reports the responses with 401, and nothing else.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
  })
})
