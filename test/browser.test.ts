import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildDocs } from '../docs-site/build.ts'
import { createInstance } from './support/instance.ts'
import { startTestService, type TestService } from './support/service.ts'

const chromiumPath = process.env.CHROMIUM_PATH || '/usr/bin/chromium'
const hasChromium = existsSync(chromiumPath)
if (!hasChromium) {
  if (process.env.CI) throw new Error(`CI must not skip the browser tests: there is no ${chromiumPath}`)
  console.warn(`Browser tests are skipped: there is no ${chromiumPath}; name a Chromium in CHROMIUM_PATH`)
}

const specification = await readFile(join(import.meta.dirname, '..', 'openapi.yml'), 'utf8')
/** The summaries of all operations of an OpenAPI document, in its order. */
function readSummaries(document: { paths: Record<string, Record<string, { summary?: string }>> }): string[] {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  return operations.flatMap(({ summary }) => (summary ? [summary] : []))
}

describe.skipIf(!hasChromium)('in a browser', () => {
  let service: TestService
  let server: ReturnType<typeof createAdaptorServer>
  let origin: string
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let requested: URL[]
  let complaints: string[]

  beforeAll(async () => {
    await buildDocs({ ifStale: true })
    service = await startTestService('embedded')
    server = createAdaptorServer({ fetch: createInstance(service).app.fetch })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    origin = `http://127.0.0.1:${port}`
    browser = await chromium.launch({
      executablePath: chromiumPath,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  }, 300_000)

  afterAll(async () => {
    await browser?.close()
    await new Promise((closed) => server.close(closed))
    await service.close()
  })

  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
    requested = []
    complaints = []
    page.on('request', (request) => requested.push(new URL(request.url())))
    page.on('pageerror', (error) => complaints.push(error.message))
    // A breach of the Content-Security-Policy is an error on the console too.
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
  })

  afterEach(() => context.close())

  /** What every page promises: nothing from another host, and nothing that the browser objects to. */
  function expectGoodManners() {
    const hosts = requested.filter((url) => /^(https?|wss?):$/.test(url.protocol)).map((url) => url.origin)
    expect([...new Set(hosts)]).toEqual([origin])
    expect(complaints).toEqual([])
  }

  test('the home page renders and leads to the quickstart', async () => {
    await page.goto(`${origin}/docs`, { waitUntil: 'networkidle' })
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('devdata')
    // Colours of samples are style attributes; were they refused, all tokens would look the same.
    const colours = await page
      .locator('pre code span[style]')
      .evaluateAll((tokens) => new Set(tokens.map((token) => getComputedStyle(token).color)).size)
    expect(colours).toBeGreaterThan(1)
    await page.getByRole('main').getByRole('link', { name: 'Quickstart', exact: true }).first().click()
    await page.waitForURL(`${origin}/docs/quickstart/`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Quickstart')
    expectGoodManners()
  }, 60_000)

  test('the search finds the page about credits', async () => {
    await page.goto(`${origin}/docs/quickstart`, { waitUntil: 'networkidle' })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill('balance is too low')
    const result = page.getByRole('dialog').locator('a[href^="/docs/credits/"]').first()
    await result.waitFor({ timeout: 20_000 })
    await result.click()
    await page.waitForURL(`${origin}/docs/credits/**`)
    expectGoodManners()
  }, 60_000)

  test('the theme can be changed and stays', async () => {
    await page.goto(`${origin}/docs`, { waitUntil: 'networkidle' })
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    for (const name of ['dark', 'light']) {
      await page.locator('starlight-theme-select select').first().selectOption(name)
      expect(await theme()).toBe(name)
      await page.reload({ waitUntil: 'networkidle' })
      expect(await theme()).toBe(name)
    }
    expectGoodManners()
  }, 60_000)

  test('the viewer shows every operation of openapi.yml', async () => {
    await page.goto(`${origin}/api-docs`, { waitUntil: 'networkidle' })
    const summaries = readSummaries(parse(specification))
    expect(summaries.length).toBeGreaterThanOrEqual(10)
    const sidebar = page.locator('aside').first()
    await sidebar.getByText(summaries[0] ?? '', { exact: true }).waitFor({ timeout: 30_000 })
    const shown = (await sidebar.textContent()) ?? ''
    expect(summaries.filter((summary) => !shown.includes(summary))).toEqual([])
    expect(requested.map((url) => url.pathname)).toContain('/openapi.yml')
    expectGoodManners()
  }, 90_000)

  test('the viewer makes a live call with the key that is entered', async () => {
    const { secret, id } = await service.createKey({ credits: 1000 })
    await page.goto(`${origin}/api-docs`, { waitUntil: 'networkidle' })
    await page.getByPlaceholder('Token').fill(secret)
    await page.getByRole('button', { name: 'Test Request' }).first().click()
    const sent = page.waitForResponse((response) => new URL(response.url()).pathname === '/users')
    await page.getByRole('button', { name: 'Send get request to' }).click()
    const response = await sent
    expect(response.status()).toBe(200)
    const headers = response.headers()
    const { balance, charged } = await service.readLedger(id)
    expect([headers['x-credits-cost'], headers['x-credits-remaining']]).toEqual([
      String(charged),
      String(balance),
    ])
    await page.getByText('200 OK').waitFor()
    expectGoodManners()
  }, 90_000)
})
