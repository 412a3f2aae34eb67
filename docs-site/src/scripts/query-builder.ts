/**
 * The query builder of the page Pricing: writes the URL into the samples, and asks for the price with `HEAD`, which is
 * free.
 *
 * Each example is a whole sample with its recorded response. For any other question, the example's code gets the new
 * URL, and the response to `HEAD` takes the place of the recorded one.
 */
import { docsPath } from '../docs-path.ts'
import {
  type Completion,
  companyCompletion,
  completeField,
  packageCompletion,
  placeCompletion,
} from './completion.ts'
import { writePrice } from './credits.ts'
import { createDivision } from './division.ts'
import { createElement, find } from './elements.ts'
import { onKeyChange, readKey } from './key.ts'
import { openKeyDialog } from './key-dialog.ts'
import { getListPrice } from './price.ts'
import { describePrice, listUnused, readFields, writePath } from './query.ts'
import { followKey, updateSample } from './sample-code.ts'
import { splitList, writeUrl } from './url.ts'

/** The fields whose entries are completed. */
const completions: Record<string, Completion> = {
  places: { ...placeCompletion, separator: ';' },
  companies: { ...companyCompletion, separator: ';' },
  packages: { ...packageCompletion, separator: ',' },
}

type Field = HTMLInputElement | HTMLSelectElement

/** The builder of the page, and the question that it shows. */
type Builder = ReturnType<typeof findBuilder>

/** Starts the builder of this page. */
export function startQueryBuilder(): void {
  const builder = findBuilder()
  const { form, fields, examples } = builder
  for (const { sample, button } of examples) {
    button?.addEventListener('click', () => {
      const question: Record<string, string> = readFields(sample.dataset.path ?? '')
      for (const field of fields) field.value = question[field.name] ?? ''
      showQuestion(builder)
    })
  }
  for (const field of fields) {
    const completion = completions[field.name]
    if (completion && field instanceof HTMLInputElement) completeField(field, completion)
  }
  form.addEventListener('input', () => showQuestion(builder))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void askPrice(builder)
  })
  showQuestion(builder) // With prices in money, on a service that has them.
  followKey(() => updateSample(builder.shown, builder.shown.dataset.path, builder.path))
  onKeyChange(() => {
    if (builder.shown.dataset.path === builder.path) return
    showQuestion(builder)
    if (readKey()) void askPrice(builder)
  })
}

function findBuilder() {
  const builder = find('.builder', HTMLElement)
  const form = find('.builder form', HTMLFormElement)
  const buttons = [...builder.querySelectorAll('.examples button')]
  const samples = [...builder.querySelectorAll<HTMLElement>('.example')]
  const shown = find('.builder .example', HTMLElement)
  return {
    form,
    fields: [...form.querySelectorAll<Field>('[name]')],
    history: find('.builder .submit a', HTMLAnchorElement),
    output: find('.builder output', HTMLOutputElement),
    note: find('.builder small', HTMLElement),
    /** How the items divide. */
    division: find('.builder .division', HTMLElement),
    /** The request for the price, and its response. */
    live: find('.builder .head', HTMLElement),
    examples: samples.map((sample, index) => ({ sample, button: buttons[index] })),
    /** The example whose code is shown, with the path of the question. */
    shown,
    path: shown.dataset.path ?? '',
  }
}

function say({ output, note }: Builder, text: string, isRecorded = false): void {
  // Screen readers say it again whenever it is written.
  if (output.textContent !== text) output.textContent = text
  note.hidden = !isRecorded
}

/** Shows the request for the price, and the lines of its response. */
function showHead({ live, path }: Builder, ...response: string[]): void {
  const lines = [`HEAD ${path}`, '', ...response].map((line) => {
    const isPrice = line.startsWith('X-Credits-Cost')
    return createElement(isPrice ? 'mark' : 'span', { textContent: `${line}\n` })
  })
  live.querySelector('pre')?.replaceChildren(...lines)
}

/** Links to the history of the package, if the question has exactly one. */
function linkHistory({ history }: Builder, [name = '', ...others]: readonly string[]): void {
  history.hidden = name === '' || others.length > 0
  history.href = writeUrl(`${docsPath}/history/`, [['name', name]])
  history.textContent = `History of ${name}`
}

/** Shows the question of the form, with its recorded response if there is one. */
function showQuestion(builder: Builder): void {
  const { fields, examples, live, division } = builder
  division.replaceChildren()
  const typed = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  const question = { ...typed, list: typed.list ?? '' }
  const unused = listUnused(question)
  for (const field of fields) field.disabled = unused.includes(field.name)
  linkHistory(builder, splitList(typed.packages ?? ''))
  const path = writePath(question)
  const example = examples.find(({ sample }) => sample.dataset.path === path)?.sample
  const shown = example ?? builder.shown
  Object.assign(builder, { path, shown })
  for (const { sample, button } of examples) {
    sample.hidden = sample !== shown
    button?.setAttribute('aria-pressed', String(sample === example))
  }
  live.hidden = example !== undefined
  updateSample(shown, shown.dataset.path, path)
  shown.toggleAttribute('data-asks', example === undefined)
  shown.append(live)
  showHead(builder)
  if (example) {
    const { total, cost } = example.dataset
    say(builder, describePrice(path, { total: Number(total), cost: Number(cost) }, writePrice), true)
  } else say(builder, readKey() ? 'Get the price. It’s free.' : 'Enter a key to get the price.')
}

/** Asks the service for the price. Without a key, recorded questions have one already. */
async function askPrice(builder: Builder): Promise<void> {
  const { path, shown, live } = builder
  const key = readKey()
  if (!key) {
    if (shown.dataset.path !== path) openKeyDialog()
    return
  }
  say(builder, 'Getting the price …')
  const price = await getListPrice(path, key).catch(() => undefined)
  if (path !== builder.path || key !== readKey()) return // The reader has changed the question or the key.
  if (price?.kind !== 'counted') return say(builder, price?.message ?? 'The API is unreachable.')
  const { total, cost } = price
  say(builder, describePrice(path, price, writePrice))
  // In place of the recorded response, which has another price and balance.
  live.hidden = false
  shown.setAttribute('data-asks', '')
  showHead(builder, 'HTTP/1.1 200 OK', `X-Total-Count: ${total}`, `X-Credits-Cost: ${cost}`)
  const table = total === 0 ? undefined : await createDivision(path, key).catch(() => undefined)
  if (path === builder.path && key === readKey()) builder.division.replaceChildren(...(table ? [table] : []))
}
