import { parseJsonObject, readTable } from './untyped-table.ts'

const sections = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/** An alias: a name with a version, or a name that can't be mistaken for a version. */
const alias = /^npm:(?:(@?[^@]+)@.|(@[^@/]+\/[^@]+|[a-z][^@\s]*)$)/i

/**
 * The packages in a `package.json`. An alias (`"old": "npm:left-pad@1"`) counts as the installed package. Yarn writes ranges
 * with the same prefix (`"react": "npm:^18.2.0"`).
 *
 * @throws {Error} when it, or a section, is not a JSON object
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
