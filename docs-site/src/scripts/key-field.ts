/** The field for the reader's key in a page. In a trial it has the demo key. */
import { onBalance } from './api-request.ts'
import { writeBalance } from './credits.ts'
import { findDemoKey } from './demo-key.ts'
import { onKeyChange, readKey, writeKey } from './key.ts'
import { checkKey } from './key-check.ts'
import { findKey, writeKeyEnd } from './key-text.ts'

/** Starts the field of this page. */
export function startKeyField(form: HTMLFormElement): void {
  const input = form.querySelector('input')
  const state = form.querySelector<HTMLElement>('[role="status"]')
  if (!input || !state) throw new Error('The field for a key is incomplete')
  const explanation = state.textContent
  let role: string | undefined

  const say = (text: string, kind: 'good' | 'bad' | '' = '') => {
    state.textContent = text
    state.dataset.state = kind
  }

  async function update(): Promise<void> {
    const key = readKey()
    if (!key) {
      say(explanation)
      const demoKey = await findDemoKey()
      if (readKey()) return // The reader has entered one in the meantime.
      // The reader's own text stays.
      if (input && /^(…|$)/.test(input.value)) input.value = demoKey ?? ''
      if (demoKey) {
        say('This is the demo key of this trial service.')
        form.querySelector('.source')?.remove()
      }
      return
    }
    if (input) input.value = writeKeyEnd(key)
    const { text, isValid, role: found } = await checkKey(key)
    if (key !== readKey()) return // The reader has entered another key.
    role = found
    say(isValid ? `${text}. Select Run below.` : text, isValid ? 'good' : 'bad')
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const key = readKey()
    if (key && input.value === writeKeyEnd(key)) return
    const entered = findKey(input.value)
    if (input.value === '') return
    if ('error' in entered) say(entered.error, 'bad')
    else writeKey(entered.key)
  })
  onKeyChange(() => void update())
  onBalance((credits) => say(`${writeBalance(credits, role)}.`, 'good'))
  void update()
}
