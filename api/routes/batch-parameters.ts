/** The query parameters of batch look-ups (`decisions/0003-lists.md`). */
import type { BatchLookUp } from '../catalog/batch-lookup.ts'
import { lookUps } from '../catalog/filters.ts'
import { badRequest } from '../errors.ts'
import { foldText } from '../names/case-folding.ts'
import { readNames } from './parameters.ts'

/** Other parameters that a batch look-up may have. */
const otherParameters = ['page', 'per_page', 'after', 'exclude']

/** Reads a batch look-up. An empty parameter is one that finds nothing. Undefined: the request has none. */
export function readBatchLookUp(query: URLSearchParams): BatchLookUp | undefined {
  for (const [name, { by, form, maxEntries }] of Object.entries(lookUps)) {
    if (!query.has(name)) continue
    const isAlone = [...query].every(
      ([other, value]) =>
        other === name ||
        otherParameters.includes(other) ||
        (value.trim() === '' && !Object.hasOwn(lookUps, other)),
    )
    if (!isAlone) throw badRequest(`Invalid ${name}: must be the only filter`)
    const entries = readNames(query, name, form, { maxEntries, mayBeEmpty: true })
    return { by, entries: [...new Set(entries.map(foldText))] }
  }
  return undefined
}

/** Whether a request is a batch look-up. */
export function isBatchLookUp(query: URLSearchParams): boolean {
  return Object.keys(lookUps).some((name) => query.has(name))
}
