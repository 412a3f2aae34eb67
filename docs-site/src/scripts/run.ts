/**
 * Sends the requests of samples: the price first, by `HEAD`, then the response, then the ledger's entry. Only the button
 * with the price spends credits, and `Max-Credits` holds the service to it.
 *
 * @module
 */
import { type ApiResponse, readError, sendRequest } from './api-request.ts'
import { setParameter, suggestCorrection } from './corrections.ts'
import { createButton, createElement } from './elements.ts'
import { explainError } from './error-page.ts'
import { onKeyChange, readKey } from './key.ts'
import { openKeyDialog } from './key-dialog.ts'
import { writeCredits } from './key-state.ts'
import { countItems, readQuote, writeQuote } from './quote.ts'
import { createIdempotencyKey, fillFields, type RunRequest, readPath } from './run-request.ts'
import { writeReceipt, writeResponse } from './run-view.ts'
import { followKey, updateSample } from './sample-code.ts'
import { getPage, type LedgerEntry, writeEntriesPath } from './usage.ts'

const readNumber = ({ headers }: ApiResponse, name: string) => Number(headers.get(name) ?? 0)

/** The ledger's entry of a response; undefined if there is none. Throws an error if the ledger can't be read. */
async function findEntry({ headers }: ApiResponse, key = ''): Promise<LedgerEntry | undefined> {
  const id = headers.get('X-Request-Id')
  const { items } = await getPage<LedgerEntry>(writeEntriesPath(10), key)
  return items.find(({ request_id }) => id !== null && request_id === id)
}

