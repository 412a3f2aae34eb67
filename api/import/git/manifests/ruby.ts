/**
 * Text that is skipped, so that a call in it doesn't count: comments, ERB tags with the rest of their line, and strings. An
 * unclosed string ends with its line, and an unclosed comment with the file, so that the search stays linear.
 */
const comments = /^=begin\b[\s\S]*?(?:^=end\b|(?![\s\S]))|#.*|<%.*/.source
const strings = /'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?/.source
/** A literal, or the beginning of an expression. */
const argument =
  /(?:[ \t]*\(\s*|[ \t]+|(?=['"]))(?:'([^'\n]*)'|"([^"\n]*)"|%q?[<({[]([\w.-]+)[>)}\]]|(?=["\w@$:*%]))/.source

/**
 * The names of gems in the first arguments of calls, in any block; null for a computed name. No Ruby is evaluated.
 *
 * @param call pattern of the method, without groups
 * @throws {Error} when it is not text, or contains conflict markers
 */
export function* readGemCalls(content: string, call: RegExp): Generator<string | null> {
  if (content.includes('\0')) throw new Error('not text: it contains a NUL')
  assertNoConflict(content)
  const [program = ''] = content.split(/^__END__\r?$/m, 1)
  const tokens = new RegExp(`${comments}|(${call.source})${argument}|${strings}`, 'gm')
  for (const [, called, single, double, percent] of program.matchAll(tokens)) {
    if (called === undefined) continue
    const name = single ?? double ?? percent
    if (name === undefined || double?.includes('#{')) yield null
    else if (/^[A-Za-z0-9._-]+$/.test(name)) yield name
  }
}

/** Throws when a program contains conflict markers. */
export function assertNoConflict(content: string): void {
  const conflict = content.split('\n').findIndex((line) => /^(?:<{7}|>{7})(?:\s|$)/.test(line))
  if (conflict !== -1) throw new Error(`line ${conflict + 1} is a conflict marker of an unfinished merge`)
}
