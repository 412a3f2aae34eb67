/**
 * The query builder of the home page: writes the URL into the samples, and asks for the price with `HEAD`, which is free.
 *
 * Each example is a whole sample with its recorded response. For any other question, the example's code gets the new URL,
 * and the response to `HEAD` takes the place of the recorded one.
 *
 * @module
 */
import { sendRequest } from './api-request.ts'
import { onKeyChange, readKey } from './key.ts'
import { describePrice, readFields, writePath } from './query.ts'

/** Finds the URL in an example's code and in what its copy buttons copy. The returned functions replace it. */
function findUrls(example: HTMLElement): ((path: string) => void)[] {
  const first = example.dataset.path ?? ''
  const writers: ((path: string) => void)[] = []
  const add = (text: string, write: (text: string) => void) => {
    const [before, after] = text.split(first)
    if (after !== undefined) writers.push((path) => write(before + path + after))
  }
  for (const panel of example.querySelectorAll('[role="tabpanel"]')) {
    const nodes = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT)
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      const text = node
      add(text.nodeValue ?? '', (value) => {
        text.nodeValue = value
      })
    }
    for (const button of panel.querySelectorAll<HTMLElement>('[data-code]')) {
      add(button.dataset.code ?? '', (value) => {
        button.dataset.code = value
      })
    }
  }
  return writers
}

/** Starts the builder of this page. */
export function startQueryBuilder(): void {
  const builder = document.querySelector('.builder')
  const form = builder?.querySelector('form')
  const output = builder?.querySelector('output')
  const note = builder?.querySelector('small')
  const places = form?.querySelector<HTMLInputElement>('[name="places"]')
  const live = builder?.querySelector<HTMLElement>('.live')
  const [first, ...others] = builder?.querySelectorAll<HTMLElement>('.example') ?? []
  if (!builder || !form || !output || !note || !places || !live || !first) return

  const examples = [first, ...others]
  const buttons = [...builder.querySelectorAll('.examples button')]
  const writers = examples.flatMap(findUrls)
  let shown = first
  let path = first.dataset.path ?? ''

  const say = (text: string, isRecorded = false) => {
    output.replaceChildren(text)
    note.hidden = !isRecorded
  }

  /** Shows the lines of a response to `HEAD`, or none. */
  const showHead = (lines: readonly string[]) => {
    const shownLines = lines.map((line) => {
      const element = document.createElement(line.startsWith('X-Credits-Cost') ? 'mark' : 'span')
      element.textContent = `${line}\n`
      return element
    })
    live.querySelector('pre')?.replaceChildren(...shownLines)
  }

  /** Shows the question of the form, with its recorded response if there is one. */
  const showQuestion = () => {
    const data = new FormData(form)
    const read = (name: string) => String(data.get(name) ?? '')
    path = writePath({
      list: read('list') === 'repos' ? 'repos' : 'users',
      places: read('places'),
      packages: read('packages'),
      files: read('files'),
      status: read('status'),
      perPage: read('perPage'),
    })
    for (const write of writers) write(path)
    const example = examples.find((each) => each.dataset.path === path)
    if (example) shown = example
    examples.forEach((each, index) => {
      each.hidden = each !== shown
      buttons[index]?.setAttribute('aria-pressed', String(each === example))
    })
    live.hidden = example !== undefined
    shown.toggleAttribute('data-asks', example === undefined)
    shown.append(live)
    showHead([])
    if (example) say(example.dataset.price ?? '', true)
    else say(readKey() ? 'The price is free: send HEAD.' : 'Enter a key to ask.')
  }

  /** Asks the service for the price. Without a key, recorded questions have one already. */
  const ask = async () => {
    const asked = path
    if (!readKey()) {
      if (shown.dataset.path !== path) say('Enter a key to ask.')
      return
    }
    say('Asking …')
    const response = await sendRequest('HEAD', asked).catch(() => undefined)
    if (asked !== path) return // The reader has changed the question.
    if (!response) return say('The API is unreachable.')
    const { status, headers } = response
    if (status !== 200) return say(`The service refused: ${headers.get('X-Error-Code') ?? status}.`)
    const total = headers.get('X-Total-Count')
    const cost = headers.get('X-Credits-Cost')
    say(describePrice(path, { total: Number(total), cost: Number(cost) }))
    showHead(['HTTP/1.1 200 OK', `X-Total-Count: ${total}`, `X-Credits-Cost: ${cost}`])
  }

  examples.forEach((example, index) => {
    buttons[index]?.addEventListener('click', () => {
      for (const [name, value] of Object.entries(readFields(example.dataset.path ?? ''))) {
        const field = form.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${name}"]`)
        if (field) field.value = value
      }
      showQuestion()
    })
  })
  form.addEventListener('input', () => {
    places.disabled = form.querySelector<HTMLSelectElement>('[name="list"]')?.value === 'repos'
    showQuestion()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void ask()
  })
  onKeyChange(() => {
    if (shown.dataset.path !== path) showQuestion()
    if (readKey()) void ask()
  })
}