function startRun(form: HTMLFormElement): void {
  const sample = form.parentElement
  const state = form.querySelector('.run-state')
  const go = form.querySelector<HTMLElement>('.run-go')
  if (!sample || !state || !go) throw new Error('A form to run a request is incomplete')
  const { path: original = '', sends = '{}' } = form.dataset
  const method = form.dataset.method === 'HEAD' ? 'HEAD' : 'GET'
  const recorded = sample.querySelector<HTMLElement>(':scope > .expressive-code')
  const others = form.querySelector('details')
  const hint = state.textContent
  const live = createElement('section', {
    className: 'live',
    ariaLabel: 'Live response',
    tabIndex: -1,
    hidden: true,
  })
  form.after(live)

  /** What the form asks for now. */
  let current: RunRequest = { path: original, sends: JSON.parse(sends), key: readKey() }
  /** What is under way. */
  let busy: RunRequest | undefined

  const say = (...parts: (string | Node)[]) => state.replaceChildren(...parts)
  const showSample = () => updateSample(sample, original, current.path)

  /** Takes a quoted price away. */
  function reset(): void {
    say(hint)
    for (const button of form.querySelectorAll('.run-pay')) button.remove()
  }

  /** Takes the live response away. The recorded one belongs to the original path. */
  function clear(): void {
    if (live.contains(document.activeElement)) go?.focus()
    live.replaceChildren()
    live.hidden = true
    if (recorded) recorded.hidden = current.path !== original
    reset()
  }

  /** Makes another request of the form. Prices and responses of the former one are no longer true. */
  function change(changed: Partial<RunRequest>): void {
    current = { ...current, ...changed }
    clear()
    showSample()
  }

  /** Does a part of the form's request, unless another part is under way. */
  async function attempt(act: (request: RunRequest) => Promise<void>): Promise<void> {
    const request = current
    if (busy === request) return
    busy = request
    try {
      await act(request)
    } catch (error) {
      if (request === current) say(error instanceof TypeError ? 'The API is unreachable.' : String(error))
    }
    if (busy === request) busy = undefined
  }

  /** Asks for the price of a changed request. */
  function correct(path: string): void {
    fillFields(form, path)
    change({ path })
    void attempt(quote)
  }

  /** Shows a button beside Run, in view on phones. */
  function offer(label: string, onclick: () => void): void {
    const button = createButton(label, onclick, 'run-pay')
    go?.after(button)
    button.scrollIntoView({ block: 'nearest' })
  }

  async function quote(request: RunRequest): Promise<void> {
    const { path, key, sends } = request
    reset()
    if (method === 'HEAD' || form.dataset.public) return deliver(request, sends)
    say('Getting the price …')
    const head = await sendRequest({ method: 'HEAD', path, key, headers: sends })
    if (request !== current) return
    const price = readQuote(head)
    const { cost, balance, total } = price
    // Free, or refused. Should it cost something by now, the service refuses it.
    if (cost === 0) return deliver(request, { ...sends, 'Max-Credits': '0' })
    if (cost > Number(sends['Max-Credits'] ?? cost)) return deliver(request, sends)
    say(...writeQuote(path, price))
    if (price.isAffordable) {
      const headers = { 'Idempotency-Key': createIdempotencyKey(), ...sends, 'Max-Credits': String(cost) }
      offer(`Get it for ${writeCredits(cost)}`, () => attempt(() => deliver(request, headers)))
      return
    }
    if (total === null || balance === 0 || /[?&](page|after)=/.test(path)) return
    offer(`Request ${countItems(path, balance)}`, () => correct(setParameter(path, 'per_page', balance)))
  }

  /** Sends a request. The response is drawn by the function beside it. */
  async function send({ path, key }: RunRequest, headers: Readonly<Record<string, string>>) {
    say('Sending …')
    const startedAt = performance.now()
    const response = await sendRequest({ method, path, key, headers })
    const ms = Math.round(performance.now() - startedAt)
    return { response, draw: () => writeResponse(response, ms, close) }
  }

  async function deliver(request: RunRequest, headers: Readonly<Record<string, string>>): Promise<void> {
    const { response, draw } = await send(request, headers)
    const cost = readNumber(response, 'X-Credits-Cost')
    const isCharged = method === 'GET' && cost > 0
    const result = `${response.status}, ${isCharged ? writeCredits(cost) : 'free'}.`
    if (request !== current) {
      // Its response is not that of the form. Readers should still know what they paid.
      if (isCharged && busy === request) say(`Your former request: ${result}`)
      return
    }
    const view = draw()
    reset()
    live.replaceChildren(view)
    live.hidden = false
    if (recorded) recorded.hidden = true
    if (others) others.open = false // Room for the response.
    say(`${result}${method === 'HEAD' && cost > 0 ? ' The cost is that of the GET.' : ''}`)
    live.focus()
    if (response.status >= 400 && response.text) view.append(await writeHelp(request, response))
    if (!isCharged) return
    const receipt = await writeOwnReceipt(request, response, headers)
    if (live.contains(view)) live.append(receipt)
  }

  /** The ledger's entry of a response, with a button that repeats the request free. */
  async function writeOwnReceipt(
    request: RunRequest,
    response: ApiResponse,
    headers: Readonly<Record<string, string>>,
  ): Promise<HTMLElement> {
    try {
      const entry = await findEntry(response, request.key)
      if (!entry) return createElement('p', {}, 'The ledger has no entry for this request yet.')
      const receipt = writeReceipt(entry, headers)
      const note = createElement('p', { role: 'status' })
      const repeat = () => attempt(() => sendAgain(request, headers, note))
      receipt.append(createButton('Send again with the same Idempotency-Key: 0 credits', repeat), note)
      return receipt
    } catch (error) {
      return createElement(
        'p',
        {},
        `The ledger can’t be read. ${error instanceof Error ? error.message : ''}`,
      )
    }
  }

  async function sendAgain(
    request: RunRequest,
    headers: Readonly<Record<string, string>>,
    note: HTMLElement,
  ): Promise<void> {
    note.textContent = ''
    const { response, draw } = await send(request, { ...headers, 'Max-Credits': '0' })
    if (request !== current) return
    const view = draw()
    live.firstElementChild?.replaceWith(view)
    view.scrollIntoView({ block: 'nearest' })
    reset()
    say(`${response.status}, ${writeCredits(readNumber(response, 'X-Credits-Cost'))}.`)
    if (response.status >= 400) {
      view.append(await writeHelp(request, response))
      return
    }
    const isReplayed = response.headers.get('Idempotency-Replayed') === 'true'
    if (isReplayed && (await findEntry(response, request.key)) === undefined)
      note.textContent = 'Sent again. The ledger has no new entry: this one covers both requests.'
  }

  async function writeHelp({ path, sends }: RunRequest, response: ApiResponse): Promise<HTMLElement> {
    const error = readError(response)
    const help = createElement('div', { className: 'run-help' }, ...(await explainError(error)))
    const code = response.headers.get('X-Error-Code') ?? ''
    if (code === 'max_credits_exceeded' && sends['Max-Credits']) {
      const lift = () => {
        const { 'Max-Credits': _, ...others } = sends
        change({ sends: others })
        void attempt(quote)
      }
      help.append(createButton('Run without Max-Credits', lift))
      return help
    }
    const correction = suggestCorrection(path, code, error)
    if (!correction) return help
    const { label, path: corrected } = correction
    help.append(createButton(label, () => (corrected === undefined ? openKeyDialog() : correct(corrected))))
    return help
  }

  function close(): void {
    clear()
    go?.focus()
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    // A key that stands in the field of the page is meant.
    if (!readKey()) document.querySelector<HTMLFormElement>('.key-field')?.requestSubmit()
    void attempt(quote)
  })
  form.addEventListener('input', () => change({ path: readPath(form) }))
  onKeyChange(() => change({ key: readKey() }))
  followKey(showSample)
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.run')) startRun(form)
for (const sample of document.querySelectorAll('.sample[data-program]')) followKey(() => updateSample(sample))
