/** Which message of the errors page a text is. Messages of the API contain names and numbers of the request. */

/** Messages of the same kind begin with the same two words or so. */
const minCommon = 12

/** Numbers and names of parameters differ in messages of the same kind. */
const readKind = (message: string) =>
  message
    .toLowerCase()
    .replace(/\d+/g, '0')
    .replace(/(?<=^unknown parameter: |did you mean )[\w[\]-]+/g, 'x')

function countCommon(one: string, other: string): number {
  let count = 0
  while (count < one.length && one[count] === other[count]) count++
  return count
}

/**
 * Finds the item whose message has the longest beginning in common with a text; undefined if none is of its kind. A
 * short text must be a whole message: "rate limit" is a topic.
 */
export function findMessage<Item>(
  text: string,
  items: readonly Item[],
  readMessage: (item: Item) => string,
): Item | undefined {
  const kind = readKind(text)
  const [best] = items
    .map((item) => {
      const message = readMessage(item)
      const common = countCommon(kind, readKind(message))
      return { item, common, isSame: message.toLowerCase() === text.toLowerCase() }
    })
    .sort((a, b) => b.common - a.common || Number(b.isSame) - Number(a.isSame))
  if (best === undefined || best.common < Math.min(kind.length, minCommon)) return undefined
  return kind.length >= minCommon || kind === readKind(readMessage(best.item)) ? best.item : undefined
}

/**
 * Statuses in messages of HTTP clients: `403 Client Error: Forbidden for url`, `Request failed with status code 429`.
 */
const clientStatus =
  /\b([45]\d\d) (?:Client|Server) Error\b|\b(?:status(?: code)?|HTTP Error|returned error|HTTP\/[\d.]+)\W{1,3}([45]\d\d)\b/i

/** An error's body: JSON, the same as Python's bytes, or a `dict` of Python. */
const body = /["']error["']\s*:\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/

/** Reads a string. Python has quotes and escapes that JSON doesn't have, such as `\'`. */
function readString(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1).replace(/\\(.)/g, '$1')
  }
}

/** The message in what a reader pastes: a body, a message in quotes, an `X-Error-Code`, or an HTTP client's message. */
export function readPasted(text: string): string {
  const [, quoted] = body.exec(text) ?? []
  if (quoted !== undefined) return readString(quoted.replace(/\s+/g, ' ')) // A terminal may have broken the line.
  const [, before, status = before] = clientStatus.exec(text) ?? []
  if (status !== undefined) return status
  return text
    .trim()
    .replace(/^X-Error-Code:\s*/i, '')
    .replace(/^["']|["']$/g, '')
}
