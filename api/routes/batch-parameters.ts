/**
 * The query parameters of batch look-ups (`decisions/0003-lists.md`).
 *
 * @module
 */
import type { BatchLookUp } from '../catalog/batch-lookup.ts'
import { badRequest } from '../errors.ts'
import { foldText } from '../names/case-folding.ts'
import { forgeNamePattern, forgeNameRule } from '../names/forge-names.ts'
import { maxPageSize } from '../paging/page.ts'
import { readEntries } from './parameters.ts'

/** A parameter that lists items to look up. */
interface BatchParameter {
  by: BatchLookUp['by']
  isValid(entry: string): boolean
  /** The rule of an entry, as the message has it. */
  rule: string
}

const batchParameters = new Map<string, BatchParameter>([
  ['logins', { by: 'name', isValid: isForgeName, rule: forgeNameRule }],
  [
    'full_names',
    {
      by: 'name',
      isValid: (entry) => entry.split('/').length === 2 && entry.split('/').every(isForgeName),
      rule: `must be OWNER/NAME, and each ${forgeNameRule}`,
    },
  ],
  [
    'forge_rest_ids',
    {
      by: 'forgeRestId',
      // Repositories that only clones have described have negative ids.
      isValid: (entry) => /^(?:0|-?[1-9]\d*)$/.test(entry) && Number.isSafeInteger(Number(entry)),
      rule: `must be an integer up to ±${Number.MAX_SAFE_INTEGER}, digits only, no leading zeros`,
    },
  ],
])

/** The parameters of batch look-ups. */
export const batchNames: readonly string[] = [...batchParameters.keys()]

/** Other parameters that a batch look-up may have. */
const otherParameters = ['page', 'per_page', 'after', 'exclude']

/** Reads a batch look-up. An empty parameter is one that finds nothing. Undefined: the request has none. */
export function readBatchLookUp(query: URLSearchParams): BatchLookUp | undefined {
  for (const [name, { by, isValid, rule }] of batchParameters) {
    if (!query.has(name)) continue
    const isAlone = [...query].every(
      ([other, value]) =>
        other === name ||
        otherParameters.includes(other) ||
        (value.trim() === '' && !batchParameters.has(other)),
    )
    if (!isAlone) throw badRequest(`Invalid ${name}: must be the only filter`)
    const entries = readEntries(query, name, { maxEntries: maxPageSize, mayBeEmpty: true })
    const invalid = entries.findIndex((entry) => !isValid(entry))
    if (invalid >= 0) throw badRequest(`Invalid ${name}: entry ${invalid + 1} ${rule}`)
    return { by, entries: [...new Set(entries.map(foldText))] }
  }
  return undefined
}

/** Whether a request is a batch look-up. */
export function isBatchLookUp(query: URLSearchParams): boolean {
  return batchNames.some((name) => query.has(name))
}

function isForgeName(text: string): boolean {
  return forgeNamePattern.test(text)
}
