/** Builds of Gradle (`build.gradle`, `build.gradle.kts`). Nothing is run. */
import { describeCatalog, readCoordinates, toAccessor } from './gradle-catalog.ts'
import type { Declared, ManifestFormat, Reference, SharedFile } from './manifest-format.ts'
import { computedPart, type Language, languages, readString, scanProgram, splitArguments } from './program.ts'

export const gradleGroovy: ManifestFormat = {
  files: ['build.gradle'],
  ecosystem: 'maven',
  isLenient: true,
  parse: (content) => parseGradle(content, languages.groovy),
}

export const gradleKotlin: ManifestFormat = {
  files: ['build.gradle.kts'],
  ecosystem: 'maven',
  isLenient: true,
  parse: (content) => parseGradle(content, languages.kotlinAndScala),
}

/** Blocks that declare nothing: what the build itself needs, versions, and rules. */
const otherBlocks = new Set([
  'artifactTypes',
  'attributesSchema',
  'buildscript',
  'components',
  'constraints',
  'modules',
  'pluginManagement',
  'plugins',
  'shadowJar',
])
const controlFlow = new Set(['catch', 'for', 'if', 'switch', 'when', 'while'])
/** Words before a statement or a block. */
const beforeStatements = new Set(['do', 'else', 'finally', 'try'])
/** Words that begin a statement without dependencies. */
const otherStatements = new Set([
  'because',
  'def',
  'dependency',
  'exclude',
  'println',
  'return',
  'val',
  'var',
])
/** Calls whose arguments are the dependency. */
const wrappers = new Set(['create', 'enforcedPlatform', 'platform', 'testFixtures', 'variantOf'])
/** How builds name other projects of the same build, local files, and parts of Gradle itself. */
const locals = new Set([
  ...[
    'configurations',
    'embeddedKotlin',
    'file',
    'fileTree',
    'files',
    'gradleApi',
    'gradleKotlinDsl',
    'gradleTestKit',
  ],
  ...['layout', 'localGroovy', 'project', 'projects', 'rootProject', 'sourceSets', 'tasks', 'zipTree'],
])
/** What the plugin of Compose Multiplatform calls its modules, behind `compose.`. */
const composeModules = new Map([
  ...['animation', 'foundation', 'material', 'material3', 'runtime', 'ui'].map(
    (name) => [name, `org.jetbrains.compose.${name}:${name}`] as const,
  ),
  ['components.resources', 'org.jetbrains.compose.components:components-resources'],
  ['components.uiToolingPreview', 'org.jetbrains.compose.components:components-ui-tooling-preview'],
  ['desktop.common', 'org.jetbrains.compose.desktop:desktop'],
  ['materialIconsExtended', 'org.jetbrains.compose.material:material-icons-extended'],
  ['preview', 'org.jetbrains.compose.ui:ui-tooling-preview'],
  ['uiTooling', 'org.jetbrains.compose.ui:ui-tooling'],
])
/** How Gradle lets catalogs be named. `ext` has the properties of a project. */
const catalogName = /^(?!ext$)[a-z][a-zA-Z\d]+$/
/** Deeper nested calls count as computed. People don't write nearly as many. */
const maxDepth = 20

/**
 * The modules in `dependencies` blocks, as `group:name`, whatever the configuration, `platform()` included, and those
 * of `mavenBom`. Names of a catalog refer to it, and variables of the same file stand for their value. Null for what is
 * computed. `buildscript`, `plugins` and `constraints` don't count. It is long because its functions read each other's
 * parts of one program.
 *
 * @throws never
 */
