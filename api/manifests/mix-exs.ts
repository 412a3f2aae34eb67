/** `mix.exs`. No Elixir is run. */

import type { ManifestFormat } from './manifest-format.ts'
import { findValueEnd, languages, type Program, scanProgram, splitArguments } from './program.ts'

export const mixExs: ManifestFormat = { files: ['mix.exs'], isLenient: true, parse: parseMixExs }

/**
 * The packages in a `mix.exs`: tuples such as `{:phoenix, "~> 1.7"}` in the list of `deps`, and in the functions and
 * attributes that it names. `hex: :name` is the name of the package; null for what is computed. Those with `path` or
 * `in_umbrella` are of the same repository, so they are left out.
 *
 * @throws never
 */
function* parseMixExs(content: string): Generator<string | null> {
  const program = scanProgram(content, languages.elixir)
  const { tokens, closes } = program
  const bodies = findBodies(tokens)
  const ranges: Range[] = []
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at] !== 'deps' || tokens[at + 1] !== ':' || tokens[at - 1] === ':') continue
    const end = findValueEnd(program, at + 2)
    ranges.push([at + 2, end])
    const isKnown = tokens[at + 2] === '[' || tokens.slice(at + 2, end).some((name) => bodies.has(name))
    if (!isKnown) yield null
    at = end - 1
  }
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) yield* readRange(range)

  /** Reads the tuples in a range. What it names is read later, once. */
  function* readRange([start, end]: Range): Generator<string | null> {
    for (let at = start; at < end; at++) {
      const token = tokens[at] ?? ''
      if (token === '{') {
        const close = closes.get(at) ?? end
        // A pattern: `{:ok, name} -> …`, `{:ok, name} <- …`, `{:ok, name} = …`.
        const isPattern = /^(?:->|<-|=)/.test(tokens.slice(close + 1, close + 3).join(''))
        if (!isPattern) yield* readPackage(program, at + 1, close)
        at = close
      } else if (tokens[at + 1] !== ':' && (at === start || tokens[at - 1] !== ':')) {
        ranges.push(...(bodies.get(token) ?? []))
        bodies.delete(token)
      }
    }
  }
}

type Range = readonly [start: number, end: number]

/** Where the bodies of functions and the values of attributes are, by name. */
function findBodies(tokens: readonly string[]): Map<string, Range[]> {
  const bodies = new Map<string, Range[]>()
  let open: [start: number, end: number] | undefined
  for (const [at, token] of tokens.entries()) {
    const isDefinition = /^defp?$/.test(token) || (token === '@' && tokens[at - 1] === '\n')
    if (!isDefinition) continue
    if (open !== undefined) open[1] = at
    open = [at + 2, tokens.length]
    const name = tokens[at + 1] ?? ''
    const known = bodies.get(name)
    if (known === undefined) bodies.set(name, [open])
    else known.push(open)
  }
  return bodies
}

function* readPackage(program: Program, start: number, end: number): Generator<string | null> {
  const { tokens, closes } = program
  const [first, ...rest] = splitArguments(program, start, end)
  if (first === undefined || rest.length === 0) return
  // Options may be in brackets.
  const options = rest.flatMap(([from, to]) =>
    tokens[from] === '['
      ? [...splitArguments(program, from + 1, closes.get(from) ?? to)]
      : [[from, to] as const],
  )
  const keys = new Map(
    options.map(([from, to]) => [tokens[from + 1] === ':' ? tokens[from] : '', tokens[to - 1]] as const),
  )
  if (keys.has('path') || keys.has('in_umbrella')) return
  const [at] = first
  if (tokens[at] === ':') yield (keys.get('hex') ?? tokens[at + 1] ?? '').replace(/^"/, '')
  else if (/^[a-z_]/.test(tokens[at] ?? '')) yield null
}
