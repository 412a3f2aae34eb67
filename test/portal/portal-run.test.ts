/** @module-tag later */
import type { Locator, Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, openPortal, openTab, visit } from '../support/browser.ts'
import { useStarted } from '../support/suite.ts'

/** One tab with one key, which the tests use in order, as a reader would. */
describe.skipIf(!hasChromium())('Run, in a browser', () => {
  const portal = useStarted(() =>
    openPortal(async (service) => {
      demoKey = (await service.createKey({ credits: 1_000 })).secret
      return { readDemoKey: () => demoKey }
    }),
  )
  let demoKey: string
  let page: Page
  let requested: Request[]

  beforeAll(async () => {
    ;({ page, requested } = await openTab(portal))
  })

  /** The sample of a request on the page. */
  const findSample = (name: string) => page.locator(`.sample[data-request="${name}"]`)
  const clickRun = (sample: Locator) => sample.getByRole('button', { name: 'Run', exact: true }).click()
  const readPaths = () => requested.map((request) => `${request.method()} ${new URL(request.url()).pathname}`)

  /** Holds back the next request of this method and path. The returned function lets it go, and waits until it has ended. */
  async function holdRequest(method: string, pathname: string): Promise<() => Promise<void>> {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: held, resolve: hold } = Promise.withResolvers<Request>()
    let isHeld = false
    await page.route(
      (url) => url.pathname === pathname,
      async (route) => {
        if (route.request().method() !== method || isHeld) return route.fallback()
        isHeld = true
        hold(route.request())
        await gate
        await route.continue()
      },
    )
    return async () => {
      const request = await held
      const ended = page.waitForResponse((response) => response.request() === request)
      open()
      await (await ended).finished()
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve))) // The page has read it.
      await page.unrouteAll()
    }
  }

  async function enterKey(key: string): Promise<void> {
    await page.getByRole('button', { name: 'Change your key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Key', { exact: true }).fill(key)
    await dialog.getByRole('button', { name: 'Use this key' }).click()
    await dialog.waitFor({ state: 'hidden' }) // It closes once the service has accepted the key.
  }

  async function readNewestEntry(): Promise<Record<string, unknown>> {
    const headers = { Authorization: `Bearer ${demoKey}` }
    const response = await fetch(`${portal.origin}/api-key/usage?per_page=1`, { headers })
    const { data }: { data: Record<string, unknown>[] } = await response.json()
    return data[0] ?? {}
  }

  test('without a key, Run sends nothing and asks for one, and the demo key is one click away', async () => {
    await visit(page, `${portal.origin}/docs/reference/list-users/`)
    const sample = findSample('listUsers')
    const tokens = sample.locator('starlight-tabs .ec-line span:not(:empty)')
    const colored = await tokens.count()
    await clickRun(sample)
    await sample.getByText('Enter your key first.').waitFor()
    expect(readPaths()).not.toContain('HEAD /users')
    await page.getByRole('button', { name: 'Use the demo key' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await sample.textContent()).not.toContain(demoKey)
    await page.getByRole('button', { name: 'Change your key' }).click()
    await page.getByRole('dialog').getByText('1,000 credits left').waitFor()
    await page.getByRole('checkbox', { name: /Show the key/ }).check()
    expect(await sample.textContent()).toContain(`Bearer ${demoKey}`)
    await page.getByRole('checkbox', { name: /Show the key/ }).uncheck()
    expect(await tokens.count()).toBe(colored)
    await page.keyboard.press('Escape')
  })

  test('the quickstart begins with a request that runs, with the demo key in its field', async () => {
    const { page, context } = await openTab(portal)
    await visit(page, `${portal.origin}/docs/quickstart/`)
    const field = page.locator('.key-field').getByRole('textbox')
    await expect.poll(() => field.inputValue()).toBe(demoKey)
    await page.getByText('This is the demo key of this trial service.').waitFor()
    const sample = page.locator('.sample[data-request="firstCall"]')
    // All of it is on the first screen.
    const { y = 9999 } = (await sample.getByRole('button', { name: 'Run', exact: true }).boundingBox()) ?? {}
    expect(y).toBeLessThan(800)
    await clickRun(sample)
    // Run means the key in the field.
    await sample.getByText('51 users · this page: 1 credit · HEAD was free').waitFor()
    await page
      .locator('.key-field')
      .getByText(/1,000 credits left/)
      .waitFor()
    expect(await field.inputValue()).toBe(`…${demoKey.slice(-4)}`)
    // A typo is refused before it is sent.
    await field.fill('not a key')
    await page.locator('.key-field').getByRole('button', { name: 'Use this key' }).click()
    await page.getByText(/^Invalid key: must be a UUID/).waitFor()
    await context.close()
  })

  test('the errors page leads from a pasted message to its section', async () => {
    const { page, context } = await openTab(portal)
    await visit(page, `${portal.origin}/docs/errors/`)
    const finder = page.locator('.error-finder')
    for (const [pasted, anchor] of [
      ['{"error":"insufficient credits: need 7, have 3"}', '#insufficient-credits-need-30-have-12'],
      ['"Invalid API key"', '#invalid-api-key'],
      ['Unknown parameter: loc; did you mean location?', '#unknown-parameter-perpage-did-you-mean-per_page'],
      ['404', '#404-not-found'],
      [
        'requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: http://a/users',
        '#403-forbidden',
      ],
      ['AxiosError: Request failed with status code 429', '#429-too-many-requests'],
      ['urllib.error.HTTPError: HTTP Error 401: Unauthorized', '#401-unauthorized'],
      ['curl: (22) The requested URL returned error: 503', '#503-service-unavailable'],
      ['authorization header required', '#authorization-header-required'],
      // Python's bytes escape the quotes that end them, and dictionaries have quotes of their own.
      [
        String.raw`b'{"error":"Invalid authorization format. Use \'Bearer <API_KEY>\'"}'`,
        '#invalid-authorization-format-use-bearer-api_key',
      ],
      [`{'error': 'Invalid API key', 'request_id': '1'}`, '#invalid-api-key'],
    ] as const) {
      await finder.getByRole('textbox').fill(pasted)
      await expect
        .poll(() => finder.getByRole('link').first().getAttribute('href'))
        .toBe(`/docs/errors/${anchor}`)
    }
    await finder.getByRole('textbox').fill('X-Error-Code: user_not_found')
    await finder.getByText('user_not_found: Continue without the user.').waitFor()
    await finder.getByRole('textbox').fill('segmentation fault')
    await finder.getByText(/^No message of this page begins like this/).waitFor()
    await finder.getByRole('textbox').fill('Invalid API key')
    await finder.getByRole('textbox').press('Enter')
    await page.waitForURL('**/docs/errors/#invalid-api-key')
    await context.close()
  })

  test('the price comes first, then the response, and the receipt is the entry of the ledger', async () => {
    await visit(page, `${portal.origin}/docs/reference/list-users/`) // The key stays.
    await page.locator('#key-balance').getByText('1,000 credits').waitFor()
    const sample = findSample('listUsers')
    await sample.getByLabel('per_page', { exact: true }).fill('2')
    expect(await sample.locator('pre').first().textContent()).toContain('dependency_names=react&per_page=2"')
    requested.length = 0
    await clickRun(sample)
    await sample.getByText('23 users · this page: 2 credits · HEAD was free').waitFor()
    expect(readPaths()).toEqual(['HEAD /users'])

    await sample.getByRole('button', { name: 'Get it for 2 credits' }).click()
    const receipt = sample.locator('.receipt')
    await receipt.waitFor()
    const response = sample.getByRole('region', { name: 'Live response' })
    expect(await response.locator('mark').textContent()).toBe('X-Credits-Cost: 2')
    const entry = await readNewestEntry()
    expect(entry).toMatchObject({ kind: 'charge', path: '/users', cost: 2, items: 2, balance: 998 })
    const shown = await receipt.locator('dd').allTextContents()
    expect(shown.join('\n')).toContain(`${entry.request_id}`)
    expect(shown).toEqual(expect.arrayContaining(['GET /users', '2 credits, 2 items', '998 credits']))
    expect(await response.locator('pre').textContent()).toContain(`X-Request-Id: ${entry.request_id}`)

    await receipt.getByRole('button', { name: /Send again .* 0 credits/ }).click()
    await receipt.getByText('The ledger has no new entry').waitFor()
    expect(await response.locator('pre').textContent()).toMatch(
      /X-Credits-Cost: 0[\s\S]*Idempotency-Replayed: true/,
    )
    expect(await readNewestEntry()).toEqual(entry)
    expect(await page.locator('#key-balance').textContent()).toBe('998 credits')
  })

  test('an error offers its correction, which is free until the reader accepts the price', async () => {
    const sample = findSample('listUsers')
    await sample.getByLabel('per_page', { exact: true }).fill('101')
    await clickRun(sample)
    await sample.getByRole('link', { name: /^Invalid per_page: must be an integer/ }).waitFor()
    await sample.getByRole('button', { name: 'Use per_page=100' }).click()
    await sample.getByText('23 users · 23 credits · HEAD was free').waitFor()

    await visit(page, `${portal.origin}/docs/filtering/`)
    const unknown = findSample('unknownParameter')
    await clickRun(unknown)
    await unknown.getByRole('button', { name: 'Use dependency_names' }).click()
    await unknown.getByText(/repositories · .* · HEAD was free/).waitFor()
    expect(await unknown.locator('pre').first().textContent()).toContain('/repos?dependency_names=hono')
    expect(await readNewestEntry()).toMatchObject({ balance: 998 })
  })

  test('a price and a response belong to the request and the key that they were asked with', async () => {
    const { secret } = await portal.service.createKey({ credits: 500 })
    await visit(page, `${portal.origin}/docs/reference/list-users/`)
    const sample = findSample('listUsers')
    const size = sample.getByLabel('per_page', { exact: true })
    const offers = sample.locator('.run-pay')
    await size.fill('2')
    const sendOldPath = await holdRequest('HEAD', '/users')
    await clickRun(sample)
    await size.fill('3')
    await clickRun(sample)
    await sample.getByText('this page: 3 credits').waitFor()
    await sendOldPath()
    expect(await offers.allTextContents()).toEqual(['Get it for 3 credits'])

    // To show the key is not to change it.
    await page.getByRole('button', { name: 'Change your key' }).click()
    await page.getByRole('checkbox', { name: /Show the key/ }).check()
    await page.getByRole('checkbox', { name: /Show the key/ }).uncheck()
    await page.keyboard.press('Escape')
    expect(await offers.allTextContents()).toEqual(['Get it for 3 credits'])

    const sendOldKey = await holdRequest('HEAD', '/users')
    await clickRun(sample)
    await enterKey(secret)
    await sendOldKey()
    expect(await offers.count()).toBe(0)

    await clickRun(sample)
    const payPath = await holdRequest('GET', '/users')
    await offers.click()
    await size.fill('4')
    await payPath()
    await sample.getByText('Your former request: 200, 3 credits.').waitFor()
    expect(await sample.locator('.live').isVisible()).toBe(false)

    await clickRun(sample)
    await offers.click()
    await sample.getByRole('button', { name: /^Send again/ }).waitFor()
    await size.fill('5')
    expect(await sample.locator('.live').textContent()).toBe('')
    await enterKey(demoKey)
  })

  test('to send again never costs anything, and says so only if it was a replay', async () => {
    await visit(page, `${portal.origin}/docs/reference/list-users/`)
    const sample = findSample('listUsers')
    await sample.getByLabel('per_page', { exact: true }).fill('1')
    await clickRun(sample)
    await sample.getByRole('button', { name: 'Get it for 1 credit' }).click()
    const again = sample.getByRole('button', { name: /^Send again/ })
    await again.waitFor()
    await page.route(/\/users\?/, (route) =>
      route.fulfill({ status: 503, headers: { 'X-Request-Id': 'none' }, json: { error: 'Not now' } }),
    )
    const sent = page.waitForRequest(/\/users\?/)
    await again.click()
    expect((await (await sent).allHeaders())['max-credits']).toBe('0')
    await sample.getByRole('link', { name: 'Not now' }).waitFor()
    await sample.getByText('503, 0 credits.').waitFor()
    await readNewestEntry() // Time enough for the page to read it too.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    expect(await sample.textContent()).not.toContain('no new entry')
    await page.unrouteAll()
  })

  test('a response that is lost is not paid again, and the next request is another one', async () => {
    const { secret } = await portal.service.createKey({ credits: 3 })
    await visit(page, `${portal.origin}/docs/reference/list-users/`)
    await enterKey(secret)
    const sample = findSample('listUsers')
    await sample.getByLabel('per_page', { exact: true }).fill('3')
    const pay = sample.getByRole('button', { name: 'Get it for 3 credits' })
    const sent: (string | undefined)[] = [] // idempotency keys
    const isPaid = (request: Request) => request.method() === 'GET'
    page.on('request', (request) => {
      if (isPaid(request) && request.url().includes('/users?'))
        sent.push(request.headers()['idempotency-key'])
    })
    for (const status of [undefined, 502, 429]) {
      await page.route(/\/users\?/, async (route) => {
        if (!isPaid(route.request())) return route.fallback()
        await route.fetch() // The service has charged it.
        return status ? route.fulfill({ status, body: '' }) : route.abort()
      })
      await clickRun(sample)
      await pay.click()
      await sample.getByText(/^(The API is unreachable|502, free|429, free)\.$/).waitFor()
      await page.unrouteAll()
    }
    await clickRun(sample)
    await sample.getByText('If you paid for the lost response, that counts.').waitFor()
    await pay.click()
    await sample.getByText('200, free.').waitFor()
    const response = sample.getByRole('region', { name: 'Live response' })
    expect(await response.locator('pre').textContent()).toMatch(/Idempotency-Replayed: true/)
    await sample.getByLabel('per_page', { exact: true }).fill('2')
    await clickRun(sample)
    await sample.getByText('You have 0 credits.').waitFor()
    expect(sent).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), sent[0], sent[0], sent[0]])
    await enterKey(demoKey)
    for (let count = 0; count < 2; count++) {
      await clickRun(sample)
      await sample.getByRole('button', { name: 'Get it for 2 credits' }).click()
      await sample.getByText('200, 2 credits.').waitFor()
      await sample.getByRole('button', { name: /^Send again/ }).waitFor()
    }
    expect(new Set(sent).size).toBe(3)
  })

  test('an error is shown even if its explanation does not load', async () => {
    await page.route(/\/docs\/errors\/$/, (route) => route.abort())
    const sample = findSample('listUsers')
    await sample.getByLabel('per_page', { exact: true }).fill('0')
    await clickRun(sample)
    await sample.getByRole('link', { name: /^Invalid per_page/ }).waitFor()
    expect(await sample.locator('.live .chip').textContent()).toMatch(/^400/)
    await page.unrouteAll()
  })

  test('the dialog says whether the key or the service is the reason, and refuses what no header can have', async () => {
    const dialog = page.getByRole('dialog')
    await page.route(/\/api-key\/credits$/, (route) => route.fulfill({ status: 503, body: '<p>busy' }))
    await page.reload()
    await page.getByRole('button', { name: 'Change your key' }).click()
    await dialog.getByText('The response has status 503').waitFor()
    expect(await page.locator('#key-balance').textContent()).toBe('')
    await page.unrouteAll()
    await dialog.getByRole('button', { name: 'Use this key' }).click() // The same key, once more.
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Change your key' }).click()
    await dialog.getByLabel('Key', { exact: true }).fill('schlüssel')
    await dialog.getByRole('button', { name: 'Use this key' }).click()
    await dialog.getByText(/^Invalid key: /).waitFor()
    await dialog.getByLabel('Key', { exact: true }).fill(`Authorization: Bearer ${demoKey.toUpperCase()}`)
    await dialog.getByRole('button', { name: 'Use this key' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.evaluate(() => sessionStorage.getItem('devdata-api-key'))).toBe(demoKey)
  })

  test('the dialog stays open while its reader is at work, though the key of the page was accepted', async () => {
    const state = page.locator('#key-state')
    const dialog = page.getByRole('dialog')
    const accept = await holdRequest('GET', '/api-key/credits')
    await page.reload()
    await page.getByRole('button', { name: 'Change your key' }).click()
    await accept()
    await expect.poll(() => state.textContent()).toMatch(/credits left$/)
    expect(await dialog.isVisible()).toBe(true)

    const acceptEntered = await holdRequest('GET', '/api-key/credits')
    await dialog.getByRole('button', { name: 'Use this key' }).click()
    await dialog.getByLabel('Key', { exact: true }).fill('7e1f0c1e')
    await acceptEntered()
    await expect.poll(() => state.textContent()).toMatch(/credits left$/)
    expect(await dialog.isVisible()).toBe(true)
    await page.keyboard.press('Escape')
  })

  test('the key is in no URL, and "Forget" removes it from the tab', async () => {
    await visit(page, `${portal.origin}/docs/authentication/`)
    const sample = findSample('getCredits')
    await clickRun(sample)
    await sample.locator('.live').getByText('"api_key"').waitFor()
    expect((await page.content()).includes(demoKey)).toBe(false)
    await page.getByRole('button', { name: 'Change your key' }).click()
    await page.getByRole('checkbox', { name: /Show the key/ }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change your key' }).click()
    await page.getByRole('button', { name: 'Forget' }).click()
    const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))
    expect(stored).not.toContain(demoKey)
    expect((await page.content()).includes(demoKey)).toBe(false)
    expect(requested.filter((request) => request.url().includes(demoKey))).toEqual([])
    expect(new Set(requested.map((request) => new URL(request.url()).origin))).toEqual(
      new Set([portal.origin]),
    )
  })
})
