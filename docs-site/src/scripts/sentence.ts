/**
 * The sentence of the home page: counts and prices the question as the reader types.
 *
 * With a key, `HEAD` counts, which is free, and only a button with the price spends credits. Without one, the answer is a
 * response that was recorded with the sample data, and says so. On a service with other data there is none: then the page
 * asks for a key.
 *
 * @module
 */
import { readError, sendRequest } from './api-request.ts'
import { completeField, packageCompletion, placeCompletion } from './completion.ts'
import { findDemoKey } from './demo-key.ts'
import { createButton, createElement, find } from './elements.ts'
import { onKeyChange, readKey, writeKey } from './key.ts'
import { openKeyDialog } from './key-dialog.ts'
import { writeCredits } from './key-state.ts'
import { writePrice } from './money.ts'
import { getPrice, lacksCredits } from './price.ts'
import { placeHint } from './query.ts'
import { readQuote } from './quote.ts'
import { createIdempotencyKey } from './run-request.ts'
import { followKey, writeKeyInto } from './sample-code.ts'
import {
  describePerson,
  type Person,
  type RecordedSentences,
  type Sentence,
  shownPeople,
  writeCurl,
  writeSentencePath,
} from './sentence-query.ts'

/** After the last keystroke. */
const delayMs = 350

/** What the page says about a question. */
type Answer =
  | { kind: 'recorded'; total: number; people: Person[] }
  | { kind: 'counted'; total: number; cost: number }
  | { kind: 'refused'; message: string }
  | { kind: 'needs key' }

function drawPerson(person: Person): HTMLElement {
  const { name, initials, tint, about, since } = describePerson(person)
  const avatar = createElement('span', { className: 'avatar', ariaHidden: 'true' }, initials)
  avatar.dataset.tint = String(tint)
  return createElement(
    'li',
    {},
    avatar,
    createElement('span', {}, createElement('strong', {}, name), ' ', createElement('small', {}, about)),
    ' ',
    createElement('small', {}, since),
  )
}

