import { normalizePythonName, pythonSpelling } from '../names/dependency-names.ts'
import type { ManifestFormat } from './manifest-format.ts'
import { computedPart, type Program } from './program.ts'
import { readRequirementLines } from './python.ts'
import { scanPython } from './python-program.ts'

export const setupPy: ManifestFormat = {
  files: ['setup.py'],
  spelling: pythonSpelling,
  isLenient: true,
  parse: parseSetupPy,
}

/** The arguments of `setup()` that declare dependencies. Those of the build don't count. */
const declaringArguments = new Set(['install_requires', 'extras_require', 'tests_require'])

/** Methods that add to a list or a dictionary. */
const addingMethods = new Set(['append', 'extend', 'insert', 'update'])

/** Brackets may be nested this deep; no list of requirements comes near it. */
const maxDepth = 100

/** Whether a token is a string. */
const isString = (token: string | undefined) => /^["?]/.test(token ?? '')

/** Indices of tokens; `end` is exclusive. */
type Range = readonly [start: number, end: number]

/**
 * The packages in a `setup.py` that are literals: in lists, tuples, dictionaries and strings, in additions to them, and
 * in variables. Yields null for dependencies that are computed, such as a function's result, but not if only the version
 * is. A project that lists itself to reuse its extras (`name[all]`) does not depend on itself. No Python is run.
 *
 * @throws {Error} when it is not Python, or an entry is not a PEP 508 requirement
 */
function* parseSetupPy(content: string): Generator<string | null> {
  const program = scanPython(content)
  const { isSetup, calls } = findSetupCalls(program)
  if (isSetup && calls.length === 0) yield null
  const variables = findVariables(program)
  const self = findOwnName(program, calls, variables)
  for (const name of readRequirements(program, calls, variables)) if (name !== self) yield name
}

/** The arguments of each call of `setup()`, from wherever the file imports it. */
function findSetupCalls({ tokens, closes }: Program): { isSetup: boolean; calls: Range[] } {
  const { functions, modules } = findImports(tokens)
  const isSetuptools = tokens.includes('setuptools') || tokens.includes('distutils')
  const calls = tokens.flatMap((token, index): Range[] => {
    if (tokens[index + 1] !== '(' || tokens[index - 1] === 'def') return []
    const isImported =
      tokens[index - 1] === '.'
        ? token === 'setup' && modules.has(tokens[index - 2] ?? '')
        : functions.has(token)
    const isCall = isImported || (isSetuptools && token === 'setup')
    return isCall ? [[index + 2, closes.get(index + 1) ?? index + 2]] : []
  })
  return { isSetup: isSetuptools || functions.size > 0, calls }
}

/** The names under which a file imports `setup`, and all words of its imports of modules. */
function findImports(tokens: readonly string[]): { functions: Set<string>; modules: Set<string> } {
  const functions = new Set<string>()
  const modules = new Set<string>()
  let isFrom = false
  let isImport = false
  for (const [index, token] of tokens.entries()) {
    if (token === '\n') isFrom = isImport = false
    else if (token === 'from') isFrom = true
    else if (token === 'import') isImport = true
    else if (isImport && !isFrom) modules.add(token)
    else if (isImport && token === 'setup')
      functions.add(tokens[index + 1] === 'as' ? (tokens[index + 2] ?? '') : 'setup')
  }
  return { functions, modules }
}

/** The project's name, if a call has it as a string or a variable of one. */
function findOwnName(
  { tokens, closes }: Program,
  calls: readonly Range[],
  variables: ReadonlyMap<string, readonly Range[]>,
): string | undefined {
  for (const [start, end] of calls) {
    for (let at = start; at < end; at = (closes.get(at) ?? at) + 1) {
      if (tokens[at] !== 'name' || tokens[at + 1] !== '=') continue
      const [first] = variables.get(tokens[at + 2] ?? '') ?? [[at + 2]]
      const value = tokens[first?.[0] ?? end] ?? ''
      return value.startsWith('"') ? normalizePythonName(value.slice(1)) : undefined
    }
  }
  return undefined
}

function* readRequirements(
  program: Program,
  calls: readonly Range[],
  variables: ReadonlyMap<string, readonly Range[]>,
): Generator<string | null> {
  const { tokens, closes } = program
  const read = new Set<string>() // variables whose requirements were read
  let isComputed = false

  function* readValue([start, end]: Range, depth = 0): Generator<string> {
    if (depth > maxDepth) throw new Error('brackets are nested too deeply')
    for (let at = start; at < end; at++) {
      const token = tokens[at] ?? ''
      const close = closes.get(at)
      if (token === ',' || token === '+' || token === 'else' || token === 'None' || /^\d/.test(token))
        continue
      // `*list` and `**dictionary`
      if (token === '*' && (at === start || tokens[at - 1] === ',' || tokens[at - 1] === '*')) continue
      if (isString(token)) {
        const first = at
        while (isString(tokens[at + 1])) at++
        const strings = tokens.slice(first, at + 1)
        const next = tokens[at + 1] ?? ''
        if (next === ':')
          at++ // a dictionary's key
        else if (tokens[first - 1] === '+') at = skipComputed(at + 1, end)
        else if (['+', '%', '.'].includes(next) || strings.some((each) => each.startsWith('?'))) {
          const { name, last } = readComputedText(program, strings, at + 1, end)
          if (name === undefined) isComputed = true
          else yield name
          at = last
        } else yield* readRequirementLines(strings.map((each) => each.slice(1)).join(''), '"setup.py"')
      } else if (close !== undefined) {
        if (isComprehension(program, at, close)) isComputed = true
        else yield* readValue([at + 1, close], depth + 1)
        at = close
      } else if (token === 'if') {
        // Both sides of a conditional value count; the condition doesn't.
        while (at + 1 < end && tokens[at + 1] !== 'else') at = closes.get(at + 1) ?? at + 1
      } else if (tokens[at + 1] === ':') {
        at++ // a dictionary's key
      } else {
        const ranges = isWhole(at) ? variables.get(token) : undefined
        if (ranges === undefined) {
          at = skipComputed(at + 1, end)
        } else if (!read.has(token)) {
          read.add(token)
          for (const range of ranges) yield* readValue(range, depth + 1)
        }
      }
    }
  }

  /** Whether a name is used as it is: not called, indexed or concatenated. */
  function isWhole(at: number): boolean {
    const next = tokens[at + 1] ?? ''
    return !['(', '.', '[', '%'].includes(next) && !(next === '+' && tokens[at + 2]?.startsWith('"'))
  }

  /** Skips the rest of a computed value, up to the comma after it. */
  function skipComputed(from: number, end: number): number {
    isComputed = true
    let at = from
    while (at < end && tokens[at] !== ',') at = (closes.get(at) ?? at) + 1
    return at - 1
  }

  for (const [start, end] of calls) {
    for (let at = start; at < end; at = (closes.get(at) ?? at) + 1) {
      if (tokens[at] === '*') isComputed = true // **options
      if (!declaringArguments.has(tokens[at] ?? '') || tokens[at + 1] !== '=') continue
      let last = at + 2
      while (last < end && tokens[last] !== ',') last = (closes.get(last) ?? last) + 1
      yield* readValue([at + 2, last])
      at = last - 1
    }
  }
  if (isComputed) yield null
}

/**
 * Reads strings and what is computed after them, up to the comma or the condition. Of `"name>=%s" % version`, the name
 * is known.
 */
function readComputedText(
  { tokens, closes }: Program,
  strings: readonly string[],
  from: number,
  end: number,
): { name: string | undefined; last: number } {
  let at = from
  while (at < end && !/^(?:,|if|else)$/.test(tokens[at] ?? '')) at = (closes.get(at) ?? at) + 1
  const last = at - 1
  const hasLines = [...strings, ...tokens.slice(from, at)].some((each) => each.includes('\n'))
  const afterCall = tokens[(closes.get(from + 2) ?? from) + 1]
  const isFormatted = tokens[from] !== '.' || (tokens[from + 1] === 'format' && afterCall !== '.')
  if (hasLines || !isFormatted) return { name: undefined, last }
  const text = strings
    .map((each) => (each.startsWith('?') ? each.replace(/\{[\s\S]*/, computedPart) : each).slice(1))
    .join('')
  const [, name] = /^\s*([a-z\d](?:[\w.-]*[a-z\d])?)\s*(?:\[[^\]\0]*\]\s*)?[=<>!~]/i.exec(text) ?? []
  return { name: name && normalizePythonName(name), last }
}

function isComprehension({ tokens, closes }: Program, open: number, close: number): boolean {
  for (let at = open + 1; at < close; at = (closes.get(at) ?? at) + 1) {
    if (tokens[at] === 'for') return true
  }
  return false
}

/** The values that a program assigns or adds to its variables, anywhere. */
function findVariables({ tokens, closes }: Program): Map<string, Range[]> {
  const variables = new Map<string, Range[]>()
  for (let start = 0; start < tokens.length; ) {
    let end = start
    while (tokens[end] !== '\n') end = (closes.get(end) ?? end) + 1
    const name = tokens[start] ?? ''
    const value = findValue(start + 1, end)
    if (value !== undefined) {
      const ranges = variables.get(name)
      if (ranges === undefined) variables.set(name, [value])
      else ranges.push(value)
    }
    start = end + 1
  }
  return variables

  function findValue(at: number, end: number): Range | undefined {
    const [sign = '', next = '', third = ''] = tokens.slice(at, at + 3)
    if (sign === '.' && addingMethods.has(next) && third === '(') return [at + 3, closes.get(at + 2) ?? end]
    if (sign === '=' && next !== '=') return [at + 1, end]
    if (sign === '+' && next === '=') return [at + 2, end]
    let afterKey = end
    if (sign === '[') afterKey = (closes.get(at) ?? end) + 1
    // `name: type = value`
    if (sign === ':') for (afterKey = at; afterKey < end && tokens[afterKey] !== '='; ) afterKey++
    return tokens[afterKey] === '=' && tokens[afterKey + 1] !== '=' ? [afterKey + 1, end] : undefined
  }
}
