/**
 * The search: the first hit of what readers type, corrected typos, and the keyboard. Titles of pages are the promise
 * here.
 *
 * @module-tag later
 */
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SearchWords } from '../../docs-site/search-data.ts'
import { hasChromium, openPortal, visit } from '../support/browser.ts'
import { useStarted } from '../support/suite.ts'

/** Queries, and the title of their first hit. */
const firstHits = {
  // Money
  cost: 'Credits',
  'how much does it cost': 'Pricing',
  invoice: 'Pricing',
  refund: 'Pricing',
  price: 'Pricing',
  'balance is too low': 'Credits',
  free: 'Pricing',
  idempotency: 'Credits',
  // Statuses and headers
  304: 'Conditional requests',
  401: 'Errors',
  403: 'Errors',
  429: 'Rate limits and retries',
  etag: 'Conditional requests',
  'X-Total-Count': 'Pagination',
  'X-Credits-Remaining': 'Credits',
  // Lists
  'next page': 'Pagination',
  'total count': 'Pagination',
  sort: 'Pagination',
  'filter by location': 'Filter by location',
  commits: 'List commits',
  open_issues_count: 'Objects',
  forge_rest_id: 'Objects',
  'filter by country': 'Filter by location',
  'list users': 'List users',
  csv: 'Recipes',
  webhook: 'Webhook',
  // Keys and limits
  'api key': 'Authentication',
  bearer: 'Authentication',
  'rate limit': 'Rate limits and retries',
  limit: 'Rate limits and retries',
  retry: 'Rate limits and retries',
  // People and tools
  'delete user': 'Personal data',
  'How do I delete a user?': 'Personal data',
  gdpr: 'Personal data',
  python: 'Python client',
  openapi: 'Packages and tools',
  sdk: 'TypeScript client',
  'python sdk': 'Python client',
  mcp: 'Connect an assistant',
  'change log': 'Changelog',
  sandbox: 'Quickstart',
  ruby: 'Other languages and programs',
  // What buyers and newcomers ask
  'react developers in berlin': 'Recipes',
  min_followers: 'List users',
  author_email: 'Objects',
  'how old is the data': 'Coverage',
  'delete my data': 'Personal data',
  'npm package users': 'Filter by dependency',
  'download everything': 'Keep a copy',
  'terms of service': 'Pricing',
  uptime: 'Support',
  'sort by stars': 'Pagination',
  'log in': 'Authentication',
  'get a user by login': 'Get user',
  'sign in': 'Connect an assistant',
  '403 Client Error: Forbidden for url: http://localhost/users': 'Errors',
  // Questions of several words, which no page has all of
  'compare react and vue': 'Recipes',
  'how many users are there': 'Coverage',
  'which countries are covered': 'Coverage',
  'adoption of a library over time': 'History of a package',
  'subscription plans': 'Pricing',
  'loop over all pages': 'Pagination',
  'memory requirements': 'Limits, disk and memory',
  'nginx config': 'Put a proxy in front',
  // Words of readers that pages didn't have
  'developers in india': 'Filter by location',
  first_use_date: 'Filter by dependency',
  'request timed out': 'Errors',
  'exclude bots': 'The data',
  'which package managers are supported': 'Manifests',
  'do unused credits expire': 'Credits',
  'lost my api key': 'Authentication',
  'is it legal to email these people': 'Personal data',
  'create api key command': 'Keys',
  'issue a new key': 'Keys',
  'which organisations are covered': 'Coverage',
  'key leaked what now': 'Security',
  'stopped using jquery': 'Filter by dependency',
  // Pasted errors, and what the API doesn't have
  '{"error":"invalid api key"}': 'Invalid API key',
  'ECONNREFUSED 127.0.0.1:5432': 'Start and stop',
  graphql: 'Requests and responses',
  'commits of a user': 'Filtering',
  'npm install': 'TypeScript client',
  // Packages, which pages don't name or tell something else about
  'companies using kafka': 'Filter by dependency',
  'who still uses redis': 'Filter by dependency',
  'depends on lodash': 'Filter by dependency',
  'developers using docker': 'Filter by dependency',
  'migration from moment to dayjs': 'History of a package',
  // A word that a longer one is two letters from
  'talk to sales': 'Support',
  // Operators
  'address already in use': 'Start and stop',
  'give a customer credits': 'Keys',
  'docker compose': 'Containers',
  import: 'Load data',
  install: 'Install a release',
  postgres: 'Connect to PostgreSQL',
  docker: 'Containers',
  deno: 'Deno',
  backup: 'Upgrades and backups',
  // Typos
  pagnation: 'Pagination',
  idempotancy: 'Credits',
  'ratelimit retires': 'Rate limits and retries',
  crdits: 'Credits',
  'serch users': 'Filtering',
  webhok: 'Webhook',
}

