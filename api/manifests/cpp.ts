/** `vcpkg.json`, `conanfile.txt` and `conanfile.py`. No Python is run. */
import { isTable, parseJsonObject, readList, readTable } from './json-and-toml.ts'
import type { ManifestFormat } from './manifest-format.ts'
import { scanPython } from './python-program.ts'

export const vcpkgJson: ManifestFormat = { files: ['vcpkg.json'], parse: parseVcpkgJson }
export const conanfileTxt: ManifestFormat = {
  files: ['conanfile.txt'],
  isLenient: true,
  parse: parseConanfileTxt,
}

export const conanfilePy: ManifestFormat = {
  files: ['conanfile.py'],
  isLenient: true,
  parse: parseConanfilePy,
}

/**
 * The ports in a `vcpkg.json`: its dependencies and those of its features.
 *
 * @throws {Error} when it is not a JSON object, or `features` is not one
 */
function* parseVcpkgJson(content: string): Generator<string> {
  const document = parseJsonObject(content)
  const features = document.features === undefined ? [] : Object.values(readTable(document, 'features'))
  for (const { dependencies } of [document, ...features.filter(isTable)]) {
    for (const entry of readList(dependencies)) {
      const name = isTable(entry) ? entry.name : entry
      // A feature may need others of the same port.
      if (typeof name === 'string' && name !== document.name) yield name
    }
  }
}

/** The sections, attributes and methods that require packages. */
const requiring = /^(?:build_|tool_|test_)?requires$/

/**
 * The packages in a `conanfile.txt`, of all sections that require some, without version and user.
 *
 * @throws never
 */
function* parseConanfileTxt(content: string): Generator<string> {
  let isRequired = false
  for (const line of content.split(/\r\n?|\n/)) {
    const text = line.split('#', 1)[0]?.trim() ?? ''
    const [, section] = /^\[([^\]]*)\]$/.exec(text) ?? []
    if (section !== undefined) isRequired = requiring.test(section.trim())
    else if (isRequired) {
      const [, name] = /^([\w.+-]+)\//.exec(text) ?? []
      if (name !== undefined) yield name
    }
  }
}

/** A string, perhaps with a computed version: `zlib/1.3`, `zlib/[>1]@user/channel`. */
const recipeName = /^["?]([\w.+-]+)\//

/**
 * The packages in a `conanfile.py`: those of `requires`, `tool_requires`, `build_requires` and `test_requires`, as
 * attributes and as calls, without version and user; null for computed ones.
 *
 * @throws {Error} when it is not Python
 */
function* parseConanfilePy(content: string): Generator<string | null> {
  const { tokens, closes } = scanPython(content)
  for (let at = 0; at < tokens.length; at++) {
    if (!requiring.test(tokens[at] ?? '')) continue
    if (tokens[at - 1] === '.') {
      const open = tokens.slice(at + 1, at + 4).join('') === '.add(' ? at + 3 : at + 1
      // A test of the recipe itself requires it.
      const isOwn = tokens.slice(open + 1, open + 4).join('') === 'self.tested_reference_str'
      if (tokens[open] === '(' && !isOwn) yield readRecipe(tokens[open + 1] ?? '')
      continue
    }
    if (tokens[at + 1] === ':') while (!/^[=\n]$/.test(tokens[at + 1] ?? '\n')) at++ // a type
    if (tokens[at + 1] === '+') at++
    if (tokens[at + 1] !== '=' || tokens[at + 2] === '=') continue
    for (at += 2; at < tokens.length && tokens[at] !== '\n'; at++) {
      const text = tokens[at] ?? ''
      // An entry may be a tuple with options behind the name: ("zlib/1.3", "override").
      const isOption = text.startsWith('"') && !text.includes('/')
      if (/^["?\w]/.test(text) && !isOption) yield readRecipe(text)
      // Or with a dictionary of them: ("zlib/1.3", {"headers": True}).
      if (text === '{' && tokens[at - 1] === ',') at = closes.get(at) ?? at
      if (tokens[at + 1] === '(' && /^\w/.test(text)) at = closes.get(at + 1) ?? at
    }
  }
}

function readRecipe(token: string): string | null {
  return recipeName.exec(token)?.[1] ?? null
}
