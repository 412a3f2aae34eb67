/** `build.sbt`, and the `*.scala` in the folder `project` of such a build. No Scala is run. */

import type { ManifestFormat } from './manifest-format.ts'
import { computedPart, findValueEnd, languages, readString, scanProgram, splitArguments } from './program.ts'

/** Builds of sbt. The build of the build is in the folder `project`, and below it. */
export const sbtBuild: ManifestFormat = {
  files: ['build.sbt', 'Dependencies.scala'],
  paths: [[/^(?!(?:.*\/)?src\/)(?:.*\/)?project\/[^/]*\.scala$/, 'Dependencies.scala']],
  except: /(?:^|\/)project\/(?:build\.sbt|project\/[^/]*)$/,
  ecosystem: 'maven',
  isLenient: true,
  parse: parseSbtBuild,
}

/** Settings and calls whose modules aren't dependencies: plugins, versions of others, and exclusions. */
const otherModules = new Set([
  'addCompilerPlugin',
  'addSbtPlugin',
  'compatibilityIgnored',
  'compatibilityRules',
  'compilerPlugin',
  'dependencyOverrides',
  'evictionRules',
  'exclude',
  'excludeAll',
  'excludeDependencies',
  'ExclusionRule',
  'inLibrary',
  'libraryDependencySchemes',
  'mimaPreviousArtifacts',
  'moduleFilter',
  'scalafixDependencies',
  'versionPolicyDependencyRules',
  'versionPolicyIgnored',
])
const collections = new Set(['List', 'Seq', 'Set', 'Vector'])
/** What `%%` and `%%%` add to a name. */
const scalaSuffix = /(?:_(?:sjs|native)[\d.]+(?:-\w+)?)?_(?:2\.\d+|3|[23]\.\d+\.\d+(?:-[\w-]+)?)$/
/** Deeper nested collections aren't looked into. */
const maxDepth = 20

/** The organization, the name or the version of a module. */
interface Operand {
  /** Null: only running the build would show it. */
  text: string | null
  /** The index of the token behind it. */
  end: number
}

/**
 * The modules in a build of sbt, as `organization:name`: every `"organization" %% "name"`, and with a single `%` those
 * with a version. That may be the version of all modules in a collection: `Seq("a" % "b").map(_ % "1")`. The suffix that
 * `%%` and `%%%` add to the name, `_2.13`, doesn't count, written or not. Names may be values of the same file; null for
 * computed ones, and for what `libraryDependencies` takes from values of other files. Plugins, overrides and exclusions
 * are left out. It is long because its functions read each other's parts of one program.
 *
 * @throws never
 */
