/**
 * Countries that are found in what people write as their location, against texts that were labeled by hand before the
 * rules were written (`locations.tsv`: the code or `-`, a tab, the text), and against others that the rules weren't
 * written for (`held-out.tsv`), or that were labeled before anybody saw what the rules find (`fresh.tsv`).
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { foldLocation } from '../../api/names/case-folding.ts'
import { countryRules, findCountry } from '../../api/names/places/country.ts'

function readLabels(file: string) {
  const lines = readFileSync(join(import.meta.dirname, file), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => {
    const [label = '', text = ''] = line.split('\t')
    return { label: label === '-' ? undefined : label, text }
  })
}

const files = ['locations.tsv', 'held-out.tsv', 'fresh.tsv']

test.each(files)('countries are right and found often: %s', (file) => {
  const labels = readLabels(file)
  const found = labels.map(({ label, text }) => ({ label, text, country: findCountry(text) }))
  const right = found.filter(({ label, country }) => country !== undefined && country === label)
  const precision = right.length / found.filter(({ country }) => country !== undefined).length
  const recall = right.length / labels.filter(({ label }) => label !== undefined).length
  console.info(
    `${file}: ${labels.length} texts, precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}`,
  )
  expect(labels.length).toBeGreaterThan(700)
  expect(precision).toBeGreaterThanOrEqual(0.99)
  expect(recall).toBeGreaterThanOrEqual(0.93)
})

test.each([
  ['München', 'DE'],
  ['Berlin, Germany', 'DE'],
  ['Deutschland', 'DE'],
  ['NRW', 'DE'],
  ['🇩🇪', 'DE'],
  ['Wien', 'AT'],
  ['Zürich/CH', 'CH'],
  ['Paris, TX', 'US'],
  ['Paris', 'FR'],
  ['Los Angeles, CA', 'US'],
  ['Toronto, CA', 'CA'],
  ['Tel Aviv, IL', 'IL'],
  ['Chicago, IL', 'US'],
  ['Bengaluru, IN', 'IN'],
  ['  lisbon,   PORTUGAL ', 'PT'],
  ['東京', 'JP'],
  ['Living in Amsterdam', 'NL'],
  ['Berlin 🇩🇪', 'DE'],
  ['Austin TX', 'US'],
  ['manchester nh', 'US'],
  ['london on', 'CA'],
  ['riyadh sa', 'SA'],
  ['Charlotte North Carolina', 'US'],
  ['Sydney New South Wales', 'AU'],
  ['St. Petersburg, FL USA', 'US'],
  ['Norfolk, VA 23510', 'US'],
  ['Portland, OR 97201', 'US'],
  ['79098 Freiburg im Breisgau', 'DE'],
  ['D-80331 München, Germany', 'DE'],
  ['Mostar, Bosnia & Herzegovina', 'BA'],
  ['Port of Spain, Trinidad and Tobago', 'TT'],
  ['Ojai CA', 'US'],
  ['software engineer in IT', undefined],
  ['work in HR', undefined],
  ['I live in LA', 'US'],
  ['Brighton Park IL', 'US'],
  ['what is IT', undefined],
  ['Head of HR', undefined],
  ['Salvador', undefined],
  ['Salvador, Bahia', 'BR'],
  ['Norfolk', undefined],
  ['Vitória, ES', undefined],
  ['Vitória, ES, Brasil', 'BR'],
  ['Tijuana, BC', 'MX'],
  ['Georgia', undefined],
  ['Lahore, Punjab', 'PK'],
  ['Ludhiana, Punjab', 'IN'],
  ['Paris, Georgia', undefined],
  ['Peru, Indiana', 'US'],
  ['Cuba, NY', 'US'],
  ['Jordan, MN', 'US'],
  ['India / USA', undefined],
  ['Armenia, Georgia', undefined],
  ['Hyderabad', undefined],
  ['Hyderabad 🇮🇳', 'IN'],
  ['Jordan', undefined],
  ['Lebanon', undefined],
  ['Zürich // ETH', 'CH'],
  ['EST, Boston', 'US'],
  ['Monterrey, NL', undefined],
  ['London, Paris, New York', undefined],
  ['大阪府', 'JP'],
  ['広東省', undefined],
  ['广东省深圳市', 'CN'],
  ['内蒙古', 'CN'],
  ['中国香港', 'HK'],
  ['中国和日本', undefined],
  ['Raleigh-Durham', 'US'],
  ['Grande-Bretagne', undefined],
  ['Rome', 'IT'],
  ['Mumbai → 🇮🇳', 'IN'],
  ['Mumbai → 🇬🇧', undefined],
  ['San Juan, PR, USA', 'PR'],
  ['Bucks County, PA', 'US'],
  ['Lisbon (from Brazil)', 'PT'],
  ['Tbilisi, Georgia', 'GE'],
  ['Atlanta, Georgia', 'US'],
  ['Remote', undefined],
  ['Earth', undefined],
  ['Berlin & Paris', undefined],
  ['Berlin / Lisbon', undefined],
  ['🇩🇪 🇫🇷', undefined],
  ['Berlin 🇫🇷', undefined],
  ['🇪🇺', undefined],
  ['Originally from Poland', undefined],
  ['/dev/null', undefined],
  ['C:\\home', undefined],
  ['', undefined],
  [',', undefined],
  ['52.52, 13.40', undefined],
])('the country of %j is %s', (text, country) => {
  expect(findCountry(text)).toBe(country)
})

test('spellings that differ only in case or marks have one country', () => {
  const texts = files.flatMap(readLabels).map(({ text }) => text)
  const others = [(text: string) => text.toUpperCase(), (text: string) => text.toLowerCase(), foldLocation]
  for (const text of [...texts, 'Truckee CA', 'Nové Zámky, SK', 'comme ça']) {
    expect(others.map((write) => findCountry(write(text)))).toEqual(others.map(() => findCountry(text)))
  }
})

test('rules that find other countries have another number, so that those of stored locations are found again', () => {
  const texts = files.flatMap(readLabels).map(({ text }) => text)
  const found = createHash('sha256').update(texts.map(findCountry).join()).digest('hex')
  expect({ countryRules, found }).toEqual({
    countryRules: 3,
    found: '7b18afeaff9026a732d7f1cb3b8146317599059716ae593adf63989123814009',
  })
})

test('any text is read to its end', () => {
  for (const part of [
    'in ',
    'a, ',
    '/ ',
    '🇩',
    ' - ',
    '-',
    '(',
    '→',
    '县',
    '北京',
    ', from ',
    'the ',
    '\u0301',
    'Berlin ',
    'Austin TX ',
    '12345 ',
    'Trinidad and Tobago, ',
  ]) {
    expect(() => findCountry(`${part.repeat(50_000)}x 🇩🇪`)).not.toThrow()
  }
})
