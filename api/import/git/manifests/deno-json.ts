import { parseJsonObject, readTable } from './table.ts'

/** The package in `npm:@scope/name@^1/path`, or in `jsr:@scope/name`. */
const specifier = /^(?:npm|jsr):\/?(@[^/@]+\/[^/@]+|[^/@]+)/

/**
 * The packages that a `deno.json` or `deno.jsonc` imports from npm and JSR. What it imports by a path or a URL is not a
 * package of a registry.
 *
 * @throws {Error} when it is not a JSON object, comments and trailing commas aside, or `imports` is not one
 */
export function* parseDenoJson(content: string): Generator<string> {
  const document = parseJsonObject(removeComments(content))
  for (const target of Object.values(readTable(document, 'imports'))) {
    const [, name] = (typeof target === 'string' && specifier.exec(target)) || []
    if (name !== undefined) yield name
  }
}

/** Makes JSON of JSONC: without comments, and without commas before a bracket that closes. */
function removeComments(content: string): string {
  const parts: string[] = []
  let comma = -1 // the place of a comma that nothing but white space and comments has followed
  // A string or a comment that is not closed ends with the file, so that the search stays linear.
  const tokens = /"(?:[^"\\]|\\[\s\S])*"?|\/\/.*|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|\s+|[^"/\s,}\]]+|[/,}\]]/g
  for (const [part] of content.matchAll(tokens)) {
    if (part.startsWith('//') || part.startsWith('/*') || part.trim() === '') {
      parts.push(part.replace(/\S/g, ' ')) // positions in messages stay those of the file
      continue
    }
    if ((part === '}' || part === ']') && comma !== -1) parts[comma] = ' '
    comma = part === ',' ? parts.length : -1
    parts.push(part)
  }
  return parts.join('')
}
