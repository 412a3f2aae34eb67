/** The request of a form below a sample. */
import { escapePart, writeUrl } from './url.ts'

/**
 * What the reader asks for at one time. Each change of a field or of the key makes another object, so a response is
 * known to be late if its request isn't the form's any more.
 */
export interface RunRequest {
  readonly path: string
  /** The headers that the sample is about. */
  readonly sends: Readonly<Record<string, string>>
  readonly key: string | undefined
}

type Field = HTMLInputElement | HTMLSelectElement

const listFields = (form: HTMLFormElement) => [...form.querySelectorAll<Field>('[data-parameter]')]

/** The path of the request in the fields. */
export function readPath(form: HTMLFormElement): string {
  const values = listFields(form).map(({ value, dataset }) => ({
    name: dataset.parameter ?? '',
    value: value.trim(),
    place: dataset.place,
  }))
  const base = values
    .filter(({ place }) => place === 'path')
    .reduce(
      (text, { name, value }) => text.replace(`{${name}}`, () => escapePart(value)),
      form.dataset.template ?? '',
    )
  const query = values.filter(({ place, value }) => place === 'query' && value !== '')
  return writeUrl(
    base,
    query.map(({ name, value }) => [name, value]),
  )
}

/** Fills the fields with the query of a path. */
export function fillFields(form: HTMLFormElement, path: string): void {
  const query = new URLSearchParams(path.split('?')[1])
  for (const field of listFields(form))
    if (field.dataset.place === 'query') field.value = query.get(field.dataset.parameter ?? '') ?? ''
}
