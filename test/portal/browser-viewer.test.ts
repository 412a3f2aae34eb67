/**
 * The requests of the viewer: what is typed is what is sent, at a price that the reader has seen.
 *
 * @module-tag later
 */
import type { BrowserContext, Locator, Page, Request } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasChromium, openPortal, openRequest, openTab, visitViewer } from '../support/browser.ts'
import { useStarted } from '../support/suite.ts'

describe.skipIf(!hasChromium())('the viewer, in a browser', () => {
  const portal = useStarted(openPortal)
  let context: BrowserContext
  let page: Page
  let requested: Request[]
  beforeEach(async () => {
    ;({ context, page, requested } = await openTab(portal))
  })
  afterEach(() => context.close())

  /** Opens an operation with a new key in the tab. Returns the dialog that sends its request. */
  async function open(
    operation: string,
    credits = 1_000,
  ): Promise<{ dialog: Locator; id: number; key: string }> {
    const { secret: key, id } = await portal.service.createKey({ credits })
    await page.addInitScript((text) => sessionStorage.setItem('devdata-api-key', text), key)
    await visitViewer(page, `${portal.origin}/api-docs#tag/${operation}`)
    const dialog = await openRequest(page, page.locator(`[id$="tag/${operation}"]`))
    requested.length = 0
    return { dialog, id, key }
  }

  /** The requests to the API, without those of the page. */
  const listSent = () =>
    requested.filter((request) => /^\/(users|repos|api-key)\b/.test(new URL(request.url()).pathname))
  const send = () => page.getByRole('button', { name: /^Send get request to/ }).click()
  const price = () => page.locator('#price')
  const findRow = (dialog: Locator, name: string) =>
    dialog
      .getByRole('row')
      .filter({ has: page.getByText(name, { exact: true }) })
      .first()
  const findValue = (row: Locator) => row.getByRole('combobox').last()
  const readQuery = (request: Request | undefined) => [
    ...new URL(request?.url() ?? 'http://none').searchParams,
  ]

  test('what is typed is one value, in the request as in its code, and is charged as the price says', async () => {
    const { dialog, id } = await open('users/listUsers')
    await findValue(findRow(dialog, 'location')).fill('Berlin, Germany')
    await findValue(findRow(dialog, 'dependency_names')).fill('react, hono')
    for (const name of ['dependency_files', 'dependency_status']) {
      await findRow(dialog, name).getByRole('checkbox').uncheck()
    }
    await send()
    await price().getByText('8 users · this page: 2 credits · HEAD was free').waitFor()
    expect(listSent().map((request) => request.method())).toEqual(['HEAD'])
    const query = [
      ['page', '1'],
      ['per_page', '2'],
      ['location', 'Berlin, Germany'],
      ['dependency_names', 'react, hono'],
    ]
    expect(readQuery(listSent()[0])).toEqual(query)

    await price().getByRole('button', { name: 'Get it for 2 credits' }).click()
    await dialog.getByText('200 OK').waitFor()
    const receipt = page.getByRole('complementary', { name: 'Receipt' })
    await receipt.getByText('2 credits, 2 items').waitFor()
    const sent = listSent().map((request) => `${request.method()} ${new URL(request.url()).pathname}`)
    expect(sent).toEqual(['HEAD /users', 'GET /users', 'GET /api-key/usage'])
    await receipt.getByRole('button', { name: 'Close' }).click()
    expect(await receipt.isVisible()).toBe(false)
    expect(readQuery(listSent()[1])).toEqual(query)
    expect(listSent()[1]?.headers()['max-credits']).toBe('2')
    expect(await portal.service.readLedger(id)).toMatchObject({ charged: 2 })
    await page.locator('#key-balance', { hasText: '998 credits' }).waitFor()

    await dialog.getByRole('button', { name: 'Code Snippet' }).click()
    const code = await dialog.locator('pre').filter({ hasText: 'curl' }).first().textContent()
    const [, url = ''] = /'(http[^']+)'/.exec(code ?? '') ?? []
    expect([...new URL(url).searchParams]).toEqual(query)
  })

  test('several places are several rows', async () => {
    const { dialog } = await open('users/listUsers')
    for (const name of ['dependency_names', 'dependency_files', 'dependency_status']) {
      await findRow(dialog, name).getByRole('checkbox').uncheck()
    }
    const query = dialog.getByRole('table').filter({ has: page.getByText('per_page', { exact: true }) })
    await query.getByRole('row').last().getByRole('combobox').first().fill('location')
    // Scalar takes what is typed after a pause. It then empties the first row of a name that a second one gets, and
    // checks the second one with its value.
    const rows = query.getByRole('row').filter({ hasText: 'location' })
    await expect.poll(() => rows.allTextContents()).toEqual(['location', 'location'])
    await findValue(rows.last()).fill('Lisbon, Portugal')
    await expect.poll(() => rows.getByRole('checkbox', { checked: true }).count()).toBe(2)
    await findValue(rows.first()).fill('germany')
    await send()
    await price()
      .getByText(/users · this page: 2 credits/)
      .waitFor()
    const places = readQuery(listSent()[0]).filter(([name]) => name === 'location')
    expect(places).toEqual([
      ['location', 'germany'],
      ['location', 'Lisbon, Portugal'],
    ])
  })

  test('a reader who declines pays nothing, and keeps the form', async () => {
    const { dialog, id } = await open('repositories/getRepository')
    await send()
    await price().getByText('1 repository · 1 credit · HEAD was free').waitFor()
    await page.keyboard.press('Escape')
    await price().waitFor({ state: 'hidden' })
    await page.getByText('Not sent. Nothing was charged.').first().waitFor()
    expect(await dialog.getByRole('heading', { name: 'Headers' }).isVisible()).toBe(true)
    await send()
    await price().getByRole('button', { name: 'Don’t send' }).click()
    expect(listSent().map((request) => request.method())).toEqual(['HEAD', 'HEAD'])
    expect(await portal.service.readLedger(id)).toMatchObject({ charged: 0 })
  })

  test('a lower Max-Credits of the reader stays, and the service refuses the request', async () => {
    const { dialog, id } = await open('users/listUsers')
    await findValue(findRow(dialog, 'Max-Credits')).fill('1')
    await send()
    await dialog.getByText('403 Forbidden').waitFor()
    expect(listSent().map((request) => [request.method(), request.headers()['max-credits']])).toEqual([
      ['HEAD', '1'],
      ['GET', '1'],
    ])
    expect(await portal.service.readLedger(id)).toMatchObject({ charged: 0 })
  })

  test('a response that is lost is not paid again, and the next request is another one', async () => {
    const { dialog, id } = await open('users/listUsers', 4)
    const accept = () => price().getByRole('button', { name: 'Get it for 2 credits' }).click()
    const isLost = price().getByText('If you paid for the lost response, that counts.')
    await page.route(/\/users\?/, async (route) => {
      if (route.request().method() !== 'GET') return route.fallback()
      await route.fetch() // The service has charged it.
      await route.fulfill({ status: 502, body: '' })
    })
    await send()
    await accept()
    await dialog.getByText('502 Bad Gateway').waitFor()
    await page.unrouteAll()
    // The connection breaks after the headers.
    await page.evaluate(() => {
      const { fetch } = window
      window.fetch = async (input, init) => {
        const response = await fetch(input, init)
        if (!(input instanceof Request && input.method === 'GET')) return response
        window.fetch = fetch
        await response.arrayBuffer()
        return new Response(new ReadableStream({ pull: (body) => body.error() }), response)
      }
    })
    await send()
    await accept()
    await page.getByText('Failed to fetch').first().waitFor()
    for (const charged of [2, 4]) {
      await send()
      await price()
        .getByText(/2 credits/)
        .first()
        .waitFor()
      expect(await isLost.count()).toBe(charged === 2 ? 1 : 0)
      await accept()
      await dialog.getByText('200 OK').waitFor()
      await expect.poll(() => portal.service.readLedger(id)).toMatchObject({ charged })
    }
    const keys = listSent()
      .filter((request) => request.method() === 'GET' && request.url().includes('/users?'))
      .map((request) => request.headers()['idempotency-key'])
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], keys[0], expect.any(String)])
    expect(keys[3]).not.toBe(keys[0])
  })

  test('an Idempotency-Key of the reader stays', async () => {
    const { dialog } = await open('users/listUsers')
    await findValue(findRow(dialog, 'Idempotency-Key')).fill('mine')
    await send()
    await price().getByRole('button', { name: 'Get it for 2 credits' }).click()
    await dialog.getByText('200 OK').waitFor()
    const paid = listSent().find((request) => request.method() === 'GET')
    expect(paid?.headers()['idempotency-key']).toBe('mine')
  })

  test('what the balance can’t pay isn’t sent', async () => {
    await open('users/listUsers', 0)
    await send()
    await price()
      .getByText(/You have 0 credits\.$/)
      .waitFor()
    expect(await price().getByRole('button').filter({ visible: true }).allTextContents()).toEqual([
      'Don’t send',
    ])
    await price().getByRole('button').filter({ visible: true }).click()
    expect(listSent().map((request) => request.method())).toEqual(['HEAD'])
  })

  test('free responses come without a question, and the key is nowhere in clear', async () => {
    const { dialog, key } = await open('credits/getCredits')
    await send()
    await dialog.getByText(`"…${key.slice(-4)}"`).waitFor()
    expect(listSent().at(-1)?.headers()['max-credits']).toBe('0')
    expect(await page.content()).not.toContain(key)
  })

  test('the document that it links is the one that the service serves', async () => {
    await visitViewer(page, `${portal.origin}/api-docs#tag/users/listUsers`)
    const links = page.getByRole('main').getByRole('link', { name: /^(YAML|JSON)$/ })
    await links.first().waitFor()
    const urls = await links.evaluateAll((all) =>
      all.map((link) => link instanceof HTMLAnchorElement && link.href),
    )
    expect(urls).toEqual([`${portal.origin}/openapi.yml`, `${portal.origin}/openapi.json`])
    expect(await page.getByText('Download OpenAPI Document').count()).toBe(0)
  })
})
