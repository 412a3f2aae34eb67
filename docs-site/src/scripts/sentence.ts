/**
 * The sentence of the home page: counts and prices the question as the reader types.
 *
 * With a key, `HEAD` counts, which is free, and only a button with the price spends credits. Without one, the answer is
 * a response that was recorded with the sample data, and says so. On a service with other data there is none: then the
 * page says what the public figures do, and asks for a key.
 */
import { type ApiResponse, readError, sendRequest } from './api-request.ts'
import { completeField, packageCompletion, placeCompletion } from './completion.ts'
import { writeCost, writeCredits } from './credits.ts'
import { findDemoKey } from './demo-key.ts'
import { createButton, createElement, find } from './elements.ts'
import { onKeyChange, readKey, writeKey } from './key.ts'
import { openKeyDialog } from './key-dialog.ts'
import { chooseIdempotencyKey, isLost, sendPaid } from './paid-request.ts'
import { getListPrice, type ListPrice } from './price.ts'
import { describePublicly } from './public-counts.ts'
import { placeHint } from './query.ts'
import { followKey, writeKeyInto } from './sample-code.ts'
import {
  describePerson,
  type Person,
  type RecordedSentences,
  shownPeople,
  writeCurl,
  writeSentencePath,
} from './sentence-query.ts'
import { splitList } from './url.ts'

/** After the last keystroke. */
const delayMs = 350

/** What the page says about a question. */
type Answer =
  | ListPrice
  | { kind: 'recorded'; total: number; people: Person[] }
  /** With what is public about the parts of the question, a sentence each. */
  | { kind: 'needs key'; known: string[] }

const unreachable = { kind: 'refused', message: 'The API is unreachable.' } satisfies Answer

/** The sentence of the page. */
type View = ReturnType<typeof findView>

/** Starts the sentence of this page. */
export function startSentence(): void {
  const view = findView()
  view.path = readPath(view)
  const { form, place, packages, ask, demo } = view
  const update = () => void showAnswer(view)
  let timer: ReturnType<typeof setTimeout> | undefined
  form.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(update, readKey() ? delayMs : 0)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    update()
  })
  startTabs(view)
  demo?.addEventListener('click', () => void findDemoKey().then(writeKey))
  ask.querySelector('.enter-key')?.addEventListener('click', openKeyDialog)
  onKeyChange(update)
  followKey(() => showCurl(view))
  completeField(place, placeCompletion)
  completeField(packages, { ...packageCompletion, separator: ',' })
  // The page as it was built is right for the sample data alone, and knows no price in money.
  if (readKey() || !view.isSample) update()
  else showCost(view, Number(view.total.querySelector('b')?.textContent))
}

function findView() {
  const findPart = (selector: string) => find(`.sentence ${selector}`, HTMLElement)
  return {
    form: find('.sentence form', HTMLFormElement),
    place: find('.sentence [name="place"]', HTMLInputElement),
    verb: find('.sentence [name="verb"]', HTMLSelectElement),
    packages: find('.sentence [name="packages"]', HTMLInputElement),
    total: findPart('.total'),
    cost: findPart('.cost'),
    former: findPart('.former'),
    people: findPart('.people'),
    json: findPart('pre[data-view="json"]'),
    curl: findPart('pre[data-view="curl"]'),
    ask: findPart('.ask'),
    demo: document.querySelector<HTMLElement>('.sentence .demo-key'),
    isSample: document.querySelector<HTMLElement>('#live-figures')?.dataset.sample !== undefined,
    /** The question whose answer is shown or under way. */
    path: '',
  }
}

const readPath = ({ place, verb, packages }: View) =>
  writeSentencePath({ place: place.value, verb: verb.value, packages: packages.value })

/** The people, the JSON and the command are shown one at a time. */
function startTabs({ people, json, curl }: View): void {
  const buttons = [...document.querySelectorAll<HTMLElement>('.sentence .views button')]
  for (const chosen of buttons) {
    chosen.addEventListener('click', () => {
      for (const button of buttons) button.setAttribute('aria-pressed', String(button === chosen))
      for (const panel of [people, json, curl]) panel.hidden = panel.dataset.view !== chosen.dataset.view
    })
  }
}

/** Answers the question of the form, unless the reader changes the question or the key before that. */
async function showAnswer(view: View): Promise<void> {
  const path = readPath(view)
  const key = readKey()
  view.path = path
  const answer = await findAnswer(view, key).catch(() => unreachable)
  if (path === view.path && key === readKey()) draw(view, answer)
}

async function findAnswer(
  { place, verb, packages, isSample, path }: View,
  key: string | undefined,
): Promise<Answer> {
  if (verb.selectedIndex > 0 && packages.value.trim() === '') {
    return { kind: 'refused', message: 'Name a package.' }
  }
  if (key !== undefined) return getListPrice(path, key)
  const recorded = isSample ? await findRecorded(path) : undefined
  if (recorded) return recorded
  return { kind: 'needs key', known: await describePublicly(place.value.trim(), splitList(packages.value)) }
}

