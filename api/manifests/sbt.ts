/** `build.sbt`, and the `Dependencies.scala` of such a build. No Scala is run. */
import { computedPart, findValueEnd, languages, readString, scanProgram } from './program.ts'

/** Settings and calls whose modules aren't dependencies: plugins, versions of others, and exclusions. */
const otherModules = new Set([
  ...['addCompilerPlugin', 'addSbtPlugin', 'compilerPlugin', 'dependencyOverrides', 'exclude', 'excludeAll'],
  ...[
    'excludeDependencies',
    'ExclusionRule',
    'inLibrary',
    'libraryDependencySchemes',
    'mimaPreviousArtifacts',
  ],
  ...['moduleFilter', 'scalafixDependencies'],
])

/** The organization, the name or the version of a module. */
interface Operand {
  /** Null: only running the build would show it. */
  text: string | null
  /** The index of the token behind it. */
  end: number
}

/**
 * The modules in a build of sbt, as `organization:name`: every `"organization" %% "name"`, and with a single `%` those with a version. The
 * suffix that `%%` and `%%%` add to the name, `_2.13`, isn't written, so it doesn't count. Names may be values of the same file; null
 * for computed ones. Plugins, overrides and exclusions are left out.
 *
 * @throws never
 */
export function* parseSbtBuild(content: string): Generator<string | null> {
  const program = scanProgram(content, languages.kotlinAndScala)
  const { tokens, closes } = program
  const values = readValues(tokens)
  for (let at = 0; at < tokens.length; at++) {
    if (otherModules.has(tokens[at] ?? '')) at = skipSetting(at + 1)
    if (tokens[at] === 'withName' && tokens[at + 1] === '(') yield null
    const organization = readOperand(at)
    if (organization === undefined || tokens[skipLines(organization.end)] !== '%') continue
    const signs = skipLines(organization.end)
    let behind = signs
    while (tokens[behind] === '%') behind++
    const name = readOperand(skipLines(behind))
    if (name === undefined) continue
    let end = name.end
    const hasVersion = tokens[skipLines(end)] === '%'
    // The version and the configuration have the same sign before them.
    while (tokens[skipLines(end)] === '%') {
      const next = skipLines(skipLines(end) + 1)
      end = readOperand(next)?.end ?? next
    }
    if (hasVersion || behind - signs > 1) {
      const module = `${organization.text ?? computedPart}:${name.text ?? computedPart}`
      if (module.includes(computedPart)) yield null
      else if (/^[\w.-]+:[\w.-]+$/.test(module)) yield module
    }
    at = end - 1
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
    let last = start
    while (tokens[last + 1] === '.' && /^\w/.test(tokens[last + 2] ?? '')) last += 2
    return { text: values.get(tokens[last] ?? '') ?? null, end: last + 1 }
  }

  function skipLines(start: number): number {
    let at = start
    while (tokens[at] === '\n') at++
    return at
  }

  /** The last token of a call's arguments, or of what a setting is set to. */
  function skipSetting(start: number): number {
    if (tokens[start] === '(') return closes.get(start) ?? start
    let at = start
    while (/^[+\-:=]$/.test(tokens[at] ?? '')) at++
    return at === start ? start - 1 : findValueEnd(program, skipLines(at)) - 1
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
