/**
 * Sends the requests of samples: the price first, by `HEAD`, then the response, then the ledger's entry. Only the
 * button with the price spends credits, and `Max-Credits` holds the service to it.
 */
import type { UsageEntry } from '../../../client/src/types.ts'
import { type ApiResponse, readError, sendRequest } from './api-request.ts'
import { setParameter, suggestCorrection } from './corrections.ts'
import { writeCost, writeCredits } from './credits.ts'
import { createButton, createElement } from './elements.ts'
import { explainError } from './error-page.ts'
import { onKeyChange, readKey } from './key.ts'
import { openKeyDialog } from './key-dialog.ts'
import { chooseIdempotencyKey, isLost, sendPaid } from './paid-request.ts'
import { countItems, readQuote, writeQuote } from './quote.ts'
import { fillFields, type RunRequest, readPath } from './run-request.ts'
import { writeReceipt, writeResponse } from './run-view.ts'
import { followKey, updateSample } from './sample-code.ts'
import { getPage, writeEntriesPath } from './usage.ts'

const readNumber = ({ headers }: ApiResponse, name: string) => Number(headers.get(name) ?? 0)

/** The ledger's entry of a response; undefined if there is none. Throws an error if the ledger can't be read. */
async function findEntry({ headers }: ApiResponse, key = ''): Promise<UsageEntry | undefined> {
  const id = headers.get('X-Request-Id')
  const { items } = await getPage<UsageEntry>(writeEntriesPath(10), key)
  return items.find(({ request_id }) => id !== null && request_id === id)
}

