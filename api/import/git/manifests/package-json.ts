import { parseJsonObject, readTable } from './table.ts'

const sections = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/** An alias: a name with a version, with a scope or at least none that a version could be mistaken for. */
const alias = /^npm:(?:(@?[^@]+)@.|(@[^@/]+\/[^@]+|[a-z][^@\s]*)$)/i

/**
 * The packages in a `package.json`. An alias (`"old": "npm:left-pad@1"`) gives the package that is installed, not the
 * name that the code imports it by. Yarn writes ranges with the same prefix (`"react": "npm:^18.2.0"`).
 *
 * @throws {Error} when it is not a JSON object, or a section is not one
 */
export function* parsePackageJson(content: string): Generator<string> {
  const document = parseJsonObject(content)
  for (const section of sections) {
    for (const [name, range] of Object.entries(readTable(document, section))) {
      const [, versioned, bare] = (typeof range === 'string' && alias.exec(range)) || []
      yield versioned ?? bare ?? name
    }
  }
}
