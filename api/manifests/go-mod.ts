import type { ManifestFormat, OwnPackage } from './manifest-format.ts'

export const goMod: ManifestFormat = { files: ['go.mod'], parse: parseGoMod }

/** A longer path isn't that of a tool, so that looking for its module takes linear time. */
const maxToolLength = 255

/**
 * The modules that a `go.mod` requires, in both forms: `require path version` and the block in parentheses.
 *
 * Modules marked `// indirect` are skipped, unless they contain what a `tool` directive names: the others are, since Go
 * 1.17, dependencies of dependencies. Modules that a `replace` reads from a folder are skipped. `module` names its own,
 * by a path that no other module has. Other directives are skipped too, so that new ones do no harm.
 *
 * @throws {Error} when a line is not a directive, a requirement is not a module and its version, or a block is not
 * closed
 */
function* parseGoMod(content: string): Generator<string | OwnPackage> {
  const required: Module[] = []
  /** All, also those that are marked. */
  const modules = new Map<string, Module>()
  const tools: string[] = []
  let own = ''
  /** By a module's path, or its path and version: whether it is read from a folder. */
  const replaced = new Map<string, boolean>()
  for (const { directive, code, comment, line } of readStatements(content)) {
    if (directive === 'replace') addReplacement(replaced, code)
    if (directive === 'module') {
      own = splitWords(code)[0] ?? ''
      yield { own, isUnique: true }
    }
    if (directive === 'tool') tools.push(splitWords(code)[0] ?? '')
    if (directive !== 'require') continue
    const module = readRequirement(code, line)
    modules.set(module.path, module)
    // As the go command does: the word alone, or before a semicolon and a reason.
    if (!/^\/\/\s*indirect(?:\s*$|;\s+\S)/.test(comment)) required.push(module)
  }
  for (const { path, version } of [...required, ...findModules(tools, modules, own)]) {
    const isLocal = replaced.get(`${path} ${version}`) ?? replaced.get(path) ?? false
    if (!isLocal) yield path
  }
}

interface Module {
  path: string
  version: string
}

/** The modules of tools: for each, the one with the longest path that the tool's begins with. That may be `own`. */
function* findModules(
  tools: readonly string[],
  modules: ReadonlyMap<string, Module>,
  own: string,
): Generator<Module> {
  for (const tool of tools) {
    if (tool.length > maxToolLength) continue
    for (
      let path = tool;
      path !== '' && path !== own;
      path = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    ) {
      const module = modules.get(path)
      if (module === undefined) continue
      yield module
      break
    }
  }
}

interface Statement {
  directive: string
  /** What follows the directive. */
  code: string
  comment: string
  /** The number of its line, from 1. */
  line: number
}

function* readStatements(content: string): Generator<Statement> {
  let block: string | undefined
  for (const [index, text] of content.split('\n').entries()) {
    const { code, comment } = splitComment(text)
    if (code === '') continue
    const line = index + 1
    if (block !== undefined) {
      if (code === ')') block = undefined
      else yield { directive: block, code, comment, line }
      continue
    }
    const [directive] = /^[a-z]+(?=[\s(])/.exec(code) ?? []
    if (directive === undefined) throw new Error(`line ${line} is not a go.mod directive`)
    const rest = code.slice(directive.length).trim()
    if (rest === '(') block = directive
    else if (!/^\(\s*\)$/.test(rest)) yield { directive, code: rest, comment, line }
  }
  if (block !== undefined) throw new Error(`the block "${block} (" is not closed`)
}

function splitComment(line: string): { code: string; comment: string } {
  const start = line.indexOf('//')
  if (start === -1) return { code: line.trim(), comment: '' }
  return { code: line.slice(0, start).trim(), comment: line.slice(start) }
}

function readRequirement(code: string, line: number): Module {
  const [path, version, ...more] = splitWords(code)
  // A parenthesis is a word of its own, wherever it stands.
  if (path === undefined || version === undefined || more.length > 0 || /[()]/.test(code)) {
    throw new Error(`line ${line} does not require a module at a version`)
  }
  return { path, version }
}

/** Adds `path => folder`, `path version => folder`, or the same with another module. */
function addReplacement(replaced: Map<string, boolean>, code: string): void {
  const words = splitWords(code)
  const arrow = words.indexOf('=>')
  if (arrow > 0) replaced.set(words.slice(0, arrow).join(' '), isFolder(words[arrow + 1] ?? ''))
}

/** As the go command tells folders from modules, whatever the system that the file was written on. */
function isFolder(path: string): boolean {
  return /^(?:\.{0,2}[\\/]|[a-z]:|\.{1,2}$)/i.test(path)
}

function splitWords(code: string): string[] {
  return code.split(/\s+/).map((word) => word.replace(/^(["`])(.*)\1$/, '$2'))
}
