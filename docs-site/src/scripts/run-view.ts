/** Draws a response and a receipt. */
import type { UsageEntry } from '../../../client/src/types.ts'
import { statusTexts } from '../../status-texts.ts'
import type { ApiResponse } from './api-request.ts'
import { writeCredits } from './credits.ts'
import { createElement } from './elements.ts'
import { hideKey } from './key-text.ts'

/** Headers that say something about this API. */
const shownHeaders = [
  'X-Total-Count',
  'X-Credits-Cost',
  'X-Credits-Remaining',
  'Idempotency-Replayed',
  'X-Error-Code',
  'Retry-After',
  'RateLimit',
  'X-Dataset-Version',
  'ETag',
  'X-Request-Id',
  'Link',
]

/** Longer texts get no colors, because each colored part is an element. */
const maxColoredCharacters = 40_000

function writeBody(text: string): (string | Node)[] {
  let body = text
  try {
    body = JSON.stringify(JSON.parse(text, hideKey), null, 2)
  } catch {
    return [text] // Metrics, for example, aren't JSON.
  }
  if (body.length > maxColoredCharacters) return [body]
  const parts: (string | Node)[] = []
  let end = 0
  for (const { 0: token, 1: string, 2: colon, index } of body.matchAll(
    /("(?:\\.|[^"\\])*")(:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g,
  )) {
    const className = colon ? 'name' : string ? 'string' : 'constant'
    parts.push(body.slice(end, index), createElement('span', { className }, string ?? token))
    end = index + (string ?? token).length
  }
  return [...parts, body.slice(end)]
}

/** Draws a response: its status, time and size, the headers that matter, and the body. */
export function writeResponse(
  { status, headers, text }: ApiResponse,
  ms: number,
  close: () => void,
): HTMLElement {
  const chip = createElement('span', { className: 'chip' }, `${status} ${statusTexts[status] ?? ''}`.trim())
  chip.dataset.status = String(status)
  const bytes = new TextEncoder().encode(text).length
  const size = text ? ` · ${bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`}` : ''
  const button = createElement(
    'button',
    { type: 'button', className: 'live-close', ariaLabel: 'Close the response' },
    '✕',
  )
  button.addEventListener('click', close)
  const lines = shownHeaders.flatMap((name) => {
    const value = headers.get(name)
    if (value === null) return []
    const line = createElement(
      name === 'X-Credits-Cost' ? 'mark' : 'span',
      {},
      createElement('span', { className: 'name' }, name),
      `: ${value}`,
    )
    return [line, '\n']
  })
  const code = createElement('pre', {}, ...lines, ...(text ? ['\n', ...writeBody(text)] : []))
  const scroll = createElement(
    'div',
    { className: 'live-code', tabIndex: 0, role: 'group', ariaLabel: 'Headers and body' },
    code,
  )
  return createElement(
    'div',
    { className: 'live-response' },
    createElement('p', { className: 'live-head' }, chip, ` ${ms} ms${size}`, button),
    scroll,
  )
}

/** Draws a ledger entry, and what was sent to get it. */
export function writeReceipt(entry: UsageEntry, sent: Readonly<Record<string, string>>): HTMLElement {
  const time = new Date(entry.timestamp * 1000).toISOString().slice(0, 19).replace('T', ' ')
  const rows: [string, string][] = [
    ['Entry', `${entry.entry}, ${time} UTC`],
    ['Request', `${entry.method} ${entry.path}`],
    ['X-Request-Id', entry.request_id ?? ''],
    ...Object.entries(sent),
    ['Cost', `${writeCredits(entry.cost)}, ${entry.items} ${entry.items === 1 ? 'item' : 'items'}`],
    ['Balance', writeCredits(entry.balance)],
  ]
  const list = rows.flatMap(([name, value]) => [
    createElement('dt', {}, name),
    createElement('dd', {}, value),
  ])
  return createElement(
    'div',
    { className: 'receipt' },
    createElement('p', { className: 'receipt-title' }, 'Receipt, from your ledger'),
    createElement('dl', {}, ...list),
  )
}
