/** Keys in what people enter. The portal's scripts use it too. */

/**
 * Lists the keys in a text, each once. People paste more than a key: `Bearer`, a whole header, quotes, a line of a
 * file. Some programs write UUIDs in upper case, which the API refuses.
 */
export function listKeysIn(text: string): string[] {
  const uuids = text.match(/(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/gi) ?? []
  return [...new Set(uuids.map((uuid) => uuid.toLowerCase()))]
}
