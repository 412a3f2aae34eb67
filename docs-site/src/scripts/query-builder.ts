/**
 * The query builder of the page Pricing: writes the URL into the samples, and asks for the price with `HEAD`, which is free.
 *
 * Each example is a whole sample with its recorded response. For any other question, the example's code gets the new URL,
 * and the response to `HEAD` takes the place of the recorded one.
 *
 * @module
 */
import { readError } from './api-request.ts'
import { type Completion, completeField, packageCompletion, placeCompletion } from './completion.ts'
import { createElement } from './elements.ts'
import { onKeyChange, readKey } from './key.ts'
import { openKeyDialog } from './key-dialog.ts'
import { writeCredits } from './key-state.ts'
import { writePrice } from './money.ts'
import { getPrice, lacksCredits } from './price.ts'
import { describePrice, readFields, writePath } from './query.ts'
import { followKey, updateSample } from './sample-code.ts'

/** The fields whose entries are completed. */
const completions: Record<string, Completion> = {
  places: { ...placeCompletion, separator: ';' },
  packages: { ...packageCompletion, separator: ',' },
}

/** Starts the builder of this page. */
export function startQueryBuilder(): void {
  const builder = document.querySelector('.builder')
  const form = builder?.querySelector('form')
  const output = builder?.querySelector('output')
  const note = builder?.querySelector('small')
  const live = builder?.querySelector<HTMLElement>('.head')
  const [first, ...others] = builder?.querySelectorAll<HTMLElement>('.example') ?? []
  if (!builder || !form || !output || !note || !live || !first) return

  const examples = [first, ...others]
  const buttons = [...builder.querySelectorAll('.examples button')]
  const findField = (name: string) =>
    form.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${name}"]`)
  let shown = first
  let path = first.dataset.path ?? ''

  const say = (text: string, isRecorded = false) => {
    // Screen readers say it again whenever it is written.
    if (output.textContent !== text) output.textContent = text
    note.hidden = !isRecorded
  }

  /** Shows the request for the price, and the lines of its response. */
  const showHead = (...response: string[]) => {
    const shownLines = [`HEAD ${path}`, '', ...response].map((line) => {
      const isPrice = line.startsWith('X-Credits-Cost')
      return createElement(isPrice ? 'mark' : 'span', { textContent: `${line}\n` })
    })
    live.querySelector('pre')?.replaceChildren(...shownLines)
  }

  /** Shows the question of the form, with its recorded response if there is one. */
  const showQuestion = () => {
    const read = (name: string) => findField(name)?.value ?? ''
    const setDisabled = (name: string, isDisabled: boolean) => {
      findField(name)?.toggleAttribute('disabled', isDisabled)
    }
    setDisabled('places', read('list') === 'repos')
    setDisabled('countries', read('list') === 'repos')
    setDisabled('status', !read('packages').trim() && !read('files').trim())
    path = writePath({
      list: read('list') === 'repos' ? 'repos' : 'users',
      places: read('places'),
      countries: read('countries'),
      packages: read('packages'),
      files: read('files'),
      status: read('status'),
      perPage: read('perPage'),
    })
    const example = examples.find((each) => each.dataset.path === path)
    if (example) shown = example
    examples.forEach((each, index) => {
      each.hidden = each !== shown
      buttons[index]?.setAttribute('aria-pressed', String(each === example))
    })
    live.hidden = example !== undefined
    updateSample(shown, shown.dataset.path, path)
    shown.toggleAttribute('data-asks', example === undefined)
    shown.append(live)
    showHead()
    if (example) {
      const { total, cost } = example.dataset
      say(describePrice(path, { total: Number(total), cost: Number(cost) }, writePrice), true)
    } else say(readKey() ? 'Get the price. It’s free.' : 'Enter a key to get the price.')
  }

  /** Asks the service for the price. Without a key, recorded questions have one already. */
  const ask = async () => {
    const asked = path
    const key = readKey()
    if (!key) {
      if (shown.dataset.path !== path) openKeyDialog()
      return
    }
    say('Getting the price …')
    const response = await getPrice(asked, key).catch(() => undefined)
    if (asked !== path || key !== readKey()) return // The reader has changed the question or the key.
    if (!response) return say('The API is unreachable.')
    const { status, headers } = response
    const cost = headers.get('X-Credits-Cost')
    if (lacksCredits(response)) return say(`This page: ${writeCredits(Number(cost))}. Your key has none.`)
    if (status !== 200) return say(readError(response))
    const total = headers.get('X-Total-Count')
    say(describePrice(path, { total: Number(total), cost: Number(cost) }, writePrice))
    // In place of the recorded response, which has another price and balance.
    live.hidden = false
    shown.setAttribute('data-asks', '')
    showHead('HTTP/1.1 200 OK', `X-Total-Count: ${total}`, `X-Credits-Cost: ${cost}`)
  }

  examples.forEach((example, index) => {
    buttons[index]?.addEventListener('click', () => {
      for (const [name, value] of Object.entries(readFields(example.dataset.path ?? ''))) {
        const field = findField(name)
        if (field) field.value = value
      }
      showQuestion()
    })
  })
  for (const [name, completion] of Object.entries(completions)) {
    const field = findField(name)
    if (field instanceof HTMLInputElement) completeField(field, completion)
  }
  form.addEventListener('input', showQuestion)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void ask()
  })
  showQuestion() // With prices in money, on a service that has them.
  followKey(() => updateSample(shown, shown.dataset.path, path))
  onKeyChange(() => {
    if (shown.dataset.path === path) return
    showQuestion()
    if (readKey()) void ask()
  })
}
