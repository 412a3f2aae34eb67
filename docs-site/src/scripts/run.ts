/**
 * Sends the requests of samples: the price first, by `HEAD`, then the response, then the ledger's entry. Only the button
 * with the price spends credits, and `Max-Credits` holds the service to it.
 *
 * @module
 */
import { type ApiResponse, sendRequest } from './api-request.ts'
import { setParameter, suggestCorrection, writePath } from './corrections.ts'
import { createElement } from './elements.ts'
import { explainError } from './error-page.ts'
import { openKeyDialog } from './key-dialog.ts'
import { writeCredits } from './key-state.ts'
import { type LedgerEntry, writeReceipt, writeResponse } from './run-view.ts'
import { followKey, updateSample } from './sample-code.ts'

const nouns: readonly (readonly [path: RegExp, one: string, many: string])[] = [
  [/\/commits/, 'commit', 'commits'],
  [/\/dependencies/, 'dependency', 'dependencies'],
  [/^\/users/, 'user', 'users'],
  [/^\/repos/, 'repository', 'repositories'],
]

/** `51 users`, for a list at this path. */
function countItems(path: string, count: number): string {
  const noun = nouns.find(([pattern]) => pattern.test(path.split('?')[0] ?? ''))
  return `${count.toLocaleString('en')} ${noun?.[count === 1 ? 1 : 2]}`
}

const readNumber = ({ headers }: ApiResponse, name: string) => Number(headers.get(name) ?? 0)

