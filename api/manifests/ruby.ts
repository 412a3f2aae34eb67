/** `Gemfile`, `*.gemspec`, `Podfile` and `*.podspec`. No Ruby is evaluated. */
import type { ManifestFormat } from './manifest-format.ts'

export const gemfile: ManifestFormat = {
  files: ['Gemfile', 'gems.rb', '*.gemfile'],
  isLenient: true,
  parse: parseGemfile,
}

export const gemspec: ManifestFormat = { files: ['*.gemspec'], isLenient: true, parse: parseGemspec }
export const podfile: ManifestFormat = { files: ['Podfile'], isLenient: true, parse: parsePodfile }
export const podspec: ManifestFormat = { files: ['*.podspec'], isLenient: true, parse: parsePodspec }

/**
 * The gems in a `Gemfile`: every `gem 'name'`, in any block; null for a computed name. A gem with a `path`, or in a
 * block of one, is of the same repository, so it is left out. `eval_gemfile` is not followed. A `*.gemspec` is a
 * manifest of its own.
 *
 * @throws {Error} when it is not text
 */
function parseGemfile(content: string): Generator<string | null> {
  return readGemCalls(content, /(?<![\w.:@$|])gem\b/, [pathBlock, pathOption])
}

/**
 * The gems in a `*.gemspec`, including those for development; null for a computed name.
 *
 * @throws {Error} when it is not text
 */
function parseGemspec(content: string): Generator<string | null> {
  return readGemCalls(content, /\.add_(?:runtime_|development_)?dependency\b/, [])
}

/**
 * The pods in a `Podfile`, without subspecs (`Firebase` for `Firebase/Analytics`); null for a computed name. A pod with
 * a `path` is of the same repository, so it is left out.
 *
 * @throws {Error} when it is not text
 */
function* parsePodfile(content: string): Generator<string | null> {
  if (addingMethods.test(content)) yield null
  yield* readGemCalls(content, /(?<![\w.:@$|])pod\b/, [pathOption], podName)
}

/**
 * The pods that a `*.podspec` depends on; null for a computed name. A pod may depend on a subspec of its own, which
 * doesn't count.
 *
 * @throws {Error} when it is not text
 */
