/** Changes the code of samples on the page: to the URL that the reader asks for, and to the reader's key. */
import { isKeyShown, onKeyChange, onShownChange, readKey } from './key.ts'

/** How samples read the key from the environment, in each language. */
const keyPlaces: readonly (readonly [place: string, write: (key: string) => string])[] = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: samples contain it
  ['${process.env.DEVDATA_API_KEY}', String],
  ["{os.environ['DEVDATA_API_KEY']}", String],
  ['os.Getenv("DEVDATA_API_KEY")', JSON.stringify],
  ['$DEVDATA_API_KEY', String],
]

/** The code as the reader wants to see it: with the key, or with the variable that has it. */
export function writeKeyInto(code: string): string {
  const key = isKeyShown() ? readKey() : undefined
  return key ? keyPlaces.reduce((text, [place, write]) => text.replaceAll(place, write(key)), code) : code
}

const originals = new WeakMap<Element, Node>()

/** Replaces a part of a line, whose tokens keep their colors. */
function replacePart(line: Element, from: string, to: string): void {
  if (from === to) return // The new text would have one color.
  const start = line.textContent.indexOf(from)
  if (start < 0) return
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  let position = 0
  let rest = to
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent ?? ''
    const begin = Math.max(0, start - position)
    const end = Math.min(text.length, start + from.length - position)
    position += text.length
    if (begin >= end) continue
    node.textContent = text.slice(0, begin) + rest + text.slice(end)
    rest = ''
  }
}

/** Shows a sample with another path than it was written with, and with the reader's key. */
export function updateSample(sample: Element, from = '', to = ''): void {
  for (const line of sample.querySelectorAll('starlight-tabs .ec-line')) {
    const original = originals.get(line) ?? line.cloneNode(true)
    originals.set(line, original)
    line.replaceChildren(...original.cloneNode(true).childNodes)
    replacePart(line, from, to)
    for (const [place] of keyPlaces) replacePart(line, place, writeKeyInto(place))
  }
  // What the button of a frame copies.
  for (const button of sample.querySelectorAll<HTMLElement>('starlight-tabs button[data-code]')) {
    button.dataset.original ??= button.dataset.code ?? ''
    button.dataset.code = writeKeyInto(button.dataset.original.replace(from, () => to))
  }
}

/** Calls `update` now if samples show the key, and after each change of what they show. */
export function followKey(update: () => void): void {
  onKeyChange(update)
  onShownChange(update)
  if (isKeyShown()) update()
}