/** A sample whose request can be sent. */
class Run {
  readonly #form: HTMLFormElement
  readonly #sample: HTMLElement
  readonly #state: HTMLElement
  readonly #go: HTMLElement
  readonly #recorded: HTMLElement | null
  readonly #others: HTMLDetailsElement | null
  readonly #hint: string
  readonly #original: string
  readonly #method: 'GET' | 'HEAD'
  readonly #live = createElement('section', {
    className: 'live',
    ariaLabel: 'Live response',
    tabIndex: -1,
    hidden: true,
  })
  /** What the form asks for now. */
  #current: RunRequest
  /** What is under way. */
  #busy: RunRequest | undefined

  constructor(form: HTMLFormElement) {
    const sample = form.parentElement
    const state = form.querySelector<HTMLElement>('.run-state')
    const go = form.querySelector<HTMLElement>('.run-go')
    if (!sample || !state || !go) throw new Error('A form to run a request is incomplete')
    this.#form = form
    this.#sample = sample
    this.#state = state
    this.#go = go
    this.#recorded = sample.querySelector<HTMLElement>(':scope > .expressive-code')
    this.#others = form.querySelector('details')
    this.#hint = state.textContent
    const { path = '', sends = '{}', method } = form.dataset
    this.#original = path
    this.#method = method === 'HEAD' ? 'HEAD' : 'GET'
    this.#current = { path, sends: JSON.parse(sends), key: readKey() }
    form.after(this.#live)
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      // A key that stands in the field of the page is meant.
      if (!readKey()) document.querySelector<HTMLFormElement>('.key-field')?.requestSubmit()
      if (readKey() || form.dataset.public) this.#ask()
      else this.#askForKey()
    })
    form.addEventListener('input', () => this.#change({ path: readPath(form) }))
    onKeyChange(() => this.#change({ key: readKey() }))
    followKey(() => this.#showSample())
  }

  #say(...parts: (string | Node)[]): void {
    this.#state.replaceChildren(...parts)
  }

  #showSample(): void {
    updateSample(this.#sample, this.#original, this.#current.path)
  }

  /** Without a key, nothing is sent: the reader finds the field for it. */
  #askForKey(): void {
    this.#say('Enter your key first.')
    const field = document.querySelector<HTMLInputElement>('.key-field input')
    if (field) field.focus()
    else openKeyDialog()
  }

  /** Asks for the price of the form's request. */
  #ask(): void {
    void this.#attempt((request) => this.#quote(request))
  }

  /** Takes a quoted price away. */
  #reset(): void {
    this.#say(this.#hint)
    for (const button of this.#form.querySelectorAll('.run-pay')) button.remove()
  }

  /** Takes the live response away. The recorded one belongs to the original path. */
  #clear(): void {
    if (this.#live.contains(document.activeElement)) this.#go.focus()
    this.#live.replaceChildren()
    this.#live.hidden = true
    if (this.#recorded) this.#recorded.hidden = this.#current.path !== this.#original
    this.#reset()
  }

  /** Makes another request of the form. Prices and responses of the former one are no longer true. */
  #change(changed: Partial<RunRequest>): void {
    this.#current = { ...this.#current, ...changed }
    this.#clear()
    this.#showSample()
  }

  /** Does a part of the form's request, unless another part is under way. */
  async #attempt(act: (request: RunRequest) => Promise<void>): Promise<void> {
    const request = this.#current
    if (this.#busy === request) return
    this.#busy = request
    try {
      await act(request)
    } catch (error) {
      if (request === this.#current)
        this.#say(error instanceof TypeError ? 'The API is unreachable.' : String(error))
    }
    if (this.#busy === request) this.#busy = undefined
  }

  /** Asks for the price of a changed request. */
  #correct(path: string): void {
    fillFields(this.#form, path)
    this.#change({ path })
    this.#ask()
  }

  /** Shows a button beside Run, in view on phones. */
  #offer(label: string, onclick: () => void): void {
    const button = createButton(label, onclick, 'run-pay')
    this.#go.after(button)
    button.scrollIntoView({ block: 'nearest' })
  }

  async #quote(request: RunRequest): Promise<void> {
    const { path, key, sends } = request
    this.#reset()
    if (this.#method === 'HEAD' || this.#form.dataset.public) return this.#deliver(request, sends)
    this.#say('Getting the price …')
    const head = await sendRequest({ method: 'HEAD', path, key, headers: sends })
    if (request !== this.#current) return
    const price = readQuote(head, isLost(request))
    const { cost, balance, total } = price
    // Free, or refused. Should it cost something by now, the service refuses it.
    if (cost === 0) return this.#deliver(request, { ...sends, 'Max-Credits': '0' })
    if (cost > Number(sends['Max-Credits'] ?? cost)) return this.#deliver(request, sends)
    this.#say(...writeQuote(path, price))
    if (price.isAffordable) {
      const idempotencyKey = chooseIdempotencyKey(request)
      const headers = { 'Idempotency-Key': idempotencyKey, ...sends, 'Max-Credits': String(cost) }
      this.#offer(`Get it for ${writeCost(cost)}`, () => this.#attempt(() => this.#deliver(request, headers)))
      return
    }
    if (total === null || balance === 0 || /[?&](page|after)=/.test(path)) return
    this.#offer(`Request ${countItems(path, balance)}`, () =>
      this.#correct(setParameter(path, 'per_page', balance)),
    )
  }

  /** Sends a request. The response is drawn by the function beside it. */
  async #send({ path, key }: RunRequest, headers: Readonly<Record<string, string>>) {
    this.#say('Sending …')
    const startedAt = performance.now()
    const response = await sendRequest({ method: this.#method, path, key, headers })
    const ms = Math.round(performance.now() - startedAt)
    return { status: response.status, response, draw: () => writeResponse(response, ms, () => this.#close()) }
  }

  async #deliver(request: RunRequest, headers: Readonly<Record<string, string>>): Promise<void> {
    const idempotencyKey = headers['Idempotency-Key']
    const send = () => this.#send(request, headers)
    const { response, draw } = await (idempotencyKey ? sendPaid(request, idempotencyKey, send) : send())
    const cost = readNumber(response, 'X-Credits-Cost')
    const isCharged = this.#method === 'GET' && cost > 0
    const result = `${response.status}, ${isCharged ? writeCredits(cost) : 'free'}.`
    if (request !== this.#current) {
      // Its response is not that of the form. Readers should still know what they paid.
      if (isCharged && this.#busy === request) this.#say(`Your former request: ${result}`)
      return
    }
    const view = draw()
    this.#reset()
    this.#live.replaceChildren(view)
    this.#live.hidden = false
    if (this.#recorded) this.#recorded.hidden = true
    if (this.#others) this.#others.open = false // Room for the response.
    this.#say(`${result}${this.#method === 'HEAD' && cost > 0 ? ' The cost is that of the GET.' : ''}`)
    this.#live.focus()
    if (response.status >= 400 && response.text) view.append(await this.#writeHelp(request, response))
    if (!isCharged) return
    const receipt = await this.#writeOwnReceipt(request, response, headers)
    if (this.#live.contains(view)) this.#live.append(receipt)
  }

  /** The ledger's entry of a response, with a button that repeats the request free. */
  async #writeOwnReceipt(
    request: RunRequest,
    response: ApiResponse,
    headers: Readonly<Record<string, string>>,
  ): Promise<HTMLElement> {
    try {
      const entry = await findEntry(response, request.key)
      if (!entry) return createElement('p', {}, 'The ledger has no entry for this request yet.')
      const receipt = writeReceipt(entry, headers)
      const note = createElement('p', { role: 'status' })
      const repeat = () => this.#attempt(() => this.#sendAgain(request, headers, note))
      receipt.append(createButton('Send again with the same Idempotency-Key: 0 credits', repeat), note)
      return receipt
    } catch (error) {
      const reason = error instanceof Error ? error.message : ''
      return createElement('p', {}, `The ledger can’t be read. ${reason}`)
    }
  }

  async #sendAgain(
    request: RunRequest,
    headers: Readonly<Record<string, string>>,
    note: HTMLElement,
  ): Promise<void> {
    note.textContent = ''
    const { response, draw } = await this.#send(request, { ...headers, 'Max-Credits': '0' })
    if (request !== this.#current) return
    const view = draw()
    this.#live.firstElementChild?.replaceWith(view)
    view.scrollIntoView({ block: 'nearest' })
    this.#reset()
    this.#say(`${response.status}, ${writeCredits(readNumber(response, 'X-Credits-Cost'))}.`)
    if (response.status >= 400) {
      view.append(await this.#writeHelp(request, response))
      return
    }
    const isReplayed = response.headers.get('Idempotency-Replayed') === 'true'
    if (isReplayed && (await findEntry(response, request.key)) === undefined)
      note.textContent = 'Sent again. The ledger has no new entry: this one covers both requests.'
  }

  async #writeHelp({ path, sends }: RunRequest, response: ApiResponse): Promise<HTMLElement> {
    const error = readError(response)
    const help = createElement('div', { className: 'run-help' }, ...(await explainError(error)))
    const code = response.headers.get('X-Error-Code') ?? ''
    if (code === 'max_credits_exceeded' && sends['Max-Credits']) {
      const lift = () => {
        const { 'Max-Credits': _, ...others } = sends
        this.#change({ sends: others })
        this.#ask()
      }
      help.append(createButton('Run without Max-Credits', lift))
      return help
    }
    const correction = suggestCorrection(path, code, error)
    if (!correction) return help
    const { label, path: corrected } = correction
    help.append(
      createButton(label, () => (corrected === undefined ? openKeyDialog() : this.#correct(corrected))),
    )
    return help
  }

  #close(): void {
    this.#clear()
    this.#go.focus()
  }
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.run')) new Run(form)
for (const sample of document.querySelectorAll('.sample[data-program]')) followKey(() => updateSample(sample))
