/** A browser for tests, and a server for it: the portal with the sample data behind it. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
  type Response,
} from 'playwright-core'
import { docsDirectory, findDocs } from '../../api/portal/docs-manifest.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { listPages } from './docs.ts'
import { createInstance, type InstanceOptions } from './instance.ts'
import { anyDatabase, startTestService, type TestService } from './service.ts'

/** It ends what hangs, and is not a measure of this machine. */
const timeoutMs = 120_000

const chromiumPath = process.env.CHROMIUM_PATH || '/usr/bin/chromium'

/** Whether there is a Chromium here. Without one the tests that need it are skipped, with the reason; never in CI. */
export function hasChromium(): boolean {
  if (existsSync(chromiumPath)) return true
  if (process.env.CI) throw new Error(`CI must not skip the browser tests: there is no ${chromiumPath}`)
  console.warn(`Browser tests are skipped: there is no ${chromiumPath}; name a Chromium in CHROMIUM_PATH`)
  return false
}

/** A running portal and a browser. */
export interface Portal {
  service: TestService
  origin: string
  /** Opens pages that share cookies and storage with no others. */
  openContext(options: BrowserContextOptions): Promise<BrowserContext>
  close(): Promise<void>
}

/** Starts a browser. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    timeout: timeoutMs,
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
}

/** Builds the docs if they are stale, and starts a service, a server and a browser. */
export async function openPortal(
  createOptions: (service: TestService) => Promise<InstanceOptions> = async () => ({}),
): Promise<Portal> {
  await buildDocs({ ifStale: true })
  const service = await startTestService(anyDatabase)
  const { app } = createInstance(service, await createOptions(service))
  const server = createAdaptorServer({ fetch: app.fetch })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const browser = await openBrowser()
  return {
    service,
    origin: `http://127.0.0.1:${port}`,
    async openContext(options) {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(timeoutMs)
      return context
    },
    async close() {
      await browser.close()
      await new Promise((closed) => server.close(closed))
      await service.close()
    },
  }
}

/** A tab of a browser with a storage of its own. */
export interface Tab {
  context: BrowserContext
  page: Page
  /** Requests of the page, oldest first. */
  requested: Request[]
  /** Errors of scripts and of the console, such as breaches of the Content-Security-Policy. */
  complaints: string[]
}

/** Opens an empty tab of the size of a laptop. */
export async function openTab(portal: Portal): Promise<Tab> {
  const context = await portal.openContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const requested: Request[] = []
  const complaints: string[] = []
  page.on('request', (request) => requested.push(request))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  return { context, page, requested, complaints }
}

interface AxeResults {
  violations: { id: string; nodes: { target: unknown[] }[] }[]
}

/** What axe objects to, a line for each element. */
export async function runAxe(
  page: Page,
  rules: Record<string, { enabled: boolean }> = {},
): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) {
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  }
  // Without `resultTypes`, it would describe each element that it does not object to.
  const options = { resultTypes: ['violations'], rules }
  const { violations }: AxeResults = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** The paths of all pages of the docs, and of one that is not there. */
export async function listPortalPages(): Promise<string[]> {
  const docs = await findDocs(docsDirectory)
  const pages = docs === undefined ? [] : listPages(docs)
  if (pages.length <= 50) throw new Error(`there are ${pages.length} pages alone`)
  return [...pages.map((page) => `/docs/${page}${page && '/'}`), '/docs/no-such-page']
}

/**
 * Goes to a page, and waits until its scripts have run and the network is idle. On a busy machine, half a second
 * without requests (`networkidle`) can pass before the first script. Modules run before `load`.
 */
export async function visit(page: Page, url: string): Promise<Response | null> {
  const response = await page.goto(url, { waitUntil: 'load' })
  await page.waitForLoadState('networkidle')
  return response
}

/** Loads the page again, and waits as {@link visit} does. */
export async function reload(page: Page): Promise<void> {
  await page.reload({ waitUntil: 'load' })
  await page.waitForLoadState('networkidle')
}

/**
 * Goes to an operation of the viewer, and waits until Scalar has drawn: its buttons do nothing before. It can take
 * longer to start than the network is idle.
 */
export async function visitViewer(page: Page, url: string): Promise<void> {
  await visit(page, url)
  await page.locator('#viewer .section-header-label').first().waitFor()
}

/**
 * Opens the dialog "Test Request" of an operation, or of the first one. Scalar redraws its buttons while it starts, and
 * a click on a removed button is lost. Then this clicks again.
 */
export async function openRequest(
  page: Page,
  operation: Locator = page.locator('#viewer'),
): Promise<Locator> {
  const dialog = page.getByRole('dialog')
  const heading = dialog.getByRole('heading', { name: 'Headers' })
  const button = operation.getByRole('button', { name: /^Test Request/ }).first()
  for (let isOpen = false; !isOpen; ) {
    await button.click()
    isOpen = await heading.waitFor({ timeout: 20_000 }).then(
      () => true,
      () => false,
    )
  }
  return dialog
}
