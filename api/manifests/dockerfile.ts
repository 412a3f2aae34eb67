/**
 * `Dockerfile`, by the grammar of BuildKit: https://github.com/moby/buildkit/tree/master/frontend/dockerfile/parser.
 * Templates of such files are read as far as they are one.
 */

import type { ManifestFormat } from './manifest-format.ts'
import { computedPart } from './program.ts'

export const dockerfile: ManifestFormat = {
  files: ['Dockerfile'],
  paths: [
    [/(?:^|\/)Containerfile$/, 'Dockerfile'],
    [/(?:^|\/)(?:Dockerfile\.[\w.-]+|[\w.-]+\.Dockerfile)$/, 'Dockerfile'],
  ],
  except: /\.(?:adoc|dockerignore|md|rst)$/,
  isLenient: true,
  parse: parseDockerfile,
}

/**
 * A longer text isn't the name of an image, so it stays unknown. Otherwise, arguments of arguments could grow without
 * bound.
 */
const maxLength = 1000
/** Deeper nested variables are unknown. People don't write nearly as many. */
const maxDepth = 20

/** With more stages, names with unknown parts aren't compared with them. People don't write nearly as many. */
const maxComparedStages = 100

/** What a template fills in: of Jinja, Go or Helm, and of ERB. */
const placeholders = /\{\{[^{}]*\}\}|<%[^%]*%>/g