function* parseGradle(content: string, language: Language): Generator<Declared> {
  const program = scanProgram(content, language)
  const { tokens, closes } = program
  const catalogs = new Map<string, SharedFile>()
  /** What variables stand for. Null: only running the build would show it. */
  const variables = new Map<string, Declared>()
  /** What a block calls the items of a list, which is read before. */
  let item: string | undefined
  readVariables()
  /** Where a block ends whose dependencies only set versions. */
  let managedEnd = 0
  for (let at = 0; at < tokens.length; at++) {
    const name = tokens[at] ?? ''
    if (name === 'mavenBom') {
      const bom = tokens[at + 1] === '(' ? at + 2 : at + 1
      yield* readCoordinates(readString(tokens[bom]) ?? computedPart)
    }
    if (name === 'dependencies' && tokens.slice(at + 1, at + 4).join('') === '.add(') {
      const close = closes.get(at + 3) ?? tokens.length
      yield* readArguments(skipConfiguration(at + 4, close), close)
      at = close
    }
    const end = tokens[at + 1] === '{' ? closes.get(at + 1) : undefined
    if (end === undefined) continue
    if (name === 'dependencyManagement') managedEnd = end
    if (name !== 'dependencies' && !otherBlocks.has(name)) continue
    if (name === 'dependencies' && at >= managedEnd) yield* readBlock(at + 2, end)
    at = end
  }

  /** Reads `name = "group:name:1"`, `name = platform(…)` and `name = libs.x`, wherever they stand. */
  function readVariables(): void {
    for (const [at, sign] of tokens.entries()) {
      const name = tokens[at - 1] ?? ''
      if (sign !== '=' || tokens[at + 1] === '=' || !/^\w/.test(name)) continue
      const isPlatform = /^(?:enforcedP|p)latform$/.test(tokens[at + 1] ?? '') && tokens[at + 2] === '('
      const start = isPlatform ? at + 3 : at + 1
      let end = start + 1
      while (tokens[end] === '.' && /^\w/.test(tokens[end + 1] ?? '')) end += 2
      const behind = isPlatform && tokens[end] === ')' ? end + 1 : end
      const isWhole = /^["\w]/.test(tokens[start] ?? '') && /^[\n,)}]?$/.test(tokens[behind] ?? '')
      const [value = null] = isWhole ? readArgument(start, end, 0) : []
      const isSame = !variables.has(name) || isSameValue(variables.get(name), value)
      variables.set(name, isSame ? value : null)
    }
  }

  /** A configuration with dependencies, in each statement. */
  function* readBlock(start: number, end: number): Generator<Declared> {
    for (let at = start; at < end; at++) {
      const name = readString(tokens[at]) ?? tokens[at] ?? ''
      const next = tokens[at + 1] ?? ''
      const isCall = /^\w/.test(name) || name.startsWith(computedPart)
      const isArray = tokens[at] === '[' && /^[\n{]$/.test(tokens[at - 1] ?? '')
      if (isArray || (name === 'listOf' && next === '(')) {
        // `["group:name:1"].each { … }`
        const open = isArray ? at : at + 1
        at = closes.get(open) ?? end
        for (const [from, to] of splitArguments(program, open + 1, at)) yield* readArgument(from, to, 0)
        if (/^\.(?:each|forEach)\{$/.test(tokens.slice(at + 1, at + 4).join(''))) {
          const block = at + 3
          const outer = item
          item = tokens.slice(block + 2, block + 4).join('') === '->' ? tokens[block + 1] : 'it'
          at = closes.get(block) ?? end
          yield* readBlock(block + 1, at)
          item = outer
        }
      } else if (!isCall || beforeStatements.has(name)) continue
      else if (otherStatements.has(name)) at = findEnd(at, end)
      else if (controlFlow.has(name)) at = closes.get(at + 1) ?? at
      else if (next === '{' && otherBlocks.has(name)) at = closes.get(at + 1) ?? at
      else if (next === '(' && tokens[at - 1] !== '.') {
        const close = closes.get(at + 1) ?? end
        yield* readArguments(name === 'add' ? skipConfiguration(at + 2, close) : at + 2, close)
        at = tokens[close + 1] === '{' ? (closes.get(close + 1) ?? close) : close
      } else if (next.startsWith('"') || /^[\w[]/.test(next)) {
        const last = findEnd(at, end)
        yield* readArguments(at + 1, last)
        at = last
      } else if (next === '.') at = findEnd(at, end)
    }
  }

  /** Where the second argument of `add` begins. */
  function skipConfiguration(start: number, end: number): number {
    const [, second] = splitArguments(program, start, end)
    return second?.[0] ?? end
  }

  /** Where a statement ends: with its line, unless that ends with a comma, or with its block. */
  function findEnd(start: number, end: number): number {
    let at = start
    while (at < end && tokens[at] !== '}' && (tokens[at] !== '\n' || tokens[at - 1] === ','))
      at = (closes.get(at) ?? at) + 1
    return Math.min(at, end)
  }

  function* readArguments(start: number, end: number, depth = 0): Generator<Declared> {
    if (depth > maxDepth) return yield null
    const parts = [...splitArguments(program, start, end)].map(
      ([from, to]) => [tokens[from] === '\n' ? from + 1 : from, to] as const,
    )
    const named = new Map<string, string | undefined>()
    for (const [from] of parts) {
      const key = readString(tokens[from]) ?? tokens[from] ?? ''
      if (/^[:=]$/.test(tokens[from + 1] ?? '')) named.set(key, readString(tokens[from + 2]) ?? computedPart)
    }
    if (named.has('name')) return yield* readCoordinates(`${named.get('group') ?? ''}:${named.get('name')}`)
    const [group, name] = parts.map(([from]) => readString(tokens[from]))
    // `"group", "name", "version"`
    if (group !== undefined && name !== undefined && !`${group}${name}`.includes(':'))
      return yield* readCoordinates(`${group}:${name}`)
    if (named.size < parts.length || named.size === 0)
      for (const [from, to] of parts) yield* readArgument(from, to, depth + 1)
  }

  function* readArgument(start: number, end: number, depth: number): Generator<Declared> {
    const [first = '', next = '', third = ''] = tokens.slice(start, start + 3)
    const text = readString(first)
    const close = closes.get(next === '(' ? start + 1 : start) ?? end
    if (text !== undefined) {
      const isComplete = next !== '+' || text.split(':').length > 2
      yield* isComplete ? readCoordinates(text) : [null]
    } else if (first === '[') yield* readArguments(start + 1, close, depth)
    else if (wrappers.has(first) && next === '(') yield* readArguments(start + 2, close, depth)
    else if (first === 'kotlin' && next === '(')
      yield* readCoordinates(`org.jetbrains.kotlin:kotlin-${readString(third) ?? computedPart}`)
    else if (/^(?:dependencies|project|rootProject)$/.test(first) && next === '.' && depth <= maxDepth)
      yield* readArgument(start + 2, end, depth + 1)
    else if (start + 1 === end && first === item) return
    else if (start + 1 === end && variables.has(first)) yield variables.get(first) ?? null
    else if (/^\w/.test(first) && !locals.has(first) && !/^[:=]$/.test(next))
      yield* next === '.' && catalogName.test(first) ? referTo(first, start + 2) : readCall(start, end)
  }

  /** `libs.commons.lang3`, perhaps with `.get()`, or `libs.findLibrary("commons-lang3")`. */
  function* referTo(catalog: string, start: number): Generator<Declared> {
    const words = [tokens[start] ?? '']
    let at = start + 1
    for (; tokens[at] === '.' && tokens[at + 2] !== '('; at += 2) words.push(tokens[at + 1] ?? '')
    const [first = ''] = words
    if (/^(?:plugins|versions|find(?:Plugin|Version))$/.test(first)) return
    const key = tokens[at] === '(' ? findKey(words, tokens[at + 1]) : words.join('.')
    if (key === undefined) return yield* readCall(start, at)
    const file = catalogs.get(catalog) ?? describeCatalog(catalog)
    catalogs.set(catalog, file)
    yield { key, file, name: (catalog === 'compose' && composeModules.get(key)) || null }
  }

  /** What a call looks up in a catalog. Undefined: it is another one. */
  function findKey([call, ...more]: readonly string[], argument: string | undefined): string | undefined {
    const alias = readString(argument)
    if (alias === undefined || more.length > 0) return undefined
    if (call === 'findLibrary') return toAccessor(alias)
    return call === 'findBundle' ? `bundles.${toAccessor(alias)}` : undefined
  }

  /** A call that is unknown, perhaps of a plugin: `fg.deobf("group:name:version")`. */
  function* readCall(start: number, end: number): Generator<string | null> {
    let at = start
    while (tokens[at + 1] === '.' && at < end) at += 2
    const text = tokens[at + 1] === '(' ? readString(tokens[at + 2]) : undefined
    const names = text === undefined ? [] : [...readCoordinates(text)]
    yield* names.length > 0 ? names : [null]
  }
}

/** Whether two values of a variable are the same. References of one build share the objects of their files. */
function isSameValue(one: Declared | undefined, other: Declared): boolean {
  if (one === other) return true
  if (!isReference(one) || !isReference(other)) return false
  return one.key === other.key && one.file === other.file && one.name === other.name
}

function isReference(declared: Declared | undefined): declared is Reference {
  return typeof declared === 'object' && declared !== null && 'key' in declared
}
