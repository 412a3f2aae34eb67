/** The query parameters of batch look-ups (`decisions/0003-lists.md`). */
import type { BatchLookUp } from '../catalog/batch-lookup.ts'
import { type LookUpRow, lookUps } from '../catalog/filters.ts'
import { badRequest } from '../errors.ts'
import { foldText } from '../names/case-folding.ts'
import { forgeNamePattern, forgeNameRule } from '../names/forge-names.ts'
import { readEntries } from './parameters.ts'

/** How entries are written. The rule is for messages. */
const forms: Record<LookUpRow['form'], { isValid(entry: string): boolean; rule: string }> = {
  NAME: { isValid: isForgeName, rule: forgeNameRule },
  'OWNER/NAME': {
    isValid: (entry) => entry.split('/').length === 2 && entry.split('/').every(isForgeName),
    rule: `must be OWNER/NAME, and each ${forgeNameRule}`,
  },
  INTEGER: {
    // Repositories that only clones have described have negative ids.
    isValid: (entry) => /^(?:0|-?[1-9]\d*)$/.test(entry) && Number.isSafeInteger(Number(entry)),
    rule: `must be an integer up to ±${Number.MAX_SAFE_INTEGER}, digits only, no leading zeros`,
  },
}

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
    const entries = readEntries(query, name, { maxEntries, mayBeEmpty: true })
    const invalid = entries.findIndex((entry) => !forms[form].isValid(entry))
    if (invalid >= 0) throw badRequest(`Invalid ${name}: entry ${invalid + 1} ${forms[form].rule}`)
    return { by, entries: [...new Set(entries.map(foldText))] }
  }
  return undefined
}

/** Whether a request is a batch look-up. */
export function isBatchLookUp(query: URLSearchParams): boolean {
  return Object.keys(lookUps).some((name) => query.has(name))
}

function isForgeName(text: string): boolean {
  return forgeNamePattern.test(text)
}