describe.skipIf(!hasChromium())('the search', () => {
  const portal = useStarted(openPortal)
  let page: Page
  const complaints: string[] = []
  beforeAll(async () => {
    page = await (await portal.openContext({})).newPage()
    // The Content-Security-Policy concerns the index's worker and WebAssembly.
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    await visit(page, `${portal.origin}/docs/glossary/`)
  })
  afterEach(() => page.keyboard.press('Escape'))

  const input = () => page.getByRole('dialog').getByRole('textbox', { name: 'Search' })
  const hits = () => page.locator('site-search ol > li > a')
  const readFocus = () => page.evaluate(() => document.activeElement?.textContent)
  const search = async (query: string) => {
    await input().fill('')
    await page.locator('site-search li').first().waitFor({ state: 'detached' })
    await input().fill(query)
    await page.locator('site-search [role=status]:not(:empty)').waitFor()
  }

  test('has the page first that tells what was asked', async () => {
    await page.keyboard.press('Control+k')
    const found: Record<string, string | undefined> = {}
    for (const query of Object.keys(firstHits)) {
      await search(query)
      found[query] = (await hits().allTextContents())[0]
    }
    expect(found).toEqual(firstHits)
    expect(complaints).toEqual([])
  })

  test('finds each error message by its text, and before anything is typed shows what is often read', async () => {
    await page.keyboard.press('Control+k')
    await input().fill('')
    await page.locator('site-search .curated a').first().waitFor()
    const text = await (await fetch(`${portal.origin}/docs/pagefind/words.json`)).text()
    const { messages }: SearchWords = JSON.parse(text)
    expect(messages.length).toBeGreaterThan(40)
    const missed: string[] = []
    for (const [message] of messages) {
      await search(message)
      const [first = ''] = await hits().allTextContents()
      if (first !== message)
        missed.push(
          `${message} -> ${first} (${await page.locator('site-search [role=status]').textContent()})`,
        )
    }
    expect(missed).toEqual([])
    expect(await page.locator('site-search .curated a').first().isVisible()).toBe(false)
  })

  test('says which word it took for a typo, and that it found nothing', async () => {
    await page.keyboard.press('Control+k')
    await search('pagnation')
    const status = page.getByRole('dialog').getByRole('status')
    expect(await status.textContent()).toMatch(/^\d+ pages for "pagination"\.$/)
    await search('qqqqqqqqqq')
    expect(await status.textContent()).toBe('No page has "qqqqqqqqqq".')
    expect(await hits().count()).toBe(0)
  })

  test('works with the keyboard: open, choose, follow and close', async () => {
    await page.keyboard.press('Control+k')
    await search('credits')
    await page.keyboard.press('ArrowDown')
    const title = await hits().first().textContent()
    expect(await readFocus()).toBe(title)
    await page.keyboard.press('ArrowDown')
    expect(await readFocus()).not.toBe(title)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await input().evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Control+k')
    await search('credits')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/credits/')
    await page.keyboard.press('Control+k')
    await search('etag')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/conditional-requests/')
  })

  test('Enter that ends the composition of a word follows nothing', async () => {
    await page.keyboard.press('Control+k')
    await search('credits')
    const opened: string[] = []
    await page.exposeFunction('keepClick', (url: string) => opened.push(new URL(url).pathname))
    await page.evaluate(() =>
      document.addEventListener(
        'click',
        (event) => {
          if (!(event.target instanceof HTMLAnchorElement)) return
          event.preventDefault()
          event.stopPropagation()
          void (window as unknown as { keepClick(url: string): void }).keepClick(event.target.href)
        },
        { capture: true },
      ),
    )
    for (const composing of [{ isComposing: true }, { keyCode: 229 }]) {
      await input().dispatchEvent('keydown', { key: 'Enter', bubbles: true, ...composing })
    }
    await search('etag')
    await page.keyboard.press('Enter')
    await expect.poll(() => opened).toContain('/docs/conditional-requests/')
    expect(opened).toEqual(['/docs/conditional-requests/'])
    await visit(page, `${portal.origin}/docs/glossary/`)
  })
})