function* parseSbtBuild(content: string): Generator<string | null> {
  const program = scanProgram(content, languages.kotlinAndScala)
  const { tokens, closes } = program
  const values = readValues(tokens)
  /** The `val` or `def` that was begun last, and those with modules. */
  let owner = ''
  const owners = new Set(['Nil', 'empty', ...otherModules])
  /** What `libraryDependencies` takes from values. */
  const taken = new Set<string>()
  let takenUntil = 0
  /** Where a collection ends whose modules get their version behind it. */
  let mappedUntil = 0
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? ''
    if (otherModules.has(token)) at = skipSetting(at + 1)
    if (tokens[at] === 'withName' && tokens[at + 1] === '(') yield null
    if (collections.has(token) && tokens[at + 1] === '(')
      mappedUntil = Math.max(mappedUntil, findMapped(at + 1))
    if (/^(?:val|def)$/.test(token)) owner = tokens[at + 1] ?? ''
    if (token === 'libraryDependencies' && /^[+:]$/.test(tokens[at + 1] ?? '') && at >= takenUntil) {
      const start = skipLines(skipSigns(at + 1))
      takenUntil = findValueEnd(program, start)
      readTaken(start, takenUntil)
    }
    // The dots of a name belong to its beginning.
    const organization = tokens[at - 1] === '.' && /^\w/.test(tokens[at] ?? '') ? undefined : readOperand(at)
    const signs = organization === undefined ? at : skipLines(organization.end)
    if (organization === undefined || tokens[signs] !== '%' || tokens[at] === '_') continue
    let behind = signs
    while (tokens[behind] === '%' && behind - signs < 3) behind++
    const name = readOperand(skipLines(behind))
    if (name === undefined) continue
    let end = name.end
    const hasVersion = tokens[skipLines(end)] === '%'
    // The version and the configuration have the same sign before them.
    while (tokens[skipLines(end)] === '%') {
      const next = skipLines(skipLines(end) + 1)
      end = readOperand(next)?.end ?? next
    }
    if (hasVersion || behind - signs > 1 || at < mappedUntil) {
      const module = `${organization.text ?? computedPart}:${(name.text ?? computedPart).replace(scalaSuffix, '')}`
      if (module.includes(computedPart)) yield null
      else if (/^[\w.-]+:[\w.-]+$/.test(module)) yield module
      owners.add(owner)
    }
    at = end - 1
  }
  if ([...taken].some((name) => !owners.has(name))) yield null

  /** The end of a collection if `.map(_ % …)` follows; if not, where it begins. */
  function findMapped(open: number): number {
    const close = closes.get(open) ?? open
    return /^\n?\.?map[({]_%/.test(tokens.slice(close + 1, close + 7).join('')) ? close : open
  }

  /** A string, a name with dots, or something in parentheses. */
  function readOperand(start: number): Operand | undefined {
    const first = tokens[start] ?? ''
    const text = readString(first)
    if (text !== undefined) return { text, end: start + 1 }
    if (first === '(') return { text: null, end: (closes.get(start) ?? start) + 1 }
    if (!/^\w/.test(first)) return undefined
    const interpolated = /^(?:s|f|raw)$/.test(first) ? readString(tokens[start + 1]) : undefined
    if (interpolated !== undefined) return { text: interpolated, end: start + 2 }
    const last = skipDots(start)
    return { text: values.get(tokens[last] ?? '') ?? null, end: last + 1 }
  }

  /** The last word of a name with dots. */
  function skipDots(start: number): number {
    let last = start
    while (tokens[last + 1] === '.' && /^\w/.test(tokens[last + 2] ?? '')) last += 2
    return last
  }

  /** Reads which values a list of modules has: `cats`, `Seq(cats.value, Libraries.circe % Test)`. */
  function readTaken(start: number, end: number, depth = 0): void {
    if (depth > maxDepth) return
    for (const [from, to] of splitArguments(program, start, end)) {
      for (let at = skipLines(from); at < to; at = skipSigns(skipValue(at, to))) {
        if (tokens[at] === 'if' && tokens[at + 1] === '(') at = (closes.get(at + 1) ?? to) + 1
        const isCollection = collections.has(tokens[at] ?? '') && tokens[at + 1] === '('
        if (isCollection) readTaken(at + 2, closes.get(at + 1) ?? to, depth + 1)
        else if (tokens[at] === '(') readTaken(at + 1, closes.get(at) ?? to, depth + 1)
        else if (/^\w/.test(tokens[at] ?? '')) readTakenName(at)
      }
    }
  }

  /** Reads a name, unless it begins a module or decides between some. */
  function readTakenName(start: number): void {
    const last = skipDots(start)
    const next = tokens[last + 1] === '(' ? (closes.get(last + 1) ?? last) + 1 : last + 1
    const isModule = tokens[next] === '%' && (tokens[next + 1] === '%' || tokens[next + 3] === '%')
    const isKey = tokens[last] === 'value' && last > start
    if (!isModule && tokens[next] !== 'match') taken.add(tokens[isKey ? last - 2 : last] ?? '')
  }

  /** Where the next part of a sum or of a choice begins, `a ++ b`, `if (c) a else b`. */
  function skipValue(start: number, end: number): number {
    let at = start
    while (at < end && tokens[at] !== 'else' && (tokens[at] !== '+' || tokens[at + 1] !== '+'))
      at = (closes.get(at) ?? at) + 1
    return tokens[at] === 'else' ? at + 1 : at
  }

  function skipLines(start: number): number {
    return tokens[start] === '\n' ? start + 1 : start
  }

  function skipSigns(start: number): number {
    let at = start
    while (/^[+\-:=]$/.test(tokens[at] ?? '')) at++
    return at
  }

  /** The last token of a call's arguments, or of what a setting is set to. */
  function skipSetting(start: number): number {
    if (tokens[start] === '(') return closes.get(start) ?? start
    const at = skipSigns(skipScope(start))
    return tokens[at - 1] === '=' ? findValueEnd(program, skipLines(at)) - 1 : start - 1
  }

  /** Skips what scopes a key: `in Test`, `.in(Test)`, or the end of `(Test / key)`. */
  function skipScope(start: number): number {
    const at = tokens[start] === '.' ? start + 1 : start
    if (tokens[at] === 'in')
      return tokens[at + 1] === '(' ? (closes.get(at + 1) ?? at) + 1 : skipDots(at + 1) + 1
    return tokens[start] === ')' ? start + 1 : start
  }
}

/** The texts of each `val` that is a string; null if the file has several with the name. */
function readValues(tokens: readonly string[]): ReadonlyMap<string, string | null> {
  const values = new Map<string, string | null>()
  for (const [at, token] of tokens.entries()) {
    if (token !== 'val' || tokens[at + 2] !== '=' || !/^[\n,)}]?$/.test(tokens[at + 4] ?? '')) continue
    const [name = '', value] = [tokens[at + 1], readString(tokens[at + 3])]
    if (value !== undefined) values.set(name, values.has(name) && values.get(name) !== value ? null : value)
  }
  return values
}
