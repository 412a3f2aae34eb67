/**
 * What a Ruby manifest may pass over: comments, ERB tags with the rest of their line, and other strings, so that what
 * looks like a call in them is not taken for one. What is not closed ends with its line (a comment with the file), so
 * that a stray apostrophe costs one line, and the search stays linear.
 */
const comments = /^=begin\b[\s\S]*?(?:^=end\b|(?![\s\S]))|#.*|<%.*/.source
const strings = /'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?/.source
/** A literal; or the beginning of something that only Ruby itself could evaluate. */
const argument =
  /(?:[ \t]*\(\s*|[ \t]+|(?=['"]))(?:'([^'\n]*)'|"([^"\n]*)"|%q?[<({[]([\w.-]+)[>)}\]]|(?=["\w@$:*%]))/.source

/**
 * The names of gems that stand as the first argument of a call, in whatever block; null for one that is computed.
 * No Ruby is evaluated.
 *
 * @param call the pattern of what is called, without groups
 * @throws {Error} when it is not text, or holds the marks of an unfinished merge
 */
export function* readGemCalls(content: string, call: RegExp): Generator<string | null> {
  if (content.includes('\0')) throw new Error('not text: it holds a NUL')
  refuseConflict(content)
  const [program = ''] = content.split(/^__END__\r?$/m, 1)
  const tokens = new RegExp(`${comments}|(${call.source})${argument}|${strings}`, 'gm')
  for (const [, called, single, double, percent] of program.matchAll(tokens)) {
    if (called === undefined) continue
    const name = single ?? double ?? percent
    if (name === undefined || double?.includes('#{')) yield null
    else if (/^[A-Za-z0-9._-]+$/.test(name)) yield name
  }
}

/** Throws when a program holds the marks of an unfinished merge. */
export function refuseConflict(content: string): void {
  const conflict = content.split('\n').findIndex((line) => /^(?:<{7}|>{7})(?:\s|$)/.test(line))
  if (conflict !== -1) throw new Error(`line ${conflict + 1} is the mark of an unfinished merge`)
}
