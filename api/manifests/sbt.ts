/** `build.sbt`, and the `Dependencies.scala` of such a build. No Scala is run. */
import { computedPart, languages, readString, scanProgram } from './program.ts'

/** What has modules of the build itself, or versions of others. */
const otherModules =
  /^(?:addCompilerPlugin|addSbtPlugin|compilerPlugin|dependencyOverrides|excludeDependencies)$/

/**
 * The modules in a build of sbt, as `organization:name`: every `"organization" %% "name" % version`. The suffix that `%%` and `%%%`
 * add to the name, `_2.13`, isn't written, so it doesn't count. Names may be values of the same file; null for computed ones. Plugins
 * of the build and of the compiler, and overrides, are left out.
 *
 * @throws never
 */
export function* parseSbtBuild(content: string): Generator<string | null> {
  const { tokens, closes } = scanProgram(content, languages.scala)
  const values = new Map(
    tokens.flatMap((token, at): [string, string][] => {
      const value = token === 'val' && tokens[at + 2] === '=' ? readString(tokens[at + 3]) : undefined
      return value === undefined ? [] : [[tokens[at + 1] ?? '', value]]
    }),
  )
  for (let at = 0; at < tokens.length; at++) {
    if (otherModules.test(tokens[at] ?? '')) at = skipModules(at + 1)
    if (tokens[at] !== '%') continue
    const artifact = skip(at, /^(?:%|\n)$/)
    const version = skip(artifact + 1, /^\n$/)
    if (tokens[version] === '%') {
      const [organization, name] = [skipBack(at - 1), artifact].map(readValue)
      if (organization === undefined || name === undefined) yield null
      else if (`${organization}:${name}`.includes(computedPart)) yield null
      else if (/^[\w.-]+$/.test(organization) && /^[\w.-]+$/.test(name)) yield `${organization}:${name}`
    }
    // The version and the configuration have the same sign before them.
    at = artifact
    for (let sign = version; tokens[sign] === '%'; sign = skip(at + 1, /^\n$/))
      at = skipName(skip(sign, /^(?:%|\n)$/))
  }

  function readValue(at: number): string | undefined {
    return readString(tokens[at]) ?? values.get(tokens[at] ?? '')
  }

  function skip(start: number, signs: RegExp): number {
    let at = start
    while (signs.test(tokens[at] ?? '')) at++
    return at
  }

  function skipBack(start: number): number {
    let at = start
    while (tokens[at] === '\n') at--
    return at
  }

  /** The last token of `Versions.cats`. */
  function skipName(start: number): number {
    let at = start
    while (tokens[at + 1] === '.') at += 2
    return at
  }

  /** Behind `+= module` and `(module)`, the last token of the module or of the list. */
  function skipModules(start: number): number {
    let at = skip(start, /^[+=]$/)
    if (/^\w/.test(tokens[at] ?? '') && tokens[at + 1] === '(') at++
    const close = closes.get(at)
    if (close !== undefined) return close
    while (at < tokens.length && tokens[at] !== '\n') at++
    return at
  }
}
