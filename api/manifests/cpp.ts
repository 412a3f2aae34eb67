/** `vcpkg.json` and `conanfile.txt`. */
import { isTable, parseJsonObject, readList, readTable } from './json-and-toml.ts'

/**
 * The ports in a `vcpkg.json`: its dependencies and those of its features.
 *
 * @throws {Error} when it is not a JSON object, or `features` is not one
 */
export function* parseVcpkgJson(content: string): Generator<string> {
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

/**
 * The packages in a `conanfile.txt`, of all sections that require some, without version and user.
 *
 * @throws never
 */
export function* parseConanfileTxt(content: string): Generator<string> {
  let isRequired = false
  for (const line of content.split(/\r\n?|\n/)) {
    const text = line.split('#', 1)[0]?.trim() ?? ''
    const [, section] = /^\[([^\]]*)\]$/.exec(text) ?? []
    if (section !== undefined) isRequired = /^(?:(?:build_|tool_|test_)?requires)$/.test(section.trim())
    else if (isRequired) {
      const [, name] = /^([\w.+-]+)\//.exec(text) ?? []
      if (name !== undefined) yield name
    }
  }
}
