/**
 * The pages of the portal that a reader works with: the home page, the query builder, and "Your key".
 *
 * @module-tag later
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { APIResponse, BrowserContext, Locator, Page, Request, Route } from 'playwright-core'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeCsv } from '../../api/cli/csv.ts'
import { grantCredits } from '../../api/ledger/keys.ts'
import { requests } from '../../docs-site/requests.ts'
import { writeSample } from '../../docs-site/samples.ts'
import recorded from '../../docs-site/src/responses/sentences.json' with { type: 'json' }
import { setParameter } from '../../docs-site/src/scripts/corrections.ts'
import { findKey } from '../../docs-site/src/scripts/key-text.ts'
import { describePrice, readFields, writePath } from '../../docs-site/src/scripts/query.ts'
import {
  type RecordedSentences,
  recordedPackages,
  recordedPlaces,
  verbs,
  writeSentencePath,
} from '../../docs-site/src/scripts/sentence-query.ts'
import { escapePart } from '../../docs-site/src/scripts/url.ts'
import { hasChromium, openPortal, openTab, reload, runAxe, visit } from '../support/browser.ts'
import { readCounts } from '../support/counts-oracle.ts'
import { createInstance } from '../support/instance.ts'
import { connectAssistant } from '../support/sign-in.ts'
import { useStarted } from '../support/suite.ts'
import { daysPath, readEntries, readPages, readSums, usagePath, writeLedger } from '../support/usage.ts'

const nobody = '00000000-0000-4000-8000-000000000000'
const write = (number: number) => number.toLocaleString('en')

test('a question becomes the URL that a sample has, and the URL the question again', () => {
  for (const name of [
    'usersOfZod',
    'usersOfReactInGermany',
    'usersWhoStartedZod',
    'usersWhoStoppedRequests',
  ] as const) {
    const { path } = requests[name]
    expect(writePath(readFields(path))).toBe(path)
  }
})

test('a place keeps its commas, and several are separated by semicolons', () => {
  const fields = { list: 'users', countries: '', packages: '', files: '', status: '', perPage: '1' } as const
  const path = writePath({ ...fields, places: 'Berlin, Germany; Lisbon;' })
  expect(new URLSearchParams(path.split('?')[1]).getAll('location')).toEqual(['Berlin, Germany', 'Lisbon'])
  expect(readFields(path)).toMatchObject({ places: 'Berlin, Germany; Lisbon' })
})

test('companies are entries of their own, of users alone', () => {
  const path = writePath({ list: 'users', companies: 'Acme, Inc.; @northwind' })
  expect(new URLSearchParams(path.split('?')[1]).getAll('company')).toEqual(['Acme, Inc.', '@northwind'])
  expect(readFields(path)).toMatchObject({ companies: 'Acme, Inc.; @northwind' })
  expect(writePath({ list: 'repos', companies: 'Acme' })).toBe('/repos')
})

test('a country may be written as its name', () => {
  const fields = { list: 'users', places: '', packages: 'zod', files: '', status: '', perPage: '1' } as const
  const path = writePath({ ...fields, countries: 'Germany, AT, Frankreich' })
  expect(path).toBe('/users?country=DE,AT,FR&dependency_names=zod&per_page=1')
})

test('a key is found in what readers paste, and nothing else is taken for one', () => {
  const key = '7e1f0c1e-2f4b-4c58-9f0e-0a6b1c2d3e4f'
  const texts = [
    key,
    `  ${key}\n`,
    key.toUpperCase(),
    `Bearer ${key}`,
    `Authorization: Bearer ${key}`,
    `"${key}"`,
    `export DEVDATA_API_KEY=${key}`,
    `curl -H 'Authorization: Bearer ${key}' ${'http://127.0.0.1:8000/users'}`,
    `${key} ${key.toUpperCase()}`,
  ]
  for (const text of texts) expect([text, findKey(text)]).toEqual([text, { key }])
  for (const text of ['Bearer', 'schlüssel', `${key}0`, `x${key}`, key.slice(1), `${key} ${nobody}`]) {
    expect([text, findKey(text)]).toEqual([text, { error: expect.stringMatching(/^Invalid key: must be /) }])
  }
})

test('no value of a question ends the string that it stands in', () => {
  const value = `O'Hara "$(id)\` \\ & # ! % + =1`
  const path = writePath({
    list: 'users',
    places: value,
    countries: value,
    packages: value,
    files: '',
    status: '',
    perPage: '1',
  })
  expect(path).toMatch(/^[\w/?&=%.~-]+$/)
  expect(readFields(path)).toMatchObject({ places: value, countries: value, packages: value })
  const code = /^[\w/?&=%.~-]+$/
  expect(setParameter('/users', 'location', value)).toMatch(code)
  expect(escapePart(`${value}/`)).toMatch(/^[\w%.~-]+$/)
  // Lists and names of repositories stay readable.
  expect(setParameter('/repos', 'full_names', 'honojs/hono,a/b')).toBe('/repos?full_names=honojs/hono,a/b')
})

test('nobody who stopped using a package is among those who still use it', () => {
  const answers: RecordedSentences['answers'] = recorded.answers
  for (const place of recordedPlaces) {
    for (const packages of recordedPackages) {
      const [all = 0, still = 0, stopped = 0] = verbs.map(
        ({ text: verb }) => answers[writeSentencePath({ place, verb, packages })]?.total,
      )
      expect([place, packages, still + stopped <= all]).toEqual([place, packages, true])
    }
  }
})

test('a price names the whole list', () => {
  expect(describePrice('/users?per_page=100', { total: 1_234, cost: 100 })).toBe(
    '1,234 users match. All of them: 1,234 credits.',
  )
  expect(describePrice('/repos', { total: 1, cost: 1 })).toBe('1 repository matches. All of them: 1 credit.')
  expect(describePrice('/users', { total: 0, cost: 0 })).toBe('0 users match. An empty page is free.')
})

test('CSV has no cell that a spreadsheet would run, and keeps numbers', () => {
  expect(writeCsv([['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '/users', 'a "b", c', null, -5]])).toBe(
    `'=1+1,'+1,'-1,'@SUM(A1),' =1,'\t=1,/users,"a ""b"", c",,-5\r\n`,
  )
})

describe.skipIf(!hasChromium())('in a browser', () => {
  const portal = useStarted(openPortal)
  let context: BrowserContext
  let page: Page
  let requested: Request[]
  let complaints: string[]

  beforeEach(async () => {
    ;({ context, page, requested, complaints } = await openTab(portal))
  })
  afterEach(() => context.close())

  /** The requests to the API, without those of the page. */
  const listSent = () =>
    requested.flatMap((request) => {
      const { pathname, search } = new URL(request.url())
      return /^\/(docs|favicon|api-docs)/.test(pathname) ? [] : [`${request.method()} ${pathname}${search}`]
    })
  const useKey = (secret: string) =>
    page.evaluate((key) => sessionStorage.setItem('devdata-api-key', key), secret)

  describe('the sentence of the home page', () => {
    const fill = async (place: string, packages: string) => {
      await page.getByLabel('Place', { exact: true }).fill(place)
      await page.getByLabel('Package', { exact: true }).fill(packages)
    }
    const total = () => page.locator('.sentence .total')
    const people = () => page.locator('.sentence ul.people li')

    test('is answered without a key from the sample data, which it says, and sends nothing', async () => {
      await visit(page, `${portal.origin}/docs`)
      expect(await total().textContent()).toMatch(/^\d+ users in the sample data$/)
      await fill('Berlin', 'react')
      await page.getByLabel('What they do').selectOption('stopped using')
      const { headers } = await portal.service.request(
        '/users?location=Berlin&dependency_names=react&last_use_since=1970-01-01',
        { key: (await portal.service.createKey({ credits: 100 })).secret },
      )
      const count = headers.get('X-Total-Count')
      await page.getByText(`${count} users in the sample data`, { exact: true }).waitFor()
      expect(await people().count()).toBe(Math.min(3, Number(count)))
      await page.getByRole('button', { name: 'curl' }).click()
      expect(await page.locator('.sentence pre:visible').textContent()).toContain(
        '/users?location=Berlin&dependency_names=react&last_use_since=1970-01-01&per_page=3',
      )
      // A condition is never dropped.
      await fill('Berlin', '')
      await page.getByText('Name a package.').waitFor()
      // No response is recorded.
      await fill('Lima', 'react')
      await page.getByText('A key counts the whole question, free.').waitFor()
      expect(await total().textContent()).toMatch(/^\d+ users of react in package\.json\.$/)
      expect(await people().count()).toBe(0)
      expect(listSent()).toEqual([])
      await page.getByRole('button', { name: 'Enter your key' }).click()
      await page.getByRole('dialog').waitFor()
      expect(complaints).toEqual([])
    })

    test('counts with a key as readers type, and spends credits only at a button with the price', async () => {
      const { secret, id } = await portal.service.createKey({ credits: 100 })
      await visit(page, `${portal.origin}/docs`)
      await useKey(secret)
      await reload(page)
      await fill('germany', 'react, zod')
      await page.getByLabel('What they do').selectOption('still uses')
      const path = '/users?country=DE&dependency_names=react,zod&dependency_status=active&per_page=3'
      const head = await portal.service.request(path, { method: 'HEAD', key: secret })
      const count = Number(head.headers.get('X-Total-Count'))
      await page.getByText(`${count} users in the sample data`, { exact: true }).waitFor()
      await page.getByText(`${count} credits`, { exact: true }).waitFor()
      expect((await portal.service.readLedger(id)).charged).toBe(0)
      await page.getByRole('button', { name: 'Show the first 3 for 3 credits' }).click()
      await people().nth(2).waitFor()
      expect((await portal.service.readLedger(id)).charged).toBe(3)
      await page.getByRole('button', { name: 'JSON' }).click()
      expect(await page.locator('.sentence pre:visible').textContent()).toContain('"forge_rest_id"')
      expect(complaints).toEqual([])
    })

    test('does not pay twice for a response that is lost, and says what came too late to be shown', async () => {
      const { secret, id } = await portal.service.createKey({ credits: 100 })
      await visit(page, `${portal.origin}/docs`)
      await useKey(secret)
      await reload(page)
      const buy = page.getByRole('button', { name: 'Show the first 3 for 3 credits' })
      const readCharged = async () => (await portal.service.readLedger(id)).charged
      /** Lets a part of the page buy, and the service charge it, before the response goes on as `end` says. */
      const routePaid = (end: (route: Route, response: APIResponse) => Promise<void>) =>
        page.route(/\/users\?/, async (route) => {
          if (route.request().method() !== 'GET') return route.fallback()
          await end(route, await route.fetch())
        })
      await fill('germany', 'react')
      for (const [status, text] of [
        [undefined, 'The API is unreachable. Select the button again: you pay once.'],
        [502, 'The response has status 502. Select the button again: you pay once.'],
        [429, 'The response has status 429. Select the button again: you pay once.'],
      ] as const) {
        await routePaid((route) => (status ? route.fulfill({ status, body: '' }) : route.abort()))
        await buy.click()
        await page.getByText(text).waitFor()
        await page.unrouteAll()
      }
      // The question may be asked again from the beginning.
      await fill('germany', 'zod')
      await page.getByText(/^HEAD .*names=zod/).waitFor({ state: 'attached' })
      await fill('germany', 'react')
      await page.getByText(/^HEAD .*names=react/).waitFor({ state: 'attached' })
      await buy.click()
      await people().nth(2).waitFor()
      expect(await readCharged()).toBe(3)

      const { promise: gate, resolve: sendResponse } = Promise.withResolvers<void>()
      await routePaid(async (route, response) => {
        await gate
        await route.fulfill({ response })
      })
      await fill('germany', 'typescript')
      await buy.click()
      await expect.poll(readCharged).toBe(6)
      await fill('germany', 'react, typescript')
      await page.getByText(/^HEAD .*names=react,typescript/).waitFor({ state: 'attached' })
      sendResponse()
      await page.getByText('An earlier question cost 3 credits.').waitFor()
      expect(await people().count()).toBe(1) // the button
    })

    test('shows no number of the sample data on a service with other data', async () => {
      await portal.service.sql`update dataset set users_count = users_count + 1`
      const other = createInstance(portal.service)
      const response = await other.fetch('/docs')
      const html = await response.text()
      await portal.service.sql`update dataset set users_count = users_count - 1`
      await page.route(`${portal.origin}/docs`, (route) =>
        route.fulfill({ body: html, headers: Object.fromEntries(response.headers) }),
      )
      await visit(page, `${portal.origin}/docs`)
      await page.getByText('A key counts the whole question, free.').waitFor()
      expect(await total().textContent()).toMatch(
        /^\d+ users in Germany\. \d+ users of react in package\.json\.$/,
      )
      expect(await people().count()).toBe(0)
      expect(listSent()).toEqual([])
    })

    test('shows what credits cost in money, where the service has a price', async () => {
      const other = createInstance(portal.service, { operator: { CREDIT_PRICE: '0.002 EUR' } })
      const response = await other.fetch('/docs')
      await page.route(`${portal.origin}/docs`, async (route) =>
        route.fulfill({ body: await response.text(), headers: Object.fromEntries(response.headers) }),
      )
      await visit(page, `${portal.origin}/docs`)
      await page.getByText(/^\d+ credits \(0\.\d+ EUR\)$/).waitFor()
    })
  })

  test('the coverage page says whether it has a package or a country, without a key', async () => {
    await visit(page, `${portal.origin}/docs/coverage/`)
    const field = page.getByLabel('Is my package or country in here?')
    for (const [text, answer] of [
      ['Germany', /^\d+ users in Germany\.$/],
      ['React', /^\d+ users of react in package\.json\.$/],
      ['left-pad', /^left-pad isn’t in the public figures\. With a key/],
    ] as const) {
      await field.fill(text)
      await page.locator('.coverage-search').getByText(answer).waitFor()
    }
    expect(listSent()).toEqual([])
    expect(complaints).toEqual([])
  })

  test('the query builder shows the code of samples for any question, and the price that HEAD returns', async () => {
    const { secret, id } = await portal.service.createKey({ credits: 1_000 })
    await visit(page, `${portal.origin}/docs/pricing/`)
    await useKey(secret)
    await reload(page)
    const builder = page.locator('.builder')
    const history = builder.getByRole('link', { name: 'History of' })
    await builder.getByLabel('Packages').fill(' @types/node ')
    expect(await history.getAttribute('href')).toBe('/docs/history/?name=%40types/node')
    await builder.getByLabel('Places').fill('Berlin; São Paulo')
    await builder.getByLabel('Packages').fill('react, zod')
    expect(await history.count()).toBe(0)
    await builder.getByLabel('Manifests').fill('package.json')
    await builder.getByLabel('Status').selectOption('active')
    await builder.getByLabel('Began on or after').fill('2015-01-31')
    const path =
      '/users?location=Berlin&location=S%C3%A3o%20Paulo&dependency_names=react,zod&dependency_files=package.json&dependency_status=active&first_use_since=2015-01-31&per_page=1'
    for (const [label, language] of [
      ['curl', 'curl'],
      ['JavaScript', 'javascript'],
      ['Python', 'python'],
    ] as const) {
      await builder.getByRole('tab', { name: label }).click()
      const panel = builder.getByRole('tabpanel').filter({ visible: true })
      const lines = await panel.locator('.ec-line').allTextContents()
      const code = writeSample(language, { method: 'GET', path, shows: [] }, portal.origin)
      expect(lines.map((line) => line.replace(/\n$/, '')).join('\n')).toBe(code)
      const copied = await panel.locator('[data-code]').getAttribute('data-code')
      expect(copied?.replaceAll('\u007f', '\n')).toBe(code)
    }

    await builder.getByRole('button', { name: 'Count and price (free)' }).click()
    const head = await portal.service.request(path, { method: 'HEAD', key: secret })
    const [total, cost] = ['X-Total-Count', 'X-Credits-Cost'].map((name) => Number(head.headers.get(name)))
    expect(cost).toBe(1)
    const price = `${total} users match. All of them: ${total} credits.`
    await builder.getByText(price, { exact: true }).waitFor()
    expect(await builder.locator('.head mark').textContent()).toBe('X-Credits-Cost: 1\n')
    expect(await builder.getByText('Recorded with the sample data').isVisible()).toBe(false)
    expect(listSent().filter((each) => each.includes('/users'))).toEqual([`HEAD ${path}`])
    const counted = await portal.service.request(
      '/counts?of=users&by=country&location=Berlin&location=S%C3%A3o%20Paulo&dependency_names=react,zod&dependency_files=package.json&dependency_status=active&first_use_since=2015-01-31',
      { key: secret },
    )
    const { data, none } = readCounts(counted.json())
    const rows = builder
      .getByRole('table')
      .getByRole('row')
      .filter({ has: page.getByRole('cell') })
    await rows.first().waitFor()
    const names = new Intl.DisplayNames('en', { type: 'region' })
    expect(await rows.allTextContents()).toEqual([
      ...data.map(({ value, count }) => `${names.of(value)}${count}`),
      ...(none > 0 ? [`No country${none}`] : []),
    ])
    expect(complaints).toEqual([])

    // A refusal has its message, and nothing to divide.
    await builder.getByLabel('Places').fill(Array.from({ length: 21 }, (_, index) => `a${index}`).join(';'))
    await builder.getByRole('button', { name: 'Count and price (free)' }).click()
    await builder.getByText(/^Invalid location/).waitFor()
    expect(await builder.getByRole('table').count()).toBe(0)
    expect((await portal.service.readLedger(id)).charged).toBe(0)
  })

  test('the query builder completes packages, places and companies, for free', async () => {
    const { secret, id } = await portal.service.createKey({ credits: 1_000 })
    await visit(page, `${portal.origin}/docs/pricing/`)
    await useKey(secret)
    await reload(page)
    const builder = page.locator('.builder')
    const readOptions = (name: string) =>
      builder
        .locator(`#${name}-options option`)
        .evaluateAll((all) => all.map((each) => each.getAttribute('value')))
    await builder.getByLabel('Packages').fill('zod, react-d')
    await expect.poll(() => readOptions('packages')).toEqual(['zod, react-dom'])
    await builder.getByLabel('Places').fill('berlin, g')
    await expect.poll(() => readOptions('places')).toEqual(['Berlin, Germany'])
    await builder.getByLabel('Companies').fill('acme; northwind-l')
    await expect.poll(() => readOptions('companies')).toEqual(['acme; @northwind-lab'])
    await builder.getByLabel('Find').selectOption('repos')
    expect(await builder.getByLabel('Companies').isDisabled()).toBe(true)
    expect((await portal.service.readLedger(id)).charged).toBe(0)
    expect(complaints).toEqual([])
  })

  test('on a phone, the box of the price has room for a long question', async () => {
    await page.setViewportSize({ width: 390, height: 900 })
    await visit(page, `${portal.origin}/docs/pricing/`)
    await useKey((await portal.service.createKey({ credits: 1 })).secret)
    await reload(page)
    const builder = page.locator('.builder')
    await builder.getByLabel('Places').fill('Berlin, Germany; Lisbon, Portugal; Vienna, Austria')
    await builder.getByLabel('Packages').fill('react, typescript, vite, zod')
    await builder.getByRole('button', { name: 'Count and price (free)' }).click()
    await builder.getByText('X-Credits-Cost').filter({ visible: true }).waitFor()
    const { clientHeight, scrollHeight } = await builder
      .locator('.head')
      .evaluate(({ clientHeight, scrollHeight }) => ({ clientHeight, scrollHeight }))
    expect(scrollHeight).toBe(clientHeight)
  })

  test('without a key, the builder shows recorded prices, and asks for a key before it sends anything', async () => {
    await visit(page, `${portal.origin}/docs/pricing/`)
    const builder = page.locator('.builder')
    for (const [name, file] of [
      ['Who in Germany still uses react?', 'usersOfReactInGermany'],
      ['Who started using zod in 2024 or later?', 'usersWhoStartedZod'],
      ['Who stopped using requests in 2024 or later?', 'usersWhoStoppedRequests'],
      ['Who in Berlin uses zod?', 'usersOfZod'],
    ] as const) {
      const recorded = await readFile(
        join(import.meta.dirname, `../../docs-site/src/responses/${file}.http`),
        'utf8',
      )
      const total = /^X-Total-Count: (\d+)$/m.exec(recorded)?.[1]
      await builder.getByRole('button', { name }).click()
      await builder
        .getByText(`${total} users match. All of them: ${total} credits.`, {
          exact: true,
        })
        .filter({ visible: true })
        .waitFor()
      expect(await builder.getByText('Recorded with the sample data').isVisible()).toBe(true)
      expect(
        await builder.locator(`[data-request=${file}]`).getByText('Response', { exact: true }).isVisible(),
      ).toBe(true)
    }
    await builder.getByLabel('Packages').fill('react')
    await builder.getByText('Enter a key to get the price.').waitFor()
    expect(await builder.getByText('Recorded with the sample data').isVisible()).toBe(false)
    expect(await builder.getByText('X-Credits-Cost').filter({ visible: true }).count()).toBe(0)
    expect(listSent()).toEqual([])
    await builder.getByRole('button', { name: 'Count and price (free)' }).click()
    await page.getByRole('dialog').waitFor()
    expect(complaints).toEqual([])
  })

  test('“History of a package” draws who used it, has the same in a table, and remembers the package in its URL', async () => {
    const { secret } = await portal.service.createKey({ credits: 0 })
    await visit(page, `${portal.origin}/docs/history/?name=react`)
    await page.getByText('Enter a key to see the history of react.').waitFor()
    await useKey(secret)
    await reload(page)
    const path = '/dependencies/history?dependency_name=react'
    const { data } = v.parse(
      v.object({
        data: v.array(v.looseObject({ month: v.string(), users: v.object({ active: v.number() }) })),
      }),
      (await portal.service.request(path, { key: secret })).json(),
    )
    const last = data.at(-1)
    await page.getByText(`${write(last?.users.active ?? 0)} users and`).waitFor()
    const figures = page.locator('.history-figures')
    expect(await figures.locator('.curve').count()).toBe(2)
    await figures.getByText('The same figures as a table').click()
    const rows = figures.locator('tbody tr')
    expect(await rows.count()).toBe(data.length)
    expect(await rows.first().locator('td').allTextContents()).toEqual(
      expect.arrayContaining([last?.month, write(last?.users.active ?? 0)]),
    )
    for (const [width, theme] of [
      [1440, 'dark'],
      [820, 'dark'],
      [820, 'light'],
      [390, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      if (process.env.HISTORY_PICTURES) {
        await page.screenshot({
          path: `${process.env.HISTORY_PICTURES}/${width}-${theme}.png`,
          fullPage: true,
        })
      }
      if (width !== 820) expect([width, theme, await runAxe(page)]).toEqual([width, theme, []])
      const isWithin = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)
      expect([width, isWithin]).toEqual([width, true])
    }
    await page.getByLabel('Package').fill('nothing-is-called-so')
    await page.getByRole('button', { name: 'Show its history (free)' }).click()
    await page.getByText('Nothing uses nothing-is-called-so.').waitFor()
    expect(page.url()).toContain('?name=nothing-is-called-so')
    await page.setViewportSize({ width: 1280, height: 720 })
    expect(complaints).toEqual([])
  })

  test('“Your key” shows the balance, the sums and the entries of the ledger, and saves the entries, all free', async () => {
    const { secret, id } = await portal.service.createKey({ credits: 1_000_000 })
    // Some 40 days until now, so that the last 30 are not all.
    const start = new Date(Date.now() - 40 * 86_400_000).toISOString()
    await writeLedger(portal.service, id, { start, step: 28_000, charges: 120 })
    await grantCredits(portal.service.sql, id, 500, 'top-up 2026-01')
    const read = (path: string) => readPages(portal.service, secret, `${path}?per_page=100`)
    const sums = (await read(daysPath)).flatMap(readSums)
    const entries = (await read(usagePath)).flatMap(readEntries)
    await visit(page, `${portal.origin}/docs/your-key`)
    await useKey(secret)
    await reload(page)

    const [newest] = entries
    await page.locator('.usage-balance dd', { hasText: write(newest?.balance ?? 0) }).waitFor()
    const spending = page.locator('.usage-spending')
    await spending.getByText('The same figures as a table').click()
    for (const days of [90, 30]) {
      await spending.getByLabel('Last').selectOption(String(days))
      const since = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
      const shown = sums.filter(({ day }) => day >= since)
      const rows = await spending
        .getByRole('row')
        .evaluateAll((all) =>
          all.slice(1).map((row) => [...row.children].map(({ textContent }) => textContent)),
        )
      expect(rows).toEqual(
        shown.map(({ day, endpoint, requests: count, items, cost }) => [
          day,
          endpoint,
          ...[count, items, cost].map(write),
        ]),
      )
      const spent = shown.reduce((sum, { cost }) => sum + cost, 0)
      await spending.getByText(`${write(spent)} credits, `).waitFor()
      // The bars are as high as the sums, by one scale.
      const heights = await spending
        .locator('rect[data-series]')
        .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))))
      const byDay = [...shown].sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0))
      const scale = heights.reduce((sum, height) => sum + height, 0) / spent
      expect(heights.map((height) => Math.round((10 * height) / scale) / 10)).toEqual(
        byDay.map(({ cost }) => cost),
      )
    }
    expect(sums.length).toBeGreaterThan(await spending.locator('rect[data-series]').count())

    const list = page.locator('.usage-entries')
    const readNumbers = () => list.getByRole('row').locator('td:last-child').allTextContents()
    const numbers = entries.map(({ entry }) => String(entry))
    expect(await readNumbers()).toEqual(numbers.slice(0, 10))
    await list.getByRole('cell', { name: 'Grant: top-up 2026-01' }).waitFor()
    await list.getByRole('button', { name: 'Older' }).click()
    await list.getByText('11 to 20 of 122').waitFor()
    expect(await readNumbers()).toEqual(numbers.slice(10, 20))
    await list.getByRole('button', { name: 'Newer' }).click()
    await list.getByText('1 to 10 of 122').waitFor()

    const downloading = page.waitForEvent('download')
    await list.getByRole('button', { name: 'Download all as CSV' }).click()
    const csv = await readFile(await (await downloading).path(), 'utf8')
    const [header, ...lines] = csv.trimEnd().split('\r\n')
    expect(header).toBe('entry,timestamp,kind,request_id,method,path,items,cost,granted,reference,balance')
    expect(lines).toEqual(
      entries.map(({ timestamp, ...entry }) => {
        const { kind, request_id, method, path, items, cost, granted, reference, balance } = entry
        const time = `${new Date(timestamp * 1000).toISOString().slice(0, 19)}Z`
        const columns = [entry.entry, time, kind, request_id, method, path, items, cost]
        return [...columns, granted, reference, balance].join()
      }),
    )
    expect((await portal.service.readLedger(id)).balance).toBe(newest?.balance)
    expect(listSent().filter((each) => !each.startsWith('GET /api-key/'))).toEqual([])
    expect(complaints).toEqual([])
  })

  test('without credits, the query builder and Run show the price, and that the key has none', async () => {
    await visit(page, `${portal.origin}/docs/pricing/`)
    await useKey((await portal.service.createKey({ credits: 0 })).secret)
    await reload(page)
    const builder = page.locator('.builder')
    await builder.getByLabel('Places').fill('Berlin')
    await builder.getByRole('button', { name: 'Count and price (free)' }).click()
    await builder.getByText('This page: 1 credit. Your key has none.', { exact: true }).waitFor()

    await visit(page, `${portal.origin}/docs/reference/get-user/`)
    const sample = page.locator('main').getByRole('button', { name: 'Run' }).first()
    await sample.click()
    await page.getByText('Not enough credits · 1 credit · HEAD was free. You have 0 credits.').waitFor()
    expect(listSent().filter((each) => !/^HEAD |^GET \/(api-key|locations)/.test(each))).toEqual([])
  })

  test('“Your key” says what is missing: a key, a valid one, any usage, or a price', async () => {
    await visit(page, `${portal.origin}/docs/your-key`)
    const balance = page.locator('.usage-balance')
    await balance.getByRole('button', { name: 'Enter a key' }).click()
    await page.getByRole('dialog').getByLabel('Key', { exact: true }).fill(nobody)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await balance.getByText('Invalid API key').waitFor()
    expect(await balance.getByRole('link').getAttribute('href')).toMatch(/^\/docs\/errors\//)
    for (const [role, text] of [
      ['user', 'Nothing was charged in the last 90 days.'],
      ['admin', 'An admin key is not charged.'],
    ] as const) {
      await useKey((await portal.service.createKey({ role, credits: role === 'user' ? 7 : 0 })).secret)
      await reload(page)
      await page.locator('.usage-spending').getByText(text).waitFor()
    }
    // The browser itself reports the responses with status 401, and nothing else.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
  })

  test('“Your key” ends connections: the focus stays in the list, and a refusal is shown', async () => {
    const { secret } = await portal.service.createKey({ credits: 10 })
    await connectAssistant(portal.service, secret)
    await connectAssistant(portal.service, secret)
    await visit(page, `${portal.origin}/docs/your-key`)
    await useKey(secret)
    await reload(page)
    const place = page.locator('.usage-connections')
    const buttons = place.getByRole('button', { name: 'End the connection of Test connector' })
    await buttons.nth(1).waitFor()

    const refusal = { status: 503, json: { error: 'Database unavailable' } }
    await page.route(/\/api-key\/connections\/\d+$/, (route) => route.fulfill(refusal))
    await buttons.first().focus()
    await page.keyboard.press('Enter')
    await place.getByText('Database unavailable').waitFor()
    expect(await buttons.count()).toBe(2)
    await page.unrouteAll()

    const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement)
    await page.keyboard.press('Enter')
    await buttons.nth(1).waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(buttons)).toBe(true)
    await page.keyboard.press('Enter')
    await place.getByText('No assistant is connected with this key.').waitFor()
    await expect.poll(() => isFocused(place)).toBe(true)
  })

  test('where the browser blocks its storage, pages work, and the key lasts as long as the page', async () => {
    const { secret } = await portal.service.createKey({ credits: 7 })
    await page.addInitScript(() => {
      for (const name of ['sessionStorage', 'localStorage']) {
        Object.defineProperty(window, name, {
          configurable: true, // as the browser's own
          get() {
            throw new DOMException('Access is denied for this document.', 'SecurityError')
          },
        })
      }
    })
    await visit(page, `${portal.origin}/docs/your-key`)
    await page.getByRole('button', { name: 'Enter a key' }).click()
    await page.getByRole('dialog').getByLabel('Key', { exact: true }).fill(secret)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.locator('.usage-balance dd', { hasText: '7' }).first().waitFor()
    await reload(page)
    await page.getByRole('button', { name: 'Enter a key' }).waitFor()
    // Starlight's own scripts stop there.
    const isStarlights = (text: string) => /^Access is denied|^StarlightThemeProvider/.test(text)
    expect(complaints.filter((text) => !isStarlights(text))).toEqual([])
  })

  test('“Your key” shows one key at a time, and says why it can’t show anything', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => portal.service.createKey({ credits: 1_000 })))
    if (!one || !other) throw new Error('there are no keys')
    const start = new Date(Date.now() - 3_600_000).toISOString()
    await writeLedger(portal.service, one.id, { start, step: 60, charges: 15 })
    await visit(page, `${portal.origin}/docs/your-key`)
    await useKey(one.secret)
    await reload(page)
    const list = page.locator('.usage-entries')
    await list.getByText('1 to 10 of 16').waitFor()

    // The next page of one key comes after the reader has entered the other.
    const { promise: gate, resolve: sendPage } = Promise.withResolvers<void>()
    await page.route(/usage\?.*after=/, async (route) => {
      await gate
      await route.continue()
    })
    await list.getByRole('button', { name: 'Older' }).click()
    await page.getByRole('button', { name: 'Change your key' }).click()
    await page.getByRole('dialog').getByLabel('Key', { exact: true }).fill(other.secret)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await list.getByText('1 to 1 of 1', { exact: true }).waitFor()
    const late = page.waitForResponse(/usage\?.*after=/)
    sendPage()
    await (await late).finished()
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    expect(await list.getByText(/ of /).textContent()).toBe('1 to 1 of 1')

    // A part that fails leaves the others.
    const spending = page.locator('.usage-spending')
    for (const [response, text] of [
      [{ status: 502, body: '<p>no' }, 'The response has status 502.'],
      [{ status: 429, headers: { 'Retry-After': '60' } }, 'The rate limit is used up. Try again in 60 s.'],
    ] as const) {
      await page.route(/\/usage\/days/, (route) => route.fulfill(response))
      await page.reload()
      await spending.getByText(text).waitFor()
      expect(await spending.getByRole('link').getAttribute('href')).toBe('/docs/errors/')
      await page.locator('.usage-balance dd', { hasText: '1,000' }).waitFor()
      await list.getByText('1 to 1 of 1', { exact: true }).waitFor()
      await page.getByText('No assistant is connected with this key.').waitFor()
      await page.unrouteAll()
    }
  })
})
