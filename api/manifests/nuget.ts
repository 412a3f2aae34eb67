/** Projects of .NET (`*.csproj` and others), what they share, and `packages.config`. */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { isTable } from './json-and-toml.ts'
import type { ManifestFormat } from './manifest-format.ts'
import { isLike } from './wildcards.ts'

export const dotnetProject: ManifestFormat = {
  files: [
    '*.csproj',
    '*.fsproj',
    '*.vbproj',
    'Directory.Build.props',
    'Directory.Build.targets',
    'Directory.Packages.props',
  ],
  parse: parseDotnetProject,
}

export const packagesConfig: ManifestFormat = { files: ['packages.config'], parse: parsePackagesConfig }

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  htmlEntities: true, // numbers such as &#46;, too
  removeNSPrefix: true,
})

/** A package ID, as nuget.org accepts it. */
const packageId = /^\w+(?:[.-]\w+)*$/

/**
 * What the characters of names, times those of the patterns that they are compared with, may come to. In projects that
 * people write, it isn't nearly as much.
 */
const maxCompared = 10_000_000

/**
 * The packages in a project of .NET, or in a `Directory.Build.props`, `Directory.Build.targets` or
 * `Directory.Packages.props`: every `PackageReference` and `GlobalPackageReference` with `Include` and not in its
 * `Exclude`, whatever its condition; null for a name with a property. `PackageVersion` only sets versions. A
 * `ProjectReference` is a project of the same repository.
 *
 * @throws {Error} when it is not well-formed XML, or compares too many names with patterns
 */
function* parseDotnetProject(content: string): Generator<string | null> {
  let compared = 0
  for (const [tag, attributes] of readElements(content)) {
    if (!/^(?:Global)?PackageReference$/i.test(tag)) continue // MSBuild ignores the case of items
    const excluded = new Set(splitList(attributes.get('Exclude')?.toLowerCase()))
    const patterns = [...excluded].filter((name) => /[*?]/.test(name))
    const patternsLength = patterns.join('').length
    if ([...excluded].some((name) => computed.test(name))) yield null
    for (const name of new Set(splitList(attributes.get('Include')))) {
      const key = name.toLowerCase()
      if (computed.test(name)) yield null
      if (!packageId.test(name) || excluded.has(key)) continue
      compared += name.length * patternsLength
      if (compared > maxCompared) throw new Error('too many names are compared with patterns of "Exclude"')
      if (!patterns.some((pattern) => isLike(key, pattern))) yield name
    }
  }
}

/** A property, a list of items, or metadata of one. */
const computed = /[$@%]\(/

function splitList(text = ''): string[] {
  return text.split(';').map((each) => each.trim())
}

/**
 * The packages in a `packages.config`, among them those that other packages need: the file doesn't tell them apart.
 *
 * @throws {Error} when it is not well-formed XML
 */
function* parsePackagesConfig(content: string): Generator<string> {
  for (const [tag, attributes] of readElements(content)) {
    const id = attributes.get('id')?.trim() ?? ''
    if (tag === 'package' && packageId.test(id)) yield id
  }
}

/** Reads all elements with their attributes. An attribute may also be an element of its own. */
function* readElements(content: string): Generator<[tag: string, attributes: ReadonlyMap<string, string>]> {
  const validity = XMLValidator.validate(content, { allowBooleanAttributes: true })
  if (validity !== true) {
    throw new Error(`not well-formed XML: line ${validity.err.line}: ${validity.err.msg}`)
  }
  const left: [string, unknown][] = [['', parser.parse(content)]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [tag, node] = next
    if (Array.isArray(node)) for (const each of node) left.push([tag, each])
    if (!isTable(node)) continue
    const members = Object.entries(node)
    const texts = members.filter((member): member is [string, string] => typeof member[1] === 'string')
    yield [tag, new Map(texts.map(([name, text]) => [name.replace(/^@/, ''), text]))]
    left.push(...members)
  }
}
