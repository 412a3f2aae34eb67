/** What pages say about who runs the service: what the settings have, and nothing else. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseCreditPrice, writeMoney } from '../../api/ledger/credit-price.ts'
import { listPages, serveDocs } from '../support/docs.ts'
import { createInstance } from '../support/instance.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)

const settings = {
  OPERATOR_NAME: 'Fish & <Chips>',
  CONTACT_URL: 'mailto:api@example.com',
  SIGNUP_URL: 'https://example.com/keys?a=1&b=2',
  CREDIT_PRICE: '0.002 EUR',
  TERMS_URL: 'https://example.com/terms',
  TERMS_NOTE: 'Packs of <1,000> credits never expire.',
  PRIVACY_URL: 'https://example.com/privacy',
  STATUS_URL: 'https://status.example.com',
}

/** The text of a page of a service with these settings. */
async function readPage(path: string, operator: Record<string, string>): Promise<string> {
  const response = await createInstance(docs.database, { operator }).fetch(path)
  expect(response.status).toBe(200)
  return response.text()
}

describe('with all settings', () => {
  test('every page names the operator, with the links', async () => {
    for (const name of listPages(docs.manifest)) {
      const page = await readPage(`/docs/${name}${name && '/'}`, settings)
      expect(page).toContain('<li>Run by Fish &#38; &#60;Chips&#62;</li>')
      for (const url of [
        'mailto:api@example.com',
        'https://status.example.com/',
        'https://example.com/terms',
        'https://example.com/privacy',
      ])
        expect([name, page.includes(`href="${url}"`)]).toEqual([name, true])
      expect([name, /devdata-slot|operator\.invalid/.test(page)]).toEqual([name, false])
    }
  })

  test('a key, a credit and a question have their price', async () => {
    const page = await readPage('/docs/pricing.md', settings)
    expect(page).toContain('One credit costs 0.002 EUR.')
    expect(page).toContain('[Sign up](<https://example.com/keys?a=1&b=2>) to get an API key.')
    expect(page).toContain('| A list of 1,000 users | 1,000 | 2.00 EUR |')
    expect(page).toContain('| A list of 100,000 users | 100,000 | 200.00 EUR |')
    const home = await readPage('/docs', settings)
    expect(home).toContain('<data class="credit-price" value="0.002 EUR">1 credit = 0.002 EUR</data>')
  })

  test('the terms are the operator’s own words, with a link', async () => {
    expect(await readPage('/docs/pricing/', settings)).toContain(
      'Packs of &#60;1,000&#62; credits never expire. The <a href="https://example.com/terms">terms</a> apply.',
    )
    expect(await readPage('/docs/pricing.md', settings)).toContain(
      'Packs of \\<1,000\\> credits never expire.',
    )
  })

  test('the home page and every header say where to get a key', async () => {
    const home = await readPage('/docs', settings)
    expect(home).toContain('<a class="get-key" href="https://example.com/keys?a=1&#38;b=2">Get a key</a>')
    expect(home).toMatch(
      /<p class="key-hint"[^>]*><a href="https:..example.com.keys.a=1&#38;b=2">Sign up<.a>/,
    )
  })

  test('a price of thousands is one that scripts can read', async () => {
    const home = await readPage('/docs', { CREDIT_PRICE: '1000 JPY' })
    expect(home).toContain('<data class="credit-price" value="1000 JPY">1 credit = 1,000 JPY</data>')
  })

  test('“ask the operator” is a link, in pages and in their Markdown', async () => {
    expect(await readPage('/docs/support/', settings)).toContain(
      '<a href="mailto:api@example.com">ask the operator</a>',
    )
    expect(await readPage('/docs/support.md', settings)).toContain(
      '[ask the operator](<mailto:api@example.com>)',
    )
    expect(await readPage('/docs/llms-full.txt', settings)).not.toMatch(/devdata-slot|operator\.invalid/)
  })

  test('the OpenAPI document has the contact and the terms', async () => {
    const document = JSON.parse(await readPage('/openapi.json', settings))
    expect(document.info).toMatchObject({
      contact: { name: 'Fish & <Chips>', email: 'api@example.com' },
      termsOfService: 'https://example.com/terms',
    })
    expect(parse(await readPage('/openapi.yml', settings))).toEqual(document)
  })

  test('the viewer says where to get a key', async () => {
    expect(await readPage('/api-docs', settings)).toContain(
      '<a href="https://example.com/keys?a=1&#38;b=2">Sign up</a> to get an API key.',
    )
  })
})

test('every “ask the operator” of a page is a link', async () => {
  const names = Object.keys(docs.manifest.files).filter((name) => name.endsWith('index.html'))
  for (const name of names.filter((each) => each !== 'settings/index.html')) {
    const text = await readFile(join(docs.manifest.directory, name), 'utf8')
    const all = text.match(/\bask\s+the\s+operator\b/gi) ?? []
    const linked = text.match(/operator\.invalid\/contact"[^>]*>ask\s+the\s+operator</gi) ?? []
    expect([name, linked.length]).toEqual([name, all.length])
  }
})

describe('without settings', () => {
  test('pages have no link to an operator, and no price in money', async () => {
    for (const path of [
      '/docs',
      '/docs/pricing/',
      '/docs/support/',
      '/docs/support.md',
      '/docs/llms-full.txt',
    ]) {
      const page = await readPage(path, {})
      expect([
        path,
        /devdata-slot|operator\.invalid|Run by|Privacy<|credit-price|Price<\/th>/.test(page),
      ]).toEqual([path, false])
    }
    expect(await readPage('/docs/pricing/', {})).toContain('Ask the operator for an API key.')
    expect(await readPage('/docs/pricing/', {})).toContain(
      'About payment, taxes and what you may do with the data, ask the operator.',
    )
    expect(await readPage('/docs/authentication.md', {})).toContain('for an API key. If you run the service')
    expect(await readPage('/docs/support/', {})).toMatch(/ask the operator to\s+rotate it/)
  })
})

test('another setting is another version of a page', async () => {
  const read = async (operator: Record<string, string>) => {
    const response = await createInstance(docs.database, { operator }).fetch('/docs/pricing/')
    return response.headers.get('etag')
  }
  expect(await read({ CREDIT_PRICE: '1 EUR' })).not.toBe(await read({ CREDIT_PRICE: '2 EUR' }))
  expect(await read({ CREDIT_PRICE: '1 EUR' })).toBe(await read({ CREDIT_PRICE: '1 EUR' }))
})

test.each([
  ['0.002 EUR', 1, '0.002 EUR'],
  ['0.002 EUR', 51, '0.102 EUR'],
  ['0.002 EUR', 500, '1.00 EUR'],
  ['0.002 EUR', 1_000_000_000, '2,000,000.00 EUR'],
  ['0.1 USD', 3, '0.30 USD'],
  ['2 JPY', 7, '14 JPY'],
  ['0.5 JPY', 1, '0.5 JPY'],
  ['999999999.999999999 EUR', 9_007_199_254_740_991, '9,007,199,254,740,990,990,992,800.745259009 EUR'],
])('at %s, %d credits cost %s', (price, credits, money) => {
  const parsed = parseCreditPrice(price)
  if (parsed === 'invalid') throw new Error('it is invalid')
  expect(writeMoney(parsed, credits)).toBe(money)
})