/** `crypto.randomUUID` is missing on pages without HTTPS, except those of this machine. */
const createIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function startRun(form: HTMLFormElement): void {
  const sample = form.parentElement
  const state = form.querySelector('.run-state')
  const go = form.querySelector('.run-go')
  if (!sample || !state || !go) throw new Error('A form to run a request is incomplete')
  const { method = 'GET', path: original = '', template = '', sends: sent = '{}' } = form.dataset
  const recorded = sample.querySelector<HTMLElement>(':scope > .expressive-code')
  const others = form.querySelector('details')
  const hint = state.textContent
  const fields = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-parameter]')]
  let sends: Record<string, string> = JSON.parse(sent)
  let path = original
  let isBusy = false

  const live = createElement('section', {
    className: 'live',
    ariaLabel: 'Live response',
    tabIndex: -1,
    hidden: true,
  })
  form.after(live)

  function say(...parts: (string | Node)[]): void {
    state?.replaceChildren(...parts)
  }

  /** Shows the request as the reader has changed it. The recorded response belongs to the original. */
  function reset(): void {
    say(hint)
    for (const button of form.querySelectorAll('.run-pay')) button.remove()
    updateSample(sample as Element, original, path)
    if (!live.hidden) return
    if (recorded) recorded.hidden = path !== original
  }

  function close(): void {
    live.hidden = true
    reset()
    if (recorded) recorded.hidden = path !== original
    form.querySelector<HTMLElement>('.run-go')?.focus()
  }

  function readForm(): string {
    const values = fields.map(({ value, dataset }) => ({
      name: dataset.parameter ?? '',
      value: value.trim(),
      place: dataset.place,
    }))
    const base = values
      .filter(({ place }) => place === 'path')
      .reduce((text, { name, value }) => text.replace(`{${name}}`, () => encodeURIComponent(value)), template)
    const query = values.filter(({ place, value }) => place === 'query' && value !== '')
    return writePath(
      base,
      query.map(({ name, value }): [string, string] => [name, value]),
    )
  }

  function change(corrected: string): void {
    path = corrected
    const query = new URLSearchParams(corrected.split('?')[1])
    for (const field of fields)
      if (field.dataset.place === 'query') field.value = query.get(field.dataset.parameter ?? '') ?? ''
    reset()
  }

  /** Shows a button beside Run, in view on phones. */
  function offer(button: HTMLButtonElement): void {
    go?.after(button)
    button.scrollIntoView({ block: 'nearest' })
  }

  /** A button that spends credits or changes the request. */
  function createButton(label: string, act: () => Promise<void> | void, className = ''): HTMLButtonElement {
    const button = createElement('button', { type: 'button', className, textContent: label })
    button.addEventListener('click', () => attempt(act))
    return button
  }

  async function attempt(act: () => Promise<void> | void): Promise<void> {
    if (isBusy) return
    isBusy = true
    try {
      await act()
    } catch (error) {
      say(error instanceof TypeError ? 'The API is unreachable.' : String(error))
    } finally {
      isBusy = false
    }
  }

  async function quote(): Promise<void> {
    reset()
    if (method === 'HEAD' || form.dataset.public) return deliver({})
    say('Getting the price …')
    const head = await sendRequest('HEAD', path, sends)
    const cost = readNumber(head, 'X-Credits-Cost')
    // Free, or refused. Should it cost something by now, the service refuses it.
    if (cost === 0) return deliver({ 'Max-Credits': '0' })
    if (cost > Number(sends['Max-Credits'] ?? cost)) return deliver({})

    const total = head.headers.get('X-Total-Count')
    const isWhole = total === null || Number(total) === cost
    const found =
      total === null
        ? head.status === 404
          ? 'Not found'
          : countItems(path, 1)
        : countItems(path, Number(total))
    const price = createElement('mark', { textContent: writeCredits(cost) })
    say(`${found} · ${isWhole ? '' : 'this page: '}`, price, ' · HEAD was free')
    const balance = readNumber(head, 'X-Credits-Remaining')
    if (cost <= balance) {
      const headers = { 'Idempotency-Key': createIdempotencyKey(), 'Max-Credits': String(cost) }
      offer(createButton(`Get it for ${writeCredits(cost)}`, () => deliver(headers), 'run-pay'))
      return
    }
    state?.append(`. You have ${writeCredits(balance)}.`)
    if (total === null || balance === 0 || /[?&](page|after)=/.test(path)) return
    const rerun = () => {
      change(setParameter(path, 'per_page', balance))
      return quote()
    }
    offer(createButton(`Request ${countItems(path, balance)}`, rerun, 'run-pay'))
  }

  async function send(
    headers: Record<string, string>,
  ): Promise<{ response: ApiResponse; view: HTMLElement }> {
    say('Sending …')
    const all = { ...headers, ...sends }
    const startedAt = performance.now()
    const response = await sendRequest(method as 'GET' | 'HEAD', path, all)
    const view = writeResponse(response, Math.round(performance.now() - startedAt), close)
    if (response.status >= 400 && /json/.test(response.headers.get('Content-Type') ?? '') && response.text)
      view.append(await writeHelp(response))
    return { response, view }
  }

  async function deliver(headers: Record<string, string>): Promise<void> {
    const { response, view } = await send(headers)
    reset()
    live.replaceChildren(view)
    live.hidden = false
    if (recorded) recorded.hidden = true
    if (others) others.open = false // Room for the response.
    const cost = readNumber(response, 'X-Credits-Cost')
    const isCharged = method === 'GET' && cost > 0
    const note = method === 'HEAD' && cost > 0 ? ' The cost is that of the GET.' : ''
    say(`${response.status}, ${isCharged ? writeCredits(cost) : 'free'}.${note}`)
    live.focus()
    if (isCharged) live.append(await writeOwnReceipt(response, { ...headers, ...sends }))
  }

  /** The ledger's entry of a response, with a button that repeats the request free. */
  async function writeOwnReceipt(
    response: ApiResponse,
    headers: Record<string, string>,
  ): Promise<HTMLElement> {
    const entry = await findEntry(response)
    if (!entry) return createElement('p', { textContent: 'The ledger has no entry for this request yet.' })
    const receipt = writeReceipt(entry, headers)
    const note = createElement('p', { role: 'status' })
    const repeat = async () => {
      const again = await send({ ...headers, 'Max-Credits': '0' })
      live.firstElementChild?.replaceWith(again.view)
      again.view.scrollIntoView({ block: 'nearest' })
      const cost = readNumber(again.response, 'X-Credits-Cost')
      const isNew = (await findEntry(again.response)) !== undefined
      reset()
      say(`${again.response.status}, ${writeCredits(cost)}.`)
      note.textContent = isNew
        ? ''
        : 'Sent again. The ledger has no new entry: this one covers both requests.'
    }
    receipt.append(createButton('Send again with the same Idempotency-Key: 0 credits', repeat), note)
    return receipt
  }

  async function findEntry({ headers }: ApiResponse): Promise<LedgerEntry | undefined> {
    const { text } = await sendRequest('GET', '/api-key/usage?per_page=10')
    const { data = [] }: { data?: LedgerEntry[] } = JSON.parse(text)
    return data.find(({ request_id }) => request_id === headers.get('X-Request-Id'))
  }

  async function writeHelp(response: ApiResponse): Promise<HTMLElement> {
    const { error = '' }: { error?: string } = JSON.parse(response.text)
    const help = createElement('div', { className: 'run-help' }, ...(await explainError(error)))
    const code = response.headers.get('X-Error-Code') ?? ''
    if (code === 'max_credits_exceeded' && sends['Max-Credits']) {
      const lift = () => {
        const { 'Max-Credits': _, ...others } = sends
        sends = others
        return quote()
      }
      help.append(createButton('Run without Max-Credits', lift))
      return help
    }
    const correction = suggestCorrection(path, code, error)
    if (!correction) return help
    const { label, path: corrected } = correction
    const correct = () => {
      if (corrected === undefined) return openKeyDialog()
      change(corrected)
      return quote()
    }
    help.append(createButton(label, correct))
    return help
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void attempt(quote)
  })
  form.addEventListener('input', () => {
    path = readForm()
    reset()
  })
  followKey(reset)
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.run')) startRun(form)
for (const sample of document.querySelectorAll('.sample[data-program]')) followKey(() => updateSample(sample))
