/**
 * The form for the reader's key in the viewer's bar. The key itself is the docs' own (`src/scripts/key.ts`).
 *
 * @module
 */
import { onKeyChange, readKey, writeKey } from './src/scripts/key.ts'
import { find } from './viewer-elements.ts'

/** Starts the form. Returns a function that shows a balance that a response has told. */
export function startKeyForm(): (credits: string) => void {
  const input = find('#key', HTMLInputElement)
  const state = find('#key-state', HTMLOutputElement)
  const demo = document.querySelector<HTMLButtonElement>('#demo')
  const forget = find('#forget', HTMLButtonElement)
  const explanation = state.textContent
  let role = 'user'

  function say(text: string, kind: 'good' | 'bad' | '' = '') {
    state.textContent = text
    state.dataset.state = kind
  }
  const sayCredits = (credits: string) =>
    say(
      role === 'admin' ? 'An admin key: not charged' : `${Number(credits).toLocaleString('en')} credits left`,
      'good',
    )

  /** Requests the balance, which is free, to see whether the key works. */
  async function checkKey(): Promise<void> {
    const key = readKey()
    if (!key) return say(explanation)
    try {
      const response = await fetch('api-key/credits', { headers: { Authorization: `Bearer ${key}` } })
      const body: { error?: string; remaining_credits?: number; role?: string } = await response.json()
      if (key !== readKey()) return // the reader has entered another key
      role = body.role ?? 'user'
      if (response.ok) sayCredits(String(body.remaining_credits))
      else say(body.error ?? `The response has status ${response.status}`, 'bad')
    } catch {
      say('The API is unreachable', 'bad')
    }
  }

  function showKey(): void {
    const key = readKey()
    input.value = key ?? ''
    forget.hidden = !key
    if (demo) demo.hidden = key === demo.dataset.demoKey
    void checkKey()
  }

  find('#key-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    writeKey(input.value.trim())
  })
  demo?.addEventListener('click', () => writeKey(demo.dataset.demoKey))
  forget.addEventListener('click', () => {
    writeKey(undefined)
    input.focus()
  })
  onKeyChange(showKey)
  showKey()
  return sayCredits
}
