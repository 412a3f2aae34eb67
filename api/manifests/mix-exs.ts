/** `mix.exs`. No Elixir is run. */
import { languages, type Program, scanProgram, splitArguments } from './program.ts'

/** Names of functions whose tuples are dependencies. */
const listing = /dep(?:s|endenc|$)/

/**
 * The packages in a `mix.exs`: tuples such as `{:phoenix, "~> 1.7"}` in `deps: […]`, and in functions such as `deps`. `hex: :name` is
 * the name of the package. Those with `path` or `in_umbrella` are of the same repository, so they are left out.
 *
 * @throws never
 */
export function* parseMixExs(content: string): Generator<string> {
  const program = scanProgram(content, languages.elixir)
  const { tokens, closes } = program
  let isListing = false
  let listEnd = 0
  for (const [at, token] of tokens.entries()) {
    if (token === 'def' || token === 'defp') isListing = listing.test(tokens[at + 1] ?? '')
    if (token === 'deps' && tokens[at + 1] === ':' && tokens[at + 2] === '[')
      listEnd = closes.get(at + 2) ?? 0
    if (token !== '{' || tokens[at + 1] !== ':' || !(isListing || at < listEnd)) continue
    const name = readPackage(program, at + 2, closes.get(at) ?? at)
    if (name !== undefined) yield name
  }
}

function readPackage(program: Program, start: number, end: number): string | undefined {
  const { tokens } = program
  const [, ...options] = splitArguments(program, start, end)
  const keys = new Map(
    options.map(([from, to]) => [tokens[from + 1] === ':' ? tokens[from] : '', tokens[to - 1]] as const),
  )
  if (options.length === 0 || keys.has('path') || keys.has('in_umbrella')) return undefined
  return (keys.get('hex') ?? tokens[start])?.replace(/^"/, '')
}
