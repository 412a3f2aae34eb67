/** What a reader can do about an error, where that is sure. */
import { writeUrl } from './url.ts'

/** A correction of a request, for a button. */
export interface Correction {
  label: string
  /** The corrected path; undefined: the reader needs another key. */
  path?: string
}

/** Changes the query of a path. */
function changeQuery(path: string, change: (query: URLSearchParams) => void): string {
  const [base = '', query = ''] = path.split('?')
  const parameters = new URLSearchParams(query)
  change(parameters)
  return writeUrl(base, parameters)
}

/** Sets one parameter of a path. */
export const setParameter = (path: string, name: string, value: string | number): string =>
  changeQuery(path, (query) => query.set(name, String(value)))

/** The correction of an error; undefined if none is sure. */
export function suggestCorrection(path: string, code: string, message: string): Correction | undefined {
  if (/^(missing|invalid)_(api_key|authorization)/.test(code)) return { label: 'Enter a key' }
  const unknown = /^Unknown parameter: ([^;]+)(?:; did you mean (\w+)\?)?/.exec(message)
  if (unknown) {
    const [, name = '', nearest] = unknown
    const corrected = changeQuery(path, (query) => {
      const values = query.getAll(name)
      query.delete(name)
      if (nearest) for (const value of values) query.append(nearest, value)
    })
    return { label: nearest ? `Use ${nearest}` : `Leave out ${name}`, path: corrected }
  }
  const range = /^Invalid (\w+): must be an integer from (\d+) to (\d+)/.exec(message)
  if (range) {
    const [, name = '', min = '', max = ''] = range
    const value = Number(new URLSearchParams(path.split('?')[1]).get(name) || 'none')
    if (!(value < Number(min) || value > Number(max))) return undefined
    const nearest = value < Number(min) ? min : max
    return { label: `Use ${name}=${nearest}`, path: setParameter(path, name, nearest) }
  }
  return undefined
}