/** Starts the sentence of this page. */
export function startSentence(): void {
  const section = find('.sentence', HTMLElement)
  const form = find('.sentence form', HTMLFormElement)
  const place = find('.sentence [name="place"]', HTMLInputElement)
  const status = find('.sentence [name="status"]', HTMLSelectElement)
  const packages = find('.sentence [name="packages"]', HTMLInputElement)
  const total = find('.sentence .total', HTMLElement)
  const cost = find('.sentence .cost', HTMLElement)
  const people = find('.sentence .people', HTMLElement)
  const json = find('.sentence pre[data-view="json"]', HTMLElement)
  const curl = find('.sentence pre[data-view="curl"]', HTMLElement)
  const ask = find('.sentence .ask', HTMLElement)
  const demo = ask.querySelector<HTMLElement>('.demo-key')
  const views = [...section.querySelectorAll<HTMLElement>('.views button')]
  const isSample = document.querySelector<HTMLElement>('#live-figures')?.dataset.sample !== undefined
  let view = 'people'
  let recorded: Promise<RecordedSentences> | undefined
  /** The question whose answer is shown or under way. */
  let path = ''
  let timer: ReturnType<typeof setTimeout> | undefined

  const readSentence = (): Sentence => ({
    place: place.value,
    status: status.value,
    packages: packages.value,
  })
  const readRecorded = () => {
    recorded ??= import('../responses/sentences.json').then((module): RecordedSentences => module.default)
    return recorded
  }

  function showPeople(found: readonly Person[]): void {
    people.replaceChildren(...found.map(drawPerson))
    json.textContent = JSON.stringify({ data: found }, null, 2)
  }

  function clear(): void {
    people.replaceChildren()
    json.textContent = ''
    cost.replaceChildren()
  }

  function showView(): void {
    for (const button of views) button.setAttribute('aria-pressed', String(button.dataset.view === view))
    for (const panel of [people, json, curl]) panel.hidden = panel.dataset.view !== view
  }

  function showCurl(): void {
    curl.textContent = writeKeyInto(writeCurl(`${curl.dataset.url}${path}`))
  }

  /** Shows the count and the price of the whole list, or a hint if nothing matches. */
  function showTotal(count: number): void {
    total.replaceChildren(
      createElement('b', {}, count.toLocaleString('en')),
      ` ${count === 1 ? 'user' : 'users'}${isSample ? ' in the sample data' : ''}`,
    )
    const price = createElement('span', { className: 'price-tag' }, writeCredits(count))
    cost.replaceChildren(
      ...(count > 0
        ? [price, ` ${writePrice(count)} for all of them. Counting is free.`]
        : [placeHint, ' Names of packages are compared whole.']),
    )
  }

  function draw(answer: Answer): void {
    ask.hidden = answer.kind !== 'needs key'
    clear()
    showCurl()
    switch (answer.kind) {
      case 'recorded':
        showTotal(answer.total)
        showPeople(answer.people)
        break
      case 'counted':
        showTotal(answer.total)
        json.textContent = `HEAD ${path}\n\nX-Total-Count: ${answer.total}\nX-Credits-Cost: ${answer.cost}`
        if (answer.total > 0) people.append(createElement('li', {}, offer(answer)))
        break
      case 'refused':
        total.textContent = answer.message
        break
      case 'needs key':
        total.textContent = 'Enter a key to count this, free.'
        void findDemoKey().then((demoKey) => {
          if (demo) demo.hidden = demoKey === undefined
        })
    }
  }

  /** A button that buys the first people of the list, for the price that it names. */
  function offer({ total: count, cost: price }: { total: number; cost: number }): HTMLButtonElement {
    const asked = path
    const key = readKey()
    // The same for each click, so a response that is lost isn't paid for twice.
    const headers = { 'Max-Credits': String(price), 'Idempotency-Key': createIdempotencyKey() }
    const buy = async () => {
      const response = await sendRequest({ method: 'GET', path: asked, key, headers })
      if (asked !== path || key !== readKey()) return
      if (response.status !== 200) return draw({ kind: 'refused', message: readError(response) })
      const { data }: { data: Person[] } = JSON.parse(response.text)
      showPeople(data)
    }
    const shown = count === 1 ? 'this user' : `the first ${Math.min(count, shownPeople)}`
    const explainLoss = () => {
      cost.textContent = 'The API is unreachable. Select the button again: you pay once.'
    }
    const label =
      price === 0 ? `Show ${shown}: an admin key pays nothing` : `Show ${shown} for ${writeCredits(price)}`
    return createButton(label, () => void buy().catch(explainLoss), 'primary')
  }

  const showUnreachable = () => draw({ kind: 'refused', message: 'The API is unreachable.' })

  async function findAnswer(asked: string, key: string | undefined): Promise<Answer> {
    if (status.value !== '' && packages.value.trim() === '') {
      return { kind: 'refused', message: 'Name a package.' }
    }
    if (key !== undefined) {
      const response = await getPrice(asked, key)
      if (lacksCredits(response)) return { kind: 'refused', message: 'Your key has no credits left.' }
      if (response.status !== 200) return { kind: 'refused', message: readError(response) }
      const { total: count, cost: price } = readQuote(response)
      return { kind: 'counted', total: count ?? 0, cost: price }
    }
    if (!isSample) return { kind: 'needs key' }
    const { answers, people: known } = await readRecorded()
    const answer = answers[asked]
    if (answer === undefined) return { kind: 'needs key' }
    return {
      kind: 'recorded',
      total: answer.total,
      people: answer.logins.flatMap((login) => known[login] ?? []),
    }
  }

  async function update(): Promise<void> {
    const asked = writeSentencePath(readSentence())
    const key = readKey()
    path = asked
    try {
      const answer = await findAnswer(asked, key)
      if (asked === path && key === readKey()) draw(answer) // Otherwise the reader has changed the question or the key.
    } catch {
      if (asked === path) showUnreachable()
    }
  }

  for (const button of views) {
    button.addEventListener('click', () => {
      view = button.dataset.view ?? view
      showView()
    })
  }
  form.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void update(), readKey() ? delayMs : 0)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void update()
  })
  demo?.addEventListener('click', () => void findDemoKey().then(writeKey))
  ask.querySelector('.enter-key')?.addEventListener('click', openKeyDialog)
  onKeyChange(() => void update())
  followKey(showCurl)
  completeField(place, placeCompletion)
  completeField(packages, { ...packageCompletion, separator: ',' })
  path = writeSentencePath(readSentence())
  // The page as it was built is right for the sample data alone.
  if (readKey() || !isSample) void update()
}
