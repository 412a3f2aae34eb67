/**
 * The gems in a `Gemfile`: every `gem 'name'` that stands there as such, in whatever block.
 *
 * No Ruby is evaluated. A name that is computed, and what `gemspec` or `eval_gemfile` would bring in from
 * other files, is not seen.
 *
 * @throws {Error} when it is not text, or holds the marks of an unfinished merge
 */
export function* parseGemfile(content: string): Generator<string> {
  if (content.includes('\0')) throw new Error('not text: it holds a NUL')
  const conflict = content.split('\n').findIndex((line) => /^(?:<{7}|>{7})(?:\s|$)/.test(line))
  if (conflict !== -1) throw new Error(`line ${conflict + 1} is the mark of an unfinished merge`)
  const [program = ''] = content.split(/^__END__\r?$/m, 1)
  // Comments and other strings are matched to be passed over, so that what looks like a call in them is not
  // taken for one. One that is not closed ends with its line (a comment with the file), so that a stray
  // apostrophe costs one line, and the search stays linear.
  const tokens =
    /^=begin\b[\s\S]*?(?:^=end\b|(?![\s\S]))|#.*|(?<![\w.:@$])gem(?:[ \t]*\(\s*|[ \t]*)(?:'([^'\n]*)'|"([^"\n]*)")|'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?/gm
  for (const [, single, double] of program.matchAll(tokens)) {
    const name = single ?? double
    if (name !== undefined && /^[A-Za-z0-9._-]+$/.test(name)) yield name
  }
}
