import { parseJsonObject, readTable } from './table.ts'

const sections = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/**
 * The packages in a `package.json`. An alias (`"old": "npm:left-pad@1"`) gives the package that is installed,
 * not the name that the code imports it by.
 *
 * @throws {Error} when it is not a JSON object, or a section is not one
 */
export function* parsePackageJson(content: string): Generator<string> {
  const document = parseJsonObject(content)
  for (const section of sections) {
    for (const [name, range] of Object.entries(readTable(document, section))) {
      const alias = typeof range === 'string' ? /^npm:(@?[^@]+)/.exec(range)?.[1] : undefined
      yield alias ?? name
    }
  }
}
