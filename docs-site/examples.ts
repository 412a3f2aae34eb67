/**
 * Examples of the resources, taken from the answers that the portal keeps: real ones, since a test compares those with
 * what the service answers.
 *
 * @module
 */

type JsonObject = Record<string, unknown>

/** Every object inside a value, the value included. */
function listObjects(value: unknown): JsonObject[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(listObjects)
  return Array.isArray(value) ? inner : [Object.fromEntries(Object.entries(value)), ...inner]
}

/**
 * The object with exactly these fields that shows most of them: as few as possible are null or empty. `undefined` when
 * no answer holds one.
 *
 * @param answers answers as `src/responses` keeps them: status line, headers, an empty line, a JSON body if there is one
 */
export function findExample(answers: readonly string[], fields: readonly string[]): JsonObject | undefined {
  const wanted = [...fields].sort().join()
  const countGaps = (object: JsonObject) =>
    Object.values(object).filter((field) => field === null || (Array.isArray(field) && field.length === 0))
      .length
  return answers
    .flatMap((answer) => {
      const body = answer.split('\n\n').slice(1).join('\n\n')
      return body.startsWith('{') ? listObjects(JSON.parse(body)) : []
    })
    .filter((object) => Object.keys(object).sort().join() === wanted)
    .sort((one, other) => countGaps(one) - countGaps(other))[0]
}
