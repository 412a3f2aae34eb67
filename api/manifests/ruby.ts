/** `Gemfile` and `*.gemspec`. No Ruby is evaluated. */

/**
 * The gems in a `Gemfile`: every `gem 'name'`, in any block; null for a computed name. `eval_gemfile` is not followed. A
 * `*.gemspec` is a manifest of its own.
 *
 * @throws {Error} when it is not text
 */
export function parseGemfile(content: string): Generator<string | null> {
  return readGemCalls(content, /(?<![\w.:@$|])gem\b/)
}

/**
 * The gems in a `*.gemspec`, including those for development; null for a computed name.
 *
 * @throws {Error} when it is not text
 */
export function parseGemspec(content: string): Generator<string | null> {
  return readGemCalls(content, /\.add_(?:runtime_|development_)?dependency\b/)
}

/**
 * Text that is skipped, so that a call in it doesn't count: comments, ERB tags with the rest of their line, and strings. An
 * unclosed string ends with its line, and an unclosed comment with the file, so that the search stays linear.
 */
const comments = /^=begin\b[\s\S]*?(?:^=end\b|(?![\s\S]))|#.*|<%.*/.source
const strings = /'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?/.source
/** A literal, or the beginning of an expression. */
const argument =
  /(?:[ \t]*\(\s*|[ \t]+|(?=['"]))(?:'([^'\n]*)'|"([^"\n]*)"|%q?[<({[]([\w.-]+)[>)}\]]|(?=["\w@$:*%]))/.source

/** The names of gems in the first arguments of calls of a method, in any block. The method's pattern has no groups. */
function* readGemCalls(content: string, method: RegExp): Generator<string | null> {
  if (content.includes('\0')) throw new Error('not text: it contains a NUL')
  const [program = ''] = content.split(/^__END__\r?$/m, 1)
  const tokens = new RegExp(`${comments}|(${method.source})${argument}|${strings}`, 'gm')
  for (const [, called, single, double, percent] of program.matchAll(tokens)) {
    if (called === undefined) continue
    const name = single ?? double ?? percent
    if (name === undefined || double?.includes('#{')) yield null
    else if (/^[A-Za-z0-9._-]+$/.test(name)) yield name
  }
}
