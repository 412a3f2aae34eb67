/**
 * The page that connects an assistant, in a browser: by keyboard alone and without scripts, in both themes, from phones
 * to large screens.
 *
 * @module-tag later
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { listConnections } from '../../api/ledger/connections.ts'
import { hasChromium, openPortal, runAxe } from '../support/browser.ts'
import { createConnector, exchange, readTokens, registerConnector, tryMcp } from '../support/sign-in.ts'
import { useStarted } from '../support/suite.ts'

/** Serves where the browser is sent at the end: a page that doesn't load would never be one that the test has reached. */
async function startAssistant() {
  const server = createServer((_, response) => response.end('Connected.'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    callback: `http://127.0.0.1:${port}/callback`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

describe.skipIf(!hasChromium())('the page of the sign-in, in a browser', () => {
  const portal = useStarted(() => openPortal(async () => ({ baseUrl: 'http://127.0.0.1', signIn: true })))
  const assistant = useStarted(startAssistant)
  const fetchPath = (path: string, init?: RequestInit) => fetch(`${portal.origin}${path}`, init)

  /** Opens the page as an assistant does. */
  async function open(options: BrowserContextOptions) {
    const { callback } = assistant
    const metadata = { client_name: 'Test assistant', redirect_uris: [callback] }
    const connector = createConnector(await registerConnector(fetchPath, metadata), callback)
    const page = await (await portal.openContext(options)).newPage()
    await page.goto(`${portal.origin}${connector.query()}`)
    return { page, connector }
  }

  const findProblem = (page: Page) => page.getByRole('alert')
  const findField = (page: Page, label: string) => page.getByLabel(label, { exact: true })

  /** Presses Tab until the field or the button with this name has the focus. */
  async function moveTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 8; presses++) {
      const focused = page.locator(`:focus:is([id="${name}"], [value="${name}"])`)
      if ((await focused.count()) > 0) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`the keyboard doesn't reach ${name}`)
  }

  test('a keyboard is enough, from the key to the assistant, and scripts aren’t needed', async () => {
    const { secret, id } = await portal.service.createKey({ credits: 500 })
    const { page, connector } = await open({ javaScriptEnabled: false })
    await page.locator('#api_key:focus').waitFor()
    await page.keyboard.type(randomUUID())
    await page.keyboard.press('Enter')
    await findProblem(page).getByText('No key like this works here').waitFor()
    await page.locator('#api_key:focus').waitFor()
    await page.keyboard.type(`Bearer ${secret}`)
    await page.keyboard.press('Enter')
    await page.getByText('Your key has 500 credits.').waitFor()
    expect(await findField(page, 'Credits in all').inputValue()).toBe('500')

    await moveTo(page, 'credits_per_call')
    await page.keyboard.type('9007199254740993')
    await page.keyboard.press('Enter')
    await findProblem(page).waitFor()
    await page.locator('#credits_per_call:focus').waitFor()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('3')
    await moveTo(page, 'allow')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${assistant.callback}?*`)
    expect(await page.textContent('body')).toBe('Connected.')

    const back = new URL(page.url()).searchParams
    expect([back.get('state'), back.get('iss')]).toEqual(['a&b=c"<', 'http://127.0.0.1'])
    const uri = { redirect_uri: assistant.callback }
    const tokens = await readTokens(await exchange(fetchPath, connector, back.get('code') ?? '', uri))
    expect(await tryMcp(fetchPath, tokens.access_token)).toBe(200)
    expect(await listConnections(portal.service.sql, id)).toMatchObject([
      { max_credits: 500, max_credits_per_call: 3 },
    ])
    await page.context().close()
  })

  test('who cancels, also without a key, gets back to the assistant', async () => {
    const { page } = await open({ javaScriptEnabled: false })
    await moveTo(page, 'cancel')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${assistant.callback}?error=access_denied*`)
    await page.context().close()
  })

  test('an error is tied to its field, and axe objects to nothing at any width', async () => {
    const { secret } = await portal.service.createKey()
    const { page } = await open({})
    async function look(state: string): Promise<void> {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const width of [1440, 820, 390]) {
          await page.setViewportSize({ width, height: 900 })
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          expect([state, colorScheme, width, overflow, await runAxe(page)]).toEqual([
            ...[state, colorScheme, width],
            ...[0, []],
          ])
        }
      }
    }
    /** What a screen reader says of a field beside its name. */
    const describeField = (name: string) =>
      page.locator(`[name="${name}"][aria-invalid="true"]`).evaluate((field) =>
        (field.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent)
          .join(' '),
      )

    await look('asks for the key')
    await findField(page, 'Your API key').fill(randomUUID())
    await page.getByRole('button', { name: 'Continue' }).click()
    await findProblem(page).waitFor()
    expect(await describeField('api_key')).toMatch(/^No key like this works here.* The assistant doesn’t get/)
    await look('a wrong key')
    await findField(page, 'Your API key').fill(secret)
    await page.getByRole('button', { name: 'Continue' }).click()
    await findField(page, 'Credits in all').waitFor()
    expect(await page.locator('[aria-invalid]').count()).toBe(0)
    await look('limits')
    await findField(page, 'Credits in all').fill('9007199254740993')
    await page.getByRole('button', { name: 'Allow' }).click()
    await findProblem(page).waitFor()
    expect(await describeField('credits')).toMatch(/^Credits in all must be a whole number.* It can never/)
    await look('a wrong limit')
    await page.goto(`${portal.origin}/sign-in?client_id=${randomUUID()}`)
    await page.getByRole('heading', { name: 'This assistant can’t be connected' }).waitFor()
    await look('a request that has ended')
    await page.context().close()
  })
})
