/** Examples of resources, taken from the recorded responses, which a test compares with those of the service. */

type JsonObject = Record<string, unknown>

/** All objects in a value, including the value. */
function listObjects(value: unknown): JsonObject[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(listObjects)
  return Array.isArray(value) ? inner : [Object.fromEntries(Object.entries(value)), ...inner]
}

/**
 * Finds the object with exactly these fields of which the fewest are null or empty. Undefined if there is none.
 * `responses` have the format of `src/responses`: status line, headers, empty line, JSON body.
 */
export function findExample(responses: readonly string[], fields: readonly string[]): JsonObject | undefined {
  const wanted = [...fields].sort().join()
  const countGaps = (object: JsonObject) =>
    Object.values(object).filter((field) => field === null || (Array.isArray(field) && field.length === 0))
      .length
  return responses
    .flatMap((response) => {
      const body = response.split('\n\n').slice(1).join('\n\n')
      return body.startsWith('{') ? listObjects(JSON.parse(body)) : []
    })
    .filter((object) => Object.keys(object).sort().join() === wanted)
    .sort((one, other) => countGaps(one) - countGaps(other))[0]
}
