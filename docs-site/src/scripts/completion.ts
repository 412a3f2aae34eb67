/** Completes the entries of a field with names that exist. The list of options is the browser's own. */
import { sendRequest } from './api-request.ts'
import { createElement } from './elements.ts'
import { readKey } from './key.ts'
import { writeUrl } from './url.ts'

/** What a field's entries are, and how they are found. */
export interface Completion {
  /** Between entries. Without one, the field has one entry. */
  separator?: string
  /** The path and the parameter that find names by a part of them. */
  path: string
  parameter: string
  /** The member of an item that has its name. */
  member: string
}

/** Location texts. */
export const placeCompletion: Completion = { path: '/locations', parameter: 'contains', member: 'location' }
/** Company texts. */
export const companyCompletion: Completion = { path: '/companies', parameter: 'contains', member: 'company' }
/** Names of packages. */
export const packageCompletion: Completion = {
  path: '/dependencies',
  parameter: 'prefix',
  member: 'dependency_name',
}

/** After the last keystroke. */
const delayMs = 200
/** The service finds shorter texts in most names. */
const minLength = 2
const maxOptions = 10

/**
 * Offers names for the last entry of a field, if the reader has entered a key. The requests are free. Without a key,
 * the options that the page has for the field stay.
 */
export function completeField(
  field: HTMLInputElement,
  { separator, path, parameter, member }: Completion,
): void {
  const own = field.list
  const options = own ?? createElement('datalist', { id: `${field.name}-options` })
  if (!own) {
    field.after(options)
    field.setAttribute('list', options.id)
  }
  const known = [...options.children]
  let timer: ReturnType<typeof setTimeout> | undefined

  async function offer(): Promise<void> {
    const typed = field.value
    const start = separator === undefined ? 0 : typed.lastIndexOf(separator) + 1
    const entry = typed.slice(start).trim()
    const key = readKey()
    if (!key || entry.length < minLength) return options.replaceChildren(...known)
    const query: [string, string][] = [
      [parameter, entry],
      ['limit', String(maxOptions)],
    ]
    const response = await sendRequest({ method: 'GET', path: writeUrl(path, query), key }).catch(
      () => undefined,
    )
    if (response?.status !== 200 || typed !== field.value) return
    const { data }: { data: Record<string, unknown>[] } = JSON.parse(response.text)
    const before = start === 0 ? '' : `${typed.slice(0, start)} `
    const names = new Set(data.map((item) => String(item[member])))
    options.replaceChildren(...[...names].map((name) => new Option('', before + name)))
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void offer(), delayMs)
  })
}
