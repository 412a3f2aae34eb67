import { posix } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { isTable, type Table } from './json-and-toml.ts'
import {
  type Declared,
  type Definitions,
  type ManifestFormat,
  maxPathLength,
  type OwnPackage,
  type SharedFile,
} from './manifest-format.ts'

export const pomXml: ManifestFormat = { files: ['pom.xml'], ecosystem: 'maven', parse: parsePomXml }

/** Finds the value of a property, `${key}`, or of an entity, `&key;`. */
type FindValue = (key: string) => string | undefined

const parser = new XMLParser({
  parseTagValue: false,
  // Names need no entities, and entities can expand without bound.
  processEntities: false,
  removeNSPrefix: true,
  // Most of a large file has no dependencies. Without these nodes parsing takes half the time.
  stopNodes: ['build', 'reporting', 'dependencyManagement', 'profiles.profile.build'].map(
    (path) => `project.${path}`,
  ),
})

/**
 * The artifacts in a `pom.xml`, as `groupId:artifactId`: its dependencies and those of its profiles, and what it
 * imports in `dependencyManagement`, which otherwise only sets versions. Plugins and the parent are part of the build,
 * so they don't count. Entities and properties of the file itself are resolved, and other properties by its parent in
 * the same repository; null for a name that needs those of other files. The project's own coordinates are an artifact
 * that no other repository has.
 *
 * @throws {Error} when it is not well-formed XML, or its root is not `project`
 */
function* parsePomXml(content: string): Generator<Declared | OwnPackage> {
  const { document, entities } = splitDoctype(content)
  const project = parseProject(document)
  const values = new Map([...readProperties(project), ...entities])
  const findValue = (key: string) => values.get(key)
  const parent = findParent(project, findValue)
  yield* readDependencies(project, parent, findValue)
  for (const profile of readChildren(readChild(project, 'profiles'), 'profile')) {
    const own = readTexts(readChild(profile, 'properties'))
    const findOwnValue = (key: string) => own.get(key) ?? values.get(key)
    yield* readDependencies(profile, parent, findOwnValue)
    yield* readDependencies(readChild(profile, 'dependencyManagement'), parent, findOwnValue, 'import')
  }
  yield { definitions: defineProperties(project, findValue), parent }
  const own = resolveText('${project.groupId}:${project.artifactId}', findValue)
  if (own !== undefined && (parent !== undefined || !own.includes('${')))
    yield { own, parent, isUnique: true }
  const { dependencyManagement: managed } = project
  if (typeof managed !== 'string' || !managed.includes('import')) return
  yield* readDependencies(parseProject(`<project>${managed}</project>`), parent, findValue, 'import')
}

const entitiesOfXml = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
  ['&apos;', "'"],
  ['&quot;', '"'],
] as const

/** What may stand before the root element. An unclosed comment ends with the file, so that the search stays linear. */
const prolog = /\s+|<\?[^>]*>|<!--[\s\S]*?(?:-->|(?![\s\S]))|(?<doctype><!DOCTYPE\b)/y
/** What a document type declaration consists of. */
const doctypeParts =
  /<!ENTITY\s+(?<name>[\w.:-]+)\s+(?:"(?<double>[^"]*)"|'(?<single>[^']*)')\s*>|<!--[\s\S]*?(?:-->|(?![\s\S]))|"[^"]*"|'[^']*'|(?<bracket>[[\]>])|[^"'[\]<>]+|</y

/**
 * Takes the document type declaration out of a file, and reads the entities that it defines with a text. Those of other
 * files stay unknown.
 */
function splitDoctype(content: string): { document: string; entities: ReadonlyMap<string, string> } {
  const entities = new Map<string, string>(entitiesOfXml)
  prolog.lastIndex = 0
  let start: number | undefined
  for (let match = prolog.exec(content); match !== null; match = prolog.exec(content)) {
    if (match.groups?.doctype === undefined) continue
    start = match.index
    doctypeParts.lastIndex = prolog.lastIndex
    break
  }
  if (start === undefined) return { document: content, entities }
  let isInside = false
  for (let match = doctypeParts.exec(content); match !== null; match = doctypeParts.exec(content)) {
    const { name, double, single, bracket } = match.groups ?? {}
    // The first definition of an entity counts.
    if (name !== undefined && !entities.has(`&${name};`)) entities.set(`&${name};`, double ?? single ?? '')
    if (bracket === '[') isInside = true
    if (bracket === ']') isInside = false
    if (bracket === '>' && !isInside) {
      const end = doctypeParts.lastIndex
      const blank = content.slice(start, end).replace(/[^\n]/g, '') // keeps the numbers of lines in messages
      return { document: content.slice(0, start) + blank + content.slice(end), entities }
    }
  }
  return { document: content, entities }
}

