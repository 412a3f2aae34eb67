/**
 * The modules that a `go.mod` requires, in both forms: `require path version` and the block in parentheses.
 *
 * Modules marked `// indirect` are skipped: since Go 1.17 they are all dependencies of dependencies. Other directives are
 * skipped too, so that new ones do no harm.
 *
 * @throws {Error} when a line is not a directive, a requirement lacks its version, or a block is not closed
 */
export function* parseGoMod(content: string): Generator<string> {
  let block: string | undefined
  for (const [index, line] of content.split('\n').entries()) {
    const { code, comment } = splitComment(line)
    if (code === '') continue
    if (block !== undefined) {
      if (code === ')') block = undefined
      else if (block === 'require') yield* readRequirement(code, comment, index + 1)
      continue
    }
    const [directive] = /^[a-z]+(?=[\s(])/.exec(code) ?? []
    if (directive === undefined) throw new Error(`line ${index + 1} is not a go.mod directive`)
    const rest = code.slice(directive.length).trim()
    if (rest === '(') block = directive
    else if (directive === 'require' && !/^\(\s*\)$/.test(rest)) {
      yield* readRequirement(rest, comment, index + 1)
    }
  }
  if (block !== undefined) throw new Error(`the block "${block} (" is not closed`)
}

function splitComment(line: string): { code: string; comment: string } {
  const start = line.indexOf('//')
  if (start === -1) return { code: line.trim(), comment: '' }
  return { code: line.slice(0, start).trim(), comment: line.slice(start) }
}

function* readRequirement(code: string, comment: string, line: number): Generator<string> {
  const [path, version, ...more] = code.split(/\s+/)
  if (path === undefined || version === undefined || more.length > 0) {
    throw new Error(`line ${line} does not require a module at a version`)
  }
  // The go command accepts the word alone, or followed by a semicolon.
  if (!/^\/\/\s+indirect(?:;|\s*$)/.test(comment)) yield path.replace(/^(["`])(.*)\1$/, '$2')
}
