/** The form for the reader's key in the viewer's bar. The key itself is the docs' own (`src/scripts/key.ts`). */

import { find } from './src/scripts/elements.ts'
import { onKeyChange, readKey, writeKey } from './src/scripts/key.ts'
import { readKeyState, writeBalance } from './src/scripts/key-state.ts'
import { findKey, writeKeyEnd } from './src/scripts/key-text.ts'

/**
 * Starts the form. The field shows the last four characters of the key alone: the bar is in view all the time. Returns
 * a function that shows a balance that a response has told.
 */
export function startKeyForm(): (credits: string) => void {
  const input = find('#key', HTMLInputElement)
  const state = find('#key-state', HTMLOutputElement)
  const demo = document.querySelector<HTMLButtonElement>('#demo')
  const forget = find('#forget', HTMLButtonElement)
  const source = document.querySelector<HTMLElement>('#key-source')
  const explanation = state.textContent
  let role: string | undefined

  function say(text: string, kind: 'good' | 'bad' | '' = '') {
    state.textContent = text
    state.dataset.state = kind
  }

  /** Requests the balance, which is free, to see whether the key works. */
  async function checkKey(): Promise<void> {
    const key = readKey()
    role = undefined
    if (!key) return say(explanation)
    try {
      const response = await fetch('api-key/credits', { headers: { Authorization: `Bearer ${key}` } })
      const checked = readKeyState({ status: response.status, text: await response.text() })
      if (key !== readKey()) return // The reader has entered another key.
      role = checked.role
      say(checked.text, checked.isValid ? 'good' : 'bad')
    } catch {
      if (key === readKey()) say('The API is unreachable', 'bad')
    }
  }

  function showKey(): void {
    const key = readKey()
    input.value = key ? writeKeyEnd(key) : ''
    forget.hidden = !key
    if (source) source.hidden = key !== undefined
    if (demo) demo.hidden = key === demo.dataset.demoKey
    void checkKey()
  }

  find('#key-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    const text = input.value.trim()
    const current = readKey()
    if (text === '') return writeKey(undefined)
    if (current && text === writeKeyEnd(current)) return void checkKey()
    const entered = findKey(text)
    if ('error' in entered) return say(entered.error, 'bad')
    if (entered.key === current) showKey()
    else writeKey(entered.key)
  })
  // What is typed or pasted replaces the key, of which the field has only the end.
  input.addEventListener('focus', () => input.select())
  demo?.addEventListener('click', () => writeKey(demo.dataset.demoKey))
  forget.addEventListener('click', () => {
    writeKey(undefined)
    input.focus()
  })
  onKeyChange(showKey)
  showKey()
  return (credits) => say(writeBalance(Number(credits), role), 'good')
}
