/** What pages say about who runs the service, and what a credit costs. Nothing is shown that isn't set. */
import type { Config } from '../config.ts'
import { writeMoney } from '../ledger/credit-price.ts'
import { writeCount } from './charts.ts'
import {
  contactPlaceholder,
  escapeHtml,
  joinText,
  type Slots,
  type SlotText,
  writeLink,
  writeMarkdownLink,
  writeTable,
} from './slots.ts'

type Operator = Config['operator']

/** What questions cost, in credits. */
const questions: readonly (readonly [question: string, credits: number])[] = [
  ['How many items match, and what they cost', 0],
  ['A retry of a paid request, with the same Idempotency-Key', 0],
  ['One user or one repository, by name', 1],
  ['A list of 1,000 users', 1_000],
  ['A list of 10,000 users', 10_000],
  ['A list of 100,000 users', 100_000],
]

/** Says where to get a key: `Sign up to get an API key.`, or `Ask the operator for an API key.` */
function writeKeySource(operator: Operator): SlotText {
  const { signupUrl } = operator
  if (signupUrl !== undefined) return joinText(writeLink(signupUrl, 'Sign up'), ' to get an API key.')
  return joinText(writeAsk(operator), ' for an API key.')
}

function writeCreditPrice(operator: Operator): SlotText {
  const { creditPrice } = operator
  if (creditPrice !== undefined) return joinText(`One credit costs ${writeMoney(creditPrice, 1)}.`)
  return joinText(writeAsk(operator), ' what a credit costs.')
}

function writeAsk({ name = 'the operator', contactUrl }: Operator, ask = 'Ask'): string | SlotText {
  const text = `${ask} ${name}`
  return contactUrl === undefined ? text : writeLink(contactUrl, text)
}

function writePrices({ creditPrice }: Operator): SlotText {
  const head = ['Question', 'Credits', ...(creditPrice === undefined ? [] : ['Price'])]
  const { html, markdown } = writeTable(
    head,
    questions.map(([question, credits]) => [
      question,
      writeCount(credits),
      ...(creditPrice === undefined ? [] : [credits === 0 ? 'free' : writeMoney(creditPrice, credits)]),
    ]),
  )
  return { html: `<div class="prices">${html}</div>`, markdown }
}

/** How to pay, and the terms: the operator's own words, and where the terms are. */
function writeTerms(operator: Operator): SlotText {
  const { termsNote, termsUrl } = operator
  const parts = [
    ...(termsNote === undefined ? [] : [joinText(termsNote)]),
    ...(termsUrl === undefined ? [] : [joinText('The ', writeLink(termsUrl, 'terms'), ' apply.')]),
    ...(termsNote === undefined
      ? [joinText('About payment, taxes and what you may do with the data, ', writeAsk(operator, 'ask'), '.')]
      : []),
  ]
  return parts.reduce((text, part) => joinText(text, ' ', part))
}

/** Who runs the service, with the links that the settings have: in the footer and on the page Support. */
function writeOperator({ name, contactUrl, termsUrl, privacyUrl, statusUrl }: Operator): SlotText {
  const links = [
    [contactUrl, 'Contact'],
    [statusUrl, 'Service status'],
    [termsUrl, 'Terms'],
    [privacyUrl, 'Privacy'],
  ] as const
  const items = [
    ...(name === undefined ? [] : [joinText(`Run by ${name}`)]),
    ...links.flatMap(([url, text]) => (url === undefined ? [] : [writeLink(url, text)])),
  ]
  if (items.length === 0) return { html: '', markdown: '' }
  return {
    html: `<ul class="operator">${items.map(({ html }) => `<li>${html}</li>`).join('')}</ul>`,
    markdown: items.map(({ markdown }) => `- ${markdown}`).join('\n'),
  }
}

/** The slots that the settings fill. Scripts of pages read the price of a credit from `price-data`. */
export function writeOperatorSlots(operator: Operator) {
  const { creditPrice } = operator
  const price = creditPrice && writeMoney(creditPrice, 1)
  return {
    operator: writeOperator(operator),
    'key-source': writeKeySource(operator),
    'credit-price': writeCreditPrice(operator),
    prices: writePrices(operator),
    terms: writeTerms(operator),
    // The header has a link to the quickstart beside it, which the style sheet then hides.
    signup: {
      html:
        operator.signupUrl === undefined
          ? ''
          : `<a class="get-key" href="${escapeHtml(operator.signupUrl)}">Get a key</a>`,
      markdown: '',
    },
    'price-data': {
      html: price
        ? `<data class="credit-price" value="${escapeHtml(price.replaceAll(',', ''))}">1 credit = ${escapeHtml(price)}</data>`
        : '',
      markdown: '',
    },
  } satisfies Slots
}

const contactLinks = {
  html: new RegExp(`<a href="${contactPlaceholder}"[^>]*>(.*?)</a>`, 'gs'),
  markdown: new RegExp(`\\[([^\\]]*)\\]\\(${contactPlaceholder}\\)`, 'g'),
}

/** Leads the links to the placeholder to `CONTACT_URL`. If that isn't set, their texts remain. */
export function linkContact(text: string, format: keyof SlotText, { contactUrl }: Operator): string {
  return text.replace(contactLinks[format], (_link, content: string) => {
    if (contactUrl === undefined) return content
    return format === 'html'
      ? `<a href="${escapeHtml(contactUrl)}">${content}</a>`
      : writeMarkdownLink(contactUrl, content)
  })
}
