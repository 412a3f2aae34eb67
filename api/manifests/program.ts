/** Splits manifests that are programs into tokens, without running them. */

/** A program in tokens. */
export interface Program {
  /**
   * Names and numbers as they are, strings with a leading `"`, each sign, and one `\n` where a statement may end: not
   * within parentheses and brackets, unless a semicolon says so.
   */
  tokens: string[]
  /** The index of the closing bracket, by that of the opening one. Without one, it is the end of the program. */
  closes: ReadonlyMap<number, number>
}

/** Where a string has an expression: only running the program would show its value. */
export const computedPart = '\0'

/** How a language writes what isn't code. */
export interface Language {
  /**
   * Matches a token. The group `blank` is what doesn't count. `long` and `double` are the texts of strings that may
   * have expressions, `block` and `single` those of others.
   */
  token: RegExp
  /** Expressions in strings. */
  expression: RegExp
}

/** Outside of strings, an escaped slash is part of a pattern: `/.*\/*Spec/` in Groovy. It begins no comment. */
const lineComment = /(?<!\\)\/\/.*/.source
const blockComment = /(?<!\\)\/\*[\s\S]*?(?:\*\/|(?![\s\S]))/.source
/** The beginning of a block comment in which others nest. No pattern finds its end. */
const nestingComment = /(?<!\\)\/\*/.source
/**
 * An unclosed comment ends with the program, and an unclosed string with its line. At each position, one alternative
 * matches in one way, so that the search stays linear.
 */
const longStrings = /"""(?<long>[\s\S]*?)(?:"""|(?![\s\S]))/.source
const double = /"(?<double>(?:\$\{[^{}\n]*\}|\\.|[^"\\\n])*)"?/.source
const longSingle = /'''(?<block>[\s\S]*?)(?:'''|(?![\s\S]))/.source
const single = /'(?<single>(?:\\.|[^'\\\n])*)'?/.source
const character = /'(?:\\.|[^'\\\n])'/.source
const word = /(?:[\p{L}\p{N}_]|\$(?!\{))+/u.source

function createLanguage(blanks: readonly string[], strings: readonly string[], expression: RegExp): Language {
  const blank = `(?<blank>[ \\t\\f\\r]+|${blanks.join('|')})`
  return { token: new RegExp([blank, ...strings, word, '[\\s\\S]'].join('|'), 'gu'), expression }
}

const dollars = /\$\{[^{}]*\}?|\$\w+(?:\.\w+)*/g

/** The languages of build files. */
export const languages = {
  groovy: createLanguage([lineComment, blockComment], [longStrings, longSingle, double, single], dollars),
  kotlinAndScala: createLanguage([lineComment, nestingComment], [longStrings, double, character], dollars),
  swift: createLanguage([lineComment, nestingComment], [longStrings, double], /\\\([^()]*\)?/g),
  elixir: createLanguage(['#.*'], [longStrings, double, single], /#\{[^{}]*\}?/g),
}

/**
 * Splits a program. A closing bracket without an opening one is a sign like others. A brace closes what is open in its
 * block.
 */
export function scanProgram(content: string, { token, expression }: Language): Program {
  const tokens: string[] = []
  const closes = new Map<number, number>()
  const open: { sign: string; at: number }[] = []
  let braces = 0
  const search = new RegExp(token)
  for (let match = search.exec(content); match !== null; match = search.exec(content)) {
    if (match[0] === '/*') search.lastIndex = findCommentEnd(content, match.index)
    const { blank, long, double = long, block, single = block } = match.groups ?? {}
    if (blank !== undefined || (match[0] === '\n' && '(['.includes(open.at(-1)?.sign ?? '{'))) continue
    const text = match[0] === ';' ? '\n' : match[0]
    if (text === '\n' && tokens.at(-1) === '\n') continue
    if ('([{'.includes(text)) open.push({ sign: text, at: tokens.length })
    if (text === '{') braces++
    if (text === '}' && braces > 0) {
      while (open.at(-1)?.sign !== '{') closes.set(open.pop()?.at ?? 0, tokens.length)
      braces--
    }
    const opener = brackets.get(text)
    if (opener !== undefined && open.at(-1)?.sign === opener) closes.set(open.pop()?.at ?? 0, tokens.length)
    if (double !== undefined) tokens.push(`"${double.replace(expression, computedPart)}`)
    else if (single !== undefined) tokens.push(`"${single}`)
    else tokens.push(text)
  }
  for (const { at } of open) closes.set(at, tokens.length)
  return { tokens, closes }
}

/** The end of a comment in which others may nest. Unclosed, it ends with the program. */
function findCommentEnd(content: string, start: number): number {
  const sign = /\/\*|\*\//g
  sign.lastIndex = start
  let depth = 0
  for (let match = sign.exec(content); match !== null; match = sign.exec(content)) {
    depth += match[0] === '/*' ? 1 : -1
    if (depth === 0) return sign.lastIndex
  }
  return content.length
}

const brackets = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
])

/** The text of a string. Undefined: the token isn't one. */
export function readString(token: string | undefined): string | undefined {
  return token?.startsWith('"') ? token.slice(1) : undefined
}

/** The end of a value: where its line ends, at a comma, or at the bracket that closes what it is in. */
export function findValueEnd({ tokens, closes }: Program, start: number): number {
  let at = start
  while (at < tokens.length && !/^[,\n)\]}]$/.test(tokens[at] ?? '')) at = (closes.get(at) ?? at) + 1
  return at
}

/** Yields the parts of a range that commas separate. */
export function* splitArguments(
  { tokens, closes }: Program,
  start: number,
  end: number,
): Generator<[start: number, end: number]> {
  let from = start
  for (let at = start; at < end; at = (closes.get(at) ?? at) + 1) {
    if (tokens[at] !== ',') continue
    yield [from, at]
    from = at + 1
  }
  if (from < end) yield [from, end]
}