/** The answer of the sample data, if it was recorded. */
async function findRecorded(path: string): Promise<Answer | undefined> {
  const { default: recorded } = await import('../responses/sentences.json')
  const { answers, people }: RecordedSentences = recorded
  const answer = answers[path]
  return (
    answer && {
      kind: 'recorded',
      total: answer.total,
      people: answer.logins.flatMap((login) => people[login] ?? []),
    }
  )
}

function draw(view: View, answer: Answer): void {
  const { total, cost, people, json, ask, demo, path } = view
  ask.hidden = answer.kind !== 'needs key'
  people.replaceChildren()
  json.textContent = ''
  cost.replaceChildren()
  showCurl(view)
  switch (answer.kind) {
    case 'recorded':
      showTotal(view, answer.total)
      showPeople(view, answer.people)
      break
    case 'counted':
      showTotal(view, answer.total)
      json.textContent = `HEAD ${path}\n\nX-Total-Count: ${answer.total}\nX-Credits-Cost: ${answer.cost}`
      if (answer.total > 0) people.append(createElement('li', {}, createOffer(view, answer)))
      break
    case 'refused':
      total.textContent = answer.message
      break
    case 'needs key':
      total.textContent = answer.known.join(' ') || 'Enter a key to count this, free.'
      if (answer.known.length > 0)
        cost.textContent = 'These figures are public. A key counts the whole question, free.'
      void findDemoKey().then((demoKey) => {
        if (demo) demo.hidden = demoKey === undefined
      })
  }
}

function showCurl({ curl, path }: View): void {
  curl.textContent = writeKeyInto(writeCurl(`${curl.dataset.url}${path}`))
}

/** Shows the count and the price of the whole list, or a hint if nothing matches. */
function showTotal(view: View, count: number): void {
  view.total.replaceChildren(
    createElement('b', {}, count.toLocaleString('en')),
    ` ${count === 1 ? 'user' : 'users'}${view.isSample ? ' in the sample data' : ''}`,
  )
  showCost(view, count)
}

function showCost({ cost }: View, count: number): void {
  const price = createElement('span', { className: 'price-tag' }, writeCost(count))
  cost.replaceChildren(
    ...(count > 0
      ? [price, ' for all of them. Counting is free.']
      : [placeHint, ' Names of packages are compared whole.']),
  )
}

function showPeople({ people, json }: View, found: readonly Person[]): void {
  people.replaceChildren(...found.map(drawPerson))
  json.textContent = JSON.stringify({ data: found }, null, 2)
}

function drawPerson(person: Person): HTMLElement {
  const { name, initials, tint, about, since } = describePerson(person)
  const avatar = createElement('span', { className: 'avatar', ariaHidden: 'true' }, initials)
  avatar.dataset.tint = String(tint)
  const text = [createElement('strong', {}, name), ' ', createElement('small', {}, about)]
  return createElement(
    'li',
    {},
    avatar,
    createElement('span', {}, ...text),
    ' ',
    createElement('small', {}, since),
  )
}

/** Says what a response cost that has come after its reader went on to another question. */
function showFormerCost({ former }: View, { headers }: ApiResponse): void {
  const cost = Number(headers.get('X-Credits-Cost'))
  if (cost > 0) former.textContent = `An earlier question cost ${writeCredits(cost)}.`
}

/** A button that buys the first people of the list, for the price that it names. */
function createOffer(view: View, { total, cost }: { total: number; cost: number }): HTMLButtonElement {
  const request = { path: view.path, key: readKey() }
  const isAsked = () => request.path === view.path && request.key === readKey()
  const explainLoss = (message: string) => {
    if (isAsked())
      view.cost.textContent = `${message.replace(/\.?$/, '.')} Select the button again: you pay once.`
  }
  const buy = async () => {
    view.former.textContent = ''
    const idempotencyKey = chooseIdempotencyKey(request)
    const headers = { 'Max-Credits': String(cost), 'Idempotency-Key': idempotencyKey }
    const send = () => sendRequest({ method: 'GET', ...request, headers })
    const response = await sendPaid(request, idempotencyKey, send)
    const mayCome = response.status >= 500 || response.status === 429 // later, unlike what the key may not have
    if (isLost(request) && mayCome) return explainLoss(readError(response))
    if (!isAsked()) return showFormerCost(view, response)
    if (response.status !== 200) return draw(view, { kind: 'refused', message: readError(response) })
    const { data }: { data: Person[] } = JSON.parse(response.text)
    showPeople(view, data)
  }
  const shown = total === 1 ? 'this user' : `the first ${Math.min(total, shownPeople)}`
  const label =
    cost === 0 ? `Show ${shown}: an admin key pays nothing` : `Show ${shown} for ${writeCost(cost)}`
  return createButton(label, () => void buy().catch(() => explainLoss(unreachable.message)), 'primary')
}