function* parsePodspec(content: string): Generator<string | null> {
  const [, own] = /\.name\s*=\s*['"]([\w.+-]+)['"]/.exec(content) ?? []
  if (addingMethods.test(content)) yield null
  for (const name of readGemCalls(content, /\.dependency\b/, [], podName)) if (name !== own) yield name
}

/**
 * Calls that add the pods of React Native, Expo and Flutter. A line ends where `^` says so, so that the search stays
 * linear.
 */
const addingMethods =
  /^[^#\r\n\u2028\u2029]*\b(?:flutter_install_all_ios_pods|install_modules_dependencies|use_(?:expo_modules|native_modules|react_native)\b)/m

/** How gems and pods may be named. The group is what counts. */
const gemName = /^([A-Za-z0-9._-]+)$/
const podName = /^([\w.+-]+)(?:\/[\w.+/-]*)?$/

/**
 * Text that is skipped, so that a call in it doesn't count: comments, ERB tags with the rest of their line, and
 * strings. An unclosed string ends with its line, and an unclosed comment with the file, so that the search stays
 * linear.
 */
const comments = /(?<comment>^=begin\b[\s\S]*?(?:^=end\b|(?![\s\S]))|#.*|<%.*)/.source
const strings = /'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?/.source
/** A literal, or the beginning of an expression. */
const argument =
  /(?:[ \t]*\(\s*|[ \t]+|(?=['"]))(?:'(?<single>[^'\n]*)'|"(?<double>[^"\n]*)"|%q?[<({[](?<percent>[\w.-]+)[>)}\]]|(?=["\w@$:*%]))/
    .source
/** What follows a literal that is only a part of the name: `'a-' + b`, `'a-%s' % b`. */
const operator = /[ \t]*[+%]/y
/** `<<~TEXT`. After a name or a bracket, the sign appends: `list<<ITEM`. */
const heredoc =
  /(?<heredoc>(?<![\w)\]}"'])<<(?<indent>[~-]?)(?:(?<quote>["'`])(?<quoted>[^"'`\n]+)\k<quote>|(?<bare>[A-Za-z_]\w*)))/
    .source
/** The option of a gem, and a block of gems. A block in one line has no group, so its gems are skipped. */
const pathOption = /(?<option>(?<![\w.:@$])(?:path:(?!:)|:path[ \t]*=>|(?:'path'|"path")(?::(?!:)|[ \t]*=>)))/
  .source
const pathBlock =
  /^[ \t]*path\b(?![ \t]*(?::(?!:)|=))[^{\n\r\u2028\u2029]*\{.*\}[ \t]*(?:#.*)?$|^(?<block>[ \t]*)path\b(?![ \t]*(?::(?!:)|=))(?=.*(?<open>\bdo|\{)[ \t]*(?:\|[^|\n]*\|[ \t]*)?(?:#.*)?$)/
    .source

/**
 * The names of gems in the first arguments of calls of a method, in any block. The method's pattern has no groups.
 * `local` are the patterns of what makes a gem one of the same repository.
 */
function* readGemCalls(
  content: string,
  method: RegExp,
  local: readonly string[],
  names = gemName,
): Generator<string | null> {
  if (content.includes('\0')) throw new Error('not text: it contains a NUL')
  const [program = ''] = content.split(/^__END__\r?$/m, 1)
  const lines = new Lines(program)
  const call = `(?<call>${method.source})${argument}`
  const tokens = new RegExp([comments, heredoc, ...local, call, strings, '(?<end>\\n)'].join('|'), 'gm')
  /** The texts that begin with the next line. */
  let heredocs: { ending: string; isIndented: boolean }[] = []
  /** The gem whose call may go on, with options. */
  let gem: string | undefined
  let localUntil = 0
  let lineStart = 0
  let codeEnd: number | undefined // of a line with a comment
  for (let match = tokens.exec(program); match !== null; match = tokens.exec(program)) {
    const { comment, call, single, double, percent, quoted, bare, indent, option, block, open, end } =
      match.groups ?? {}
    if (comment !== undefined) codeEnd ??= match.index
    else if (quoted !== undefined || bare !== undefined)
      heredocs.push({ ending: quoted ?? bare ?? '', isIndented: indent !== '' })
    else if (block !== undefined) {
      const line = lines.find(block + (open === '{' ? '}' : 'end'), tokens.lastIndex)
      localUntil = Math.max(localUntil, line?.start ?? 0)
    } else if (option !== undefined) gem = undefined
    else if (call !== undefined) {
      if (gem !== undefined) yield gem
      gem = undefined
      const name = single ?? double ?? percent
      operator.lastIndex = tokens.lastIndex
      if (name === undefined || double?.includes('#{') || operator.test(program)) yield null
      else if (match.index >= localUntil) gem = names.exec(name)?.[1]
    } else if (end !== undefined) {
      // A call goes on behind a comma or an open bracket.
      const code = program.slice(lineStart, codeEnd ?? match.index).trimEnd()
      if (gem !== undefined && code !== '' && !/[,({[\\]$|=>$/.test(code)) {
        yield gem
        gem = undefined
      }
      for (const { ending, isIndented } of heredocs) {
        const line = lines.find(ending, tokens.lastIndex, isIndented)
        if (line !== undefined) tokens.lastIndex = line.end
      }
      heredocs = []
      lineStart = tokens.lastIndex
      codeEnd = undefined
    }
  }
  if (gem !== undefined) yield gem
}

interface Line {
  start: number
  /** Exclusive, without the line's end. */
  end: number
}

/** Finds lines by their text, in logarithmic time. */
class Lines {
  readonly #text: string
  /** The starts of lines by their text, without white space before it or with it. */
  readonly #starts = new Map<boolean, Map<string, number[]>>()

  constructor(text: string) {
    this.#text = text
  }

  /** Finds the first line from a position on that is a text, or, if it may be indented, a text after white space. */
  find(text: string, from: number, isIndented = false): Line | undefined {
    const starts = this.#index(isIndented).get(text) ?? []
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((starts[middle] ?? from) < from) low = middle + 1
      else high = middle
    }
    const start = starts[low]
    if (start === undefined) return undefined
    const end = this.#text.indexOf('\n', start)
    return { start, end: end === -1 ? this.#text.length : end }
  }

  #index(isIndented: boolean): Map<string, number[]> {
    const known = this.#starts.get(isIndented)
    if (known !== undefined) return known
    const index = new Map<string, number[]>()
    this.#starts.set(isIndented, index)
    let start = 0
    for (const line of this.#text.split('\n')) {
      const text = line.replace(/\r$/, '')
      const key = isIndented ? text.trimStart() : text
      const starts = index.get(key)
      if (starts === undefined) index.set(key, [start])
      else starts.push(start)
      start += line.length + 1
    }
    return index
  }
}
