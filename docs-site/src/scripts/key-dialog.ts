/**
 * The header's button and dialog for the reader's key, and the balance beside them.
 *
 * @module
 */
import { apiUrl, onBalance, sendRequest } from './api-request.ts'
import { isKeyShown, onKeyChange, readKey, showKey, writeKey } from './key.ts'
import { readKeyState, writeBalance, writeCredits } from './key-state.ts'

function find<T extends Element>(selector: string, type: { new (): T }): T {
  const element = document.querySelector(selector)
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}`)
  return element
}

const open = find('#key-open', HTMLButtonElement)
const balance = find('#key-balance', HTMLElement)
const dialog = find('#key-dialog', HTMLDialogElement)
const input = find('#key-input', HTMLInputElement)
const state = find('#key-state', HTMLElement)
const demo = find('#key-demo', HTMLButtonElement)
const use = find('#key-use', HTMLButtonElement)
const forget = find('#key-forget', HTMLButtonElement)
const shown = find('#key-shown', HTMLInputElement)
const explanation = state.textContent

let role: string | undefined
let checkedKey: string | undefined
let demoKey: string | undefined

function say(text: string, kind: 'good' | 'bad' | '' = ''): void {
  state.textContent = text
  state.dataset.state = kind
}

/** Requests the balance, which is free, to see whether the key works. */
async function checkKey(key: string): Promise<void> {
  try {
    const result = readKeyState(await sendRequest('GET', '/api-key/credits'))
    if (key !== readKey()) return // The reader has entered another key.
    role = result.role
    say(result.text, result.isValid ? 'good' : 'bad')
    if (!result.isValid) balance.textContent = 'Key not accepted'
    else if (role === 'admin') balance.textContent = 'Admin key'
  } catch {
    if (key === readKey()) say('The API is unreachable', 'bad')
  }
}

/** A key that is in use has nothing left to do but to close the dialog. */
function nameUse(): void {
  use.textContent = input.value && input.value.trim() === readKey() ? 'Done' : 'Use this key'
}

function update(): void {
  const key = readKey()
  open.dataset.key = key ? 'entered' : 'none'
  open.setAttribute('aria-label', key ? 'Change your key' : 'Enter key')
  forget.hidden = !key
  shown.disabled = !key
  shown.checked = isKeyShown()
  demo.hidden = !demoKey || key === demoKey
  if (key === checkedKey) return
  checkedKey = key
  role = undefined
  input.value = key ?? ''
  nameUse()
  balance.textContent = key ? '…' : ''
  say(key ? 'Checking the key …' : explanation)
  if (key) void checkKey(key)
}

onBalance((credits) => {
  if (role === 'admin') return
  balance.textContent = writeCredits(credits)
  say(writeBalance(credits, role), 'good')
})

/** A trial's viewer has the demo key on this machine, and only there. */
async function findDemoKey(): Promise<void> {
  if (demoKey || !/^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)) return
  const page = await fetch(`${apiUrl}/api-docs`, { cache: 'no-store' }).then((response) => response.text())
  demoKey = /data-demo-key="([^"]+)"/.exec(page)?.[1]
  update()
}

/** Opens the dialog. */
export function openKeyDialog(): void {
  if (!dialog.open) dialog.showModal()
  input.select()
  findDemoKey().catch(() => {}) // Without a demo key, there is still the input.
}

open.addEventListener('click', openKeyDialog)
find('#key-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault()
  const key = input.value.trim() || undefined
  if (key && key === readKey()) dialog.close()
  else writeKey(key)
})
demo.addEventListener('click', () => {
  writeKey(demoKey)
  use.focus()
})
forget.addEventListener('click', () => {
  writeKey(undefined)
  input.focus()
})
input.addEventListener('input', nameUse)
shown.addEventListener('change', () => showKey(shown.checked))
find('#key-close', HTMLButtonElement).addEventListener('click', () => dialog.close())
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close() // A click beside the dialog.
})
onKeyChange(update)
update()
