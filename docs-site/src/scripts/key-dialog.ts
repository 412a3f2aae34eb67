/** The header's button and dialog for the reader's key, and the balance beside them. */
import { onBalance } from './api-request.ts'
import { writeBalance, writeCredits } from './credits.ts'
import { findDemoKey } from './demo-key.ts'
import { closeOnClickBeside, find } from './elements.ts'
import { isKeyShown, onKeyChange, onShownChange, readKey, showKey, writeKey } from './key.ts'
import { checkKey } from './key-check.ts'
import { findKey } from './key-text.ts'

const open = find('#key-open', HTMLButtonElement)
const balance = find('#key-balance', HTMLElement)
const dialog = find('#key-dialog', HTMLDialogElement)
const input = find('#key-input', HTMLInputElement)
const state = find('#key-state', HTMLElement)
const demo = find('#key-demo', HTMLButtonElement)
const use = find('#key-use', HTMLButtonElement)
const forget = find('#key-forget', HTMLButtonElement)
const shown = find('#key-shown', HTMLInputElement)
const spent = find('.key-more', HTMLElement)
const explanation = state.textContent

let role: string | undefined
/** The key that the reader has entered in the open dialog, until its check has ended. */
let entered: string | undefined
let demoKey: string | undefined

function say(text: string, kind: 'good' | 'bad' | '' = ''): void {
  state.textContent = text
  state.dataset.state = kind
}

/** Requests the balance, which is free, to see whether the key works. */
async function showState(key: string): Promise<void> {
  role = undefined
  balance.textContent = '…'
  say('Checking the key …')
  const result = await checkKey(key)
  if (key !== readKey()) return // The reader has entered another key.
  role = result.role
  say(result.text, result.isValid ? 'good' : 'bad')
  if (role === 'admin') balance.textContent = 'Admin key'
  else if (!result.isValid) balance.textContent = result.isValid === false ? 'Key not accepted' : ''
  // The header has the balance, and the page can use the key.
  if (result.isValid && key === entered) dialog.close()
}

function update(): void {
  const key = readKey()
  open.dataset.key = key ? 'entered' : 'none'
  open.setAttribute('aria-label', key ? 'Change your key' : 'Enter key')
  forget.hidden = !key
  spent.hidden = !key
  shown.disabled = !key
  shown.checked = isKeyShown()
  demo.hidden = !demoKey || key === demoKey
  const isTyped = input.value !== '' && input.value !== key
  demo.classList.toggle('primary', !key && !isTyped)
  use.classList.toggle('primary', demo.hidden || Boolean(key) || isTyped)
}

/** Shows the key that the reader has entered, and checks it. */
function changeKey(): void {
  const key = readKey()
  update()
  input.value = key ?? ''
  if (key) return void showState(key)
  role = undefined
  balance.textContent = ''
  say(explanation)
}

onBalance((credits) => {
  if (role === 'admin') return
  balance.textContent = writeCredits(credits)
  say(writeBalance(credits, role), 'good')
})

/** Opens the dialog. */
export function openKeyDialog(): void {
  if (!dialog.open) dialog.showModal()
  input.select()
  void findDemoKey().then((key) => {
    demoKey = key
    update()
  })
}

open.addEventListener('click', openKeyDialog)
find('#key-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault()
  if (input.value.trim() === '') return writeKey(undefined)
  const found = findKey(input.value)
  if ('error' in found) return say(found.error, 'bad')
  input.value = found.key
  entered = found.key
  if (found.key === readKey()) void showState(found.key)
  else writeKey(found.key)
})
input.addEventListener('input', () => {
  entered = undefined // the reader is entering another key
  update()
})
demo.addEventListener('click', () => {
  entered = demoKey
  writeKey(demoKey)
})
dialog.addEventListener('close', () => {
  entered = undefined
})
forget.addEventListener('click', () => {
  writeKey(undefined)
  input.focus()
})
shown.addEventListener('change', () => showKey(shown.checked))
find('#key-close', HTMLButtonElement).addEventListener('click', () => dialog.close())
closeOnClickBeside(dialog)
onKeyChange(changeKey)
onShownChange(update)
changeKey()