function parseProject(content: string): Table {
  const validity = XMLValidator.validate(content)
  if (validity !== true) {
    throw new Error(`not well-formed XML: line ${validity.err.line}: ${validity.err.msg}`)
  }
  const document: unknown = parser.parse(content)
  if (!isTable(document) || !Object.hasOwn(document, 'project')) {
    throw new Error('the root element is not "project"')
  }
  return isTable(document.project) ? document.project : {}
}

/** The project's parent, unless it is of another repository for certain. */
function findParent(project: Table, findValue: FindValue): SharedFile | undefined {
  if (!Object.hasOwn(project, 'parent')) return undefined
  const texts = readTexts(readChild(project, 'parent'))
  const path = texts.get('relativePath')?.replaceAll('\\', '/') ?? '..'
  if (path === '' || path.length > maxPathLength) return undefined
  const coordinates = ['groupId', 'artifactId'].map((key) => resolveText(texts.get(key), findValue) ?? '${}')
  const definer = coordinates.join(':')
  return {
    ...(path.endsWith('.xml')
      ? { fileNames: [posix.basename(path)], folder: posix.dirname(path) }
      : { fileNames: ['pom.xml'], folder: path }),
    ...(!definer.includes('${') && { definer }),
  }
}

/** The properties that children inherit. */
function defineProperties(project: Table, findValue: FindValue): Definitions['definitions'] {
  const definitions = new Map<string, string[]>()
  for (const [key, text] of readTexts(readChild(project, 'properties'))) {
    const value = resolveText(text, findValue)
    if (value !== undefined && !value.includes('${')) definitions.set(key, [value])
  }
  return definitions
}

/** The dependencies of a project, of a profile, or of what these manage. `scope`: only those that have it. */
function* readDependencies(
  element: Table,
  parent: SharedFile | undefined,
  findValue: FindValue,
  scope?: string,
): Generator<Declared> {
  for (const dependency of readChildren(readChild(element, 'dependencies'), 'dependency')) {
    const texts = readTexts(dependency)
    if (scope !== undefined && texts.get('scope') !== scope) continue
    const group = resolveText(texts.get('groupId'), findValue)
    const artifact = resolveText(texts.get('artifactId'), findValue)
    const key = `${group}:${artifact}`
    if (group && artifact && !key.includes('${')) yield key
    else if (group && artifact && parent !== undefined) yield { key, file: parent, name: null }
    else if (texts.has('groupId') && texts.has('artifactId')) yield null
  }
}

/** The file's own properties, and the project's coordinates under all names that Maven has had for them. */
function readProperties(project: Table): ReadonlyMap<string, string> {
  const own = readTexts(project)
  const parent = readTexts(readChild(project, 'parent'))
  const properties = new Map(readTexts(readChild(project, 'properties')))
  for (const key of ['groupId', 'artifactId', 'version']) {
    const inherited = parent.get(key)
    const value = own.get(key) ?? (key === 'artifactId' ? undefined : inherited)
    if (value !== undefined) {
      properties.set(`project.${key}`, value).set(`pom.${key}`, value)
      if (!properties.has(key)) properties.set(key, value)
    }
    if (inherited !== undefined) {
      properties.set(`project.parent.${key}`, inherited)
      if (!properties.has(`parent.${key}`)) properties.set(`parent.${key}`, inherited)
    }
  }
  return properties
}

/**
 * Replaces the properties and entities in a text. An unknown property stays as it is; undefined when an entity is
 * unknown. The limits stop definitions that are recursive or grow exponentially.
 */
function resolveText(
  text: string | undefined,
  findValue: FindValue,
  budget = { substitutions: 50 },
): string | undefined {
  if (text === undefined || text.length > 1000) return undefined
  let known = true
  const resolved = text.replace(/\$\{([^{}]*)\}|&[^&;]*;/g, (reference, property: string | undefined) => {
    if (!known || budget.substitutions-- <= 0) known = false
    const key = property?.trim() ?? reference
    const text = findValue(key)
    if (property !== undefined && text === undefined) return `\${${key}}`
    const value = known ? resolveText(text, findValue, budget) : undefined
    if (value === undefined) known = false
    return value ?? ''
  })
  return known ? resolved.trim() : undefined
}

function readChild(parent: Table, key: string): Table {
  return readChildren(parent, key)[0] ?? {}
}

/** The parser returns a single element as it is, and several as an array. */
function readChildren(parent: Table, key: string): Table[] {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined
  return (Array.isArray(value) ? value : [value]).filter(isTable)
}

/** The elements that contain only text. Of several with one name, the last one counts, as for Maven's properties. */
function readTexts(parent: Table): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [key, value] of Object.entries(parent)) {
    const text = Array.isArray(value) ? value.at(-1) : value
    if (typeof text === 'string') texts.set(key, text.trim())
  }
  return texts
}
