/** `Package.swift`. No Swift is run. */
import { computedPart, languages, readString, scanProgram, splitArguments } from './program.ts'

/** `https://host/owner/name.git`, `git@host:owner/name`. */
const packageUrl = /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^/:]+)(?::\d+)?[/:]+(.+?)(?:\.git)?\/*$/i

/**
 * The packages in a `Package.swift`: `github.com/apple/swift-nio` for a URL, and the identity, `mona.LinkedList`, for one of a
 * registry; null for a computed one. Packages in a folder are left out.
 *
 * @throws never
 */
export function* parsePackageSwift(content: string): Generator<string | null> {
  const program = scanProgram(content, languages.swift)
  const { tokens, closes } = program
  for (const [at, token] of tokens.entries()) {
    if (token !== 'package' || tokens[at - 1] !== '.' || tokens[at + 1] !== '(') continue
    const named = new Map<string, string | undefined>()
    for (const [start] of splitArguments(program, at + 2, closes.get(at + 1) ?? tokens.length)) {
      if (tokens[start + 1] === ':') named.set(tokens[start] ?? '', readString(tokens[start + 2]))
    }
    if (named.has('path')) continue
    const text = named.get('url') ?? named.get('id') ?? computedPart
    if (text.includes(computedPart)) yield null
    else if (!named.has('url')) yield text
    else {
      const [, host, path] = packageUrl.exec(text) ?? []
      if (host !== undefined && path !== undefined) yield `${host}/${path}`
    }
  }
}
