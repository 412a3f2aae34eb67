/** `Package.swift`. No Swift is run. */

import type { ManifestFormat } from './manifest-format.ts'
import { computedPart, languages, readString, scanProgram, splitArguments } from './program.ts'

export const packageSwift: ManifestFormat = {
  files: ['Package.swift'],
  paths: [[/(?:^|\/)Package@swift-[\d.]+\.swift$/, 'Package.swift']],
  isLenient: true,
  // URLs of packages are read without a port.
  nameRepository: (url) => url.replace(/:\d+(?=\/)/, ''),
  parse: parsePackageSwift,
}

/** `https://host/owner/name`, `git@host:owner/name`. Each character can match in one way. */
const packageUrl =
  /^(?:(?:https?|git|ssh):\/\/(?:[^@/\s]*@)?(?:www\.)?([\w.-]+)(?::\d+)?\/|[^@/:\s]+@([\w.-]+):\/?)([^/\s?#]+(?:\/[^/\s?#]+)*)\/*$/i

/**
 * The packages in a `Package.swift`: `github.com/apple/swift-nio` for a URL, and the identity, `mona.LinkedList`, for
 * one of a registry; null for a computed one. Packages in a folder are left out.
 *
 * @throws never
 */
function* parsePackageSwift(content: string): Generator<string | null> {
  const program = scanProgram(content, languages.swift)
  const { tokens, closes } = program
  for (const [at, token] of tokens.entries()) {
    if (!/^[pP]ackage$/.test(token) || tokens[at - 1] !== '.' || tokens[at + 1] !== '(') continue
    const named = new Map<string, string>()
    for (const [start, end] of splitArguments(program, at + 2, closes.get(at + 1) ?? tokens.length)) {
      const text = end === start + 3 ? readString(tokens[start + 2]) : undefined
      if (tokens[start + 1] === ':') named.set(tokens[start] ?? '', text ?? computedPart)
    }
    const [url, id] = [named.get('url'), named.get('id')]
    if (named.has('path')) continue
    if (url === undefined) yield id === undefined || id.includes(computedPart) ? null : id
    else yield* readUrl(url)
  }
}

function* readUrl(url: string): Generator<string | null> {
  if (url.includes(computedPart)) return yield null
  const [, host = '', otherHost = host, path] = packageUrl.exec(url) ?? []
  if (path !== undefined) yield `${otherHost.toLowerCase()}/${path.replace(/\.git$/i, '')}`
}