/** A reference to an image, without tag and digest, as the registries' clients accept it. */
const host = /(?:[a-zA-Z\d]+(?:[.-]+[a-zA-Z\d]+)*(?::\d+)?\/)?/.source
const part = /[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*/.source
const imageName = new RegExp(`^${host}${part}(?:/${part})*$`)

/** Arguments that each build has, with values of its own. */
const platform = ['BUILD', 'TARGET'].flatMap((side) =>
  ['PLATFORM', 'OS', 'ARCH', 'OSVERSION', 'VARIANT'].map((name) => `${side}${name}`),
)

/**
 * The images in a `Dockerfile` that stages begin with, without tag and digest; null for one that only the build's
 * arguments or a template would name. Those of Docker Hub have neither host nor `library/`. `scratch` and earlier
 * stages aren't images, and neither is a name that may be that of an earlier stage: `build-$TARGETARCH`.
 *
 * @throws {Error} when a heredoc is not closed
 */
function* parseDockerfile(content: string): Generator<string | null> {
  const stages = new Set<string>(['scratch'])
  /** The arguments before the first stage. Those of a stage don't count for others. */
  const values = new Map<string, string>(platform.map((name) => [name, computedPart]))
  const escapeSign = readEscape(content)
  let isGlobal = true
  for (const line of readInstructions(content, escapeSign)) {
    const [instruction = '', rest = ''] = cut(line)
    if (isGlobal && /^arg$/i.test(instruction)) {
      for (const word of splitShellWords(rest, escapeSign)) {
        const [, name = '', value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(word) ?? []
        if (value !== undefined) values.set(name, new Word(value, values, escapeSign).expand())
      }
    }
    if (!/^from$/i.test(instruction)) continue
    isGlobal = false
    const all = rest.split(/\s+/)
    const words = all.slice(all.findIndex((word) => !word.startsWith('--')))
    const [image = '', as = '', stage = ''] = words.slice(-3)
    const isNamed = words.length > 2 && /^as$/i.test(as)
    const isWhole = words.length === (isNamed ? 3 : 1)
    const name = isWhole ? cutTag(new Word(image, values, escapeSign).expand()) : computedPart
    if (!stages.has(name.toLowerCase()) && !isLikeStage(name.toLowerCase(), stages)) {
      if (name.length > maxLength || !imageName.test(name)) yield null
      else yield name.replace(/^(?:(?:index\.)?docker\.io\/)?(?:library\/)?/, '')
    }
    if (isNamed) stages.add(stage.toLowerCase())
  }
}

/** Whether a name with unknown parts begins and ends as a stage does. What is between such parts isn't compared. */
function isLikeStage(name: string, stages: ReadonlySet<string>): boolean {
  const parts = name.split(computedPart)
  const [start = '', end = ''] = [parts[0], parts.at(-1)]
  if (parts.length === 1 || !/[a-z\d]/.test(start + end) || stages.size > maxComparedStages) return false
  const length = start.length + end.length
  return [...stages].some(
    (stage) =>
      stage !== 'scratch' && stage.length >= length && stage.startsWith(start) && stage.endsWith(end),
  )
}

/** The first word, and what follows it. */
function cut(line: string): string[] {
  const text = line.trim()
  const end = text.search(/\s/)
  return end === -1 ? [text] : [text.slice(0, end), text.slice(end).trimStart()]
}

/** The character before which a line goes on: `# escape=` says so in the first lines. */
function readEscape(content: string): string {
  for (const line of content.split(/\r?\n/, 3)) {
    const [, name, value = ''] = /^\s*#\s*(check|escape|syntax)\s*=\s*(\S.*)$/i.exec(line) ?? []
    if (name === undefined) break
    if (name.toLowerCase() === 'escape') return value.trim() === '`' ? '`' : '\\'
  }
  return '\\'
}

/** Yields each instruction in one line, without comments and heredocs. */
function* readInstructions(content: string, escapeSign: string): Generator<string> {
  const lines = content.split(/\r?\n/)
  for (let at = 0; at < lines.length; ) {
    const parts: string[] = []
    for (let isOpen = true; isOpen && at < lines.length; at++) {
      const line = lines[at] ?? ''
      if (/^\s*#/.test(line)) isOpen = parts.length > 0
      else if (line.trim() !== '' || parts.length === 0) {
        const text = cutContinuation(line, escapeSign)
        isOpen = text !== undefined
        parts.push(text ?? line)
      }
    }
    const instruction = parts.join('').replace(placeholders, computedPart)
    yield instruction
    for (const { ending, isIndented } of findHeredocs(instruction)) {
      const start = at
      while (at < lines.length && (isIndented ? lines[at]?.replace(/^\t+/, '') : lines[at]) !== ending) at++
      if (at++ === lines.length)
        throw new Error(`line ${start}: the heredoc ${ending.slice(0, 50)} is not closed`)
    }
  }
}

/** A line that goes on, without the sign that says so. Two signs are none. */
function cutContinuation(line: string, escapeSign: string): string | undefined {
  const text = line.trimEnd()
  return text.endsWith(escapeSign) && text.at(-2) !== escapeSign ? text.slice(0, -1) : undefined
}

/**
 * The heredocs that begin behind an instruction, `<<EOF`, `<< EOF` or `<<-EOF`. The escape character doesn't count
 * there.
 */
function* findHeredocs(line: string): Generator<{ ending: string; isIndented: boolean }> {
  if (!line.includes('<<')) return
  const [, rest] = /^\s*(?:onbuild\s+)?(?:add|copy|run)\s+(.*)$/is.exec(line) ?? []
  if (rest === undefined || isList(rest)) return
  for (const word of splitShellWords(rest, '\\')) {
    const [, indent, ending = ''] = /^\d*<<(-?)\s*([^<\s]+)$/.exec(word) ?? []
    if (ending !== '') yield { ending: ending.replace(/["'\\]/g, ''), isIndented: indent !== '' }
  }
}

/** Whether a command is a list of arguments, which no shell reads. */
function isList(text: string): boolean {
  if (!text.startsWith('[')) return false
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false
  }
}

/** Splits words at white space that is neither quoted nor escaped, nor within a heredoc's sign. */
function splitShellWords(text: string, escapeSign: string): string[] {
  return text.match(escapeSign === '`' ? wordsWithBacktick : wordsWithBackslash) ?? []
}

/** At each position, one alternative matches in one way, so that the search stays linear. */
const wordsWithBackslash = /(?:<<\s*|[^\s"'\\]|\\[\s\S]?|"(?:\\[\s\S]|[^"\\])*"?|'[^']*'?)+/g
const wordsWithBacktick = /(?:<<\s*|[^\s"'`]|`[\s\S]?|"(?:`[\s\S]|[^"`])*"?|'[^']*'?)+/g

/** A word whose quotes, escapes and variables are to be replaced. */
class Word {
  readonly #text: string
  readonly #values: ReadonlyMap<string, string>
  readonly #escapeSign: string
  #at = 0

  constructor(text: string, values: ReadonlyMap<string, string>, escapeSign: string) {
    this.#text = text
    this.#values = values
    this.#escapeSign = escapeSign
  }

  /** Returns its value, in which a NUL stands for what is unknown. */
  expand(): string {
    return this.#read('')
  }

  /** Reads up to a sign, or to the end. */
  #read(end: string, depth = 0): string {
    let value = ''
    let quote = ''
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at++] ?? ''
      if (sign === end && quote === '') return value
      if (sign === quote) quote = ''
      else if (quote === '' && /["']/.test(sign)) quote = sign
      else if (sign === this.#escapeSign && quote !== "'") value += this.#text[this.#at++] ?? ''
      else if (sign === '$' && quote !== "'") value += this.#readVariable(depth)
      else value += sign
      if (value.length > maxLength) value = computedPart
    }
    return end === '' && quote === '' ? value : computedPart
  }

  /** `$NAME`, `${NAME}`, and one with another text if it is set (`+`) or isn't (`-`). */
  #readVariable(depth: number): string {
    variable.lastIndex = this.#at
    const [all, plain, braced = '', sign] = variable.exec(this.#text) ?? []
    if (all === undefined) return '$'
    this.#at += all.length
    if (plain !== undefined) return this.#values.get(plain) ?? computedPart
    const value = this.#values.get(braced)
    if (sign === undefined || depth > maxDepth) {
      // A `}` ends it, and all else isn't known.
      const isPlain = this.#text[this.#at] === '}'
      this.#at = isPlain ? this.#at + 1 : this.#text.length
      return isPlain ? (value ?? computedPart) : computedPart
    }
    const other = this.#read('}', depth + 1)
    const isSet = sign.startsWith(':') ? Boolean(value) : value !== undefined
    if (sign.endsWith('+')) return isSet ? other : ''
    if (isSet) return value ?? ''
    return sign.endsWith('-') ? other : computedPart
  }
}

const variable = /([A-Za-z_]\w*)|\{(\w+)(:?[-+?])?/y

/** Cuts the tag and the digest. A colon before the last slash is that of a port. */
function cutTag(image: string): string {
  const [name = ''] = image.split('@', 1)
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1)
  return colon < 0 ? name : name.slice(0, colon)
}
