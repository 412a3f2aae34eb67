import { normalizePythonName, pythonSpelling } from '../names/dependency-names.ts'
import type { ManifestFormat } from './manifest-format.ts'
import { readRequirementLines } from './python.ts'

export const setupCfg: ManifestFormat = {
  files: ['setup.cfg'],
  spelling: pythonSpelling,
  parse: parseSetupCfg,
}

/**
 * The packages in a `setup.cfg`: `install_requires` and `tests_require` of `[options]`, and all of
 * `[options.extras_require]`. A project that lists itself to reuse its extras (`name[all]`) does not depend on itself.
 * References (`file: requirements.txt`) are not followed: a requirements file is a manifest of its own.
 *
 * @throws {Error} when a line is not INI, a value refers to one that isn't there, or an entry is not a PEP 508
 * requirement
 */
function* parseSetupCfg(content: string): Generator<string> {
  const entries = readEntries(content)
  const interpolate = createInterpolation(entries)
  const naming = entries.find(({ section, key }) => section === 'metadata' && key === 'name')
  const self = naming && normalizePythonName(interpolate(naming).trim())
  for (const entry of entries) {
    const { section, key, line } = entry
    const isList =
      section === 'options.extras_require' ||
      (section === 'options' && /^(?:install[_-]requires|tests[_-]require)$/.test(key))
    const value = isList ? interpolate(entry) : ''
    if (/^\s*(?:file|attr):/.test(value)) continue
    // In a value of one line, semicolons separate requirements. In others, they begin markers.
    const text = value.includes('\n') ? value : value.replaceAll(';', '\n')
    for (const name of readRequirementLines(text, `"${key}" (line ${line})`)) if (name !== self) yield name
  }
}

/** A value in an INI file. */
interface Entry {
  section: string
  key: string
  /** The text after the sign, and the lines that follow and are indented deeper, trimmed. */
  lines: string[]
  /** The number of its first line, from 1. */
  line: number
}

function readEntries(content: string): Entry[] {
  const entries: Entry[] = []
  let section: string | undefined
  /** What a line continues that is indented deeper than its first one. */
  let entry: Entry | undefined
  let indentation = 0
  for (const [index, line] of content.split(/\r\n?|\n/).entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#') || text.startsWith(';')) continue
    const ownIndentation = line.search(/\S/)
    if (entry !== undefined && ownIndentation > indentation) {
      entry.lines.push(text)
      continue
    }
    indentation = ownIndentation
    if (text.startsWith('[') && text.endsWith(']')) {
      section = text.slice(1, -1).trim()
      entry = undefined
      continue
    }
    const sign = text.search(/[=:]/)
    if (section === undefined || sign < 1)
      throw new Error(`line ${index + 1} is not INI: ${text.slice(0, 80)}`)
    const key = text.slice(0, sign).trim().toLowerCase()
    entry = { section, key, lines: [text.slice(sign + 1).trim()], line: index + 1 }
    entries.push(entry)
  }
  return entries
}

/** As deep as Python follows references. */
const maxDepth = 10
/** More than the values of any file, so that references to references don't grow exponentially. */
const maxInterpolatedCharacters = 1_000_000

/**
 * Creates a function that returns the text of an entry. `%(key)s` is the value of another key, of the same section or
 * of `DEFAULT`, and `%%` is a percent sign. Any other percent sign stays as it is, though Python would refuse it.
 */
function createInterpolation(entries: readonly Entry[]): (entry: Entry) => string {
  // Not by section and key in one text: a long section's name would count for each of its keys.
  const sections = new Map<string, Map<string, Entry>>()
  for (const entry of entries) {
    const keys = sections.get(entry.section) ?? new Map<string, Entry>()
    sections.set(entry.section, keys.set(entry.key, entry))
  }
  let characters = 0

  function interpolate({ section, lines, line }: Entry, depth = 1): string {
    return lines.join('\n').replace(/%(?:%|\(([^()]*)\)s)/g, (_, name: string | undefined) => {
      if (name === undefined) return '%'
      const key = name.trim().toLowerCase()
      const found = sections.get(section)?.get(key) ?? sections.get('DEFAULT')?.get(key)
      if (found === undefined) throw new Error(`line ${line} refers to "${key}", which its section lacks`)
      const value = depth < maxDepth ? interpolate(found, depth + 1) : undefined
      characters += value?.length ?? 0
      if (value === undefined || characters > maxInterpolatedCharacters) {
        throw new Error(`line ${line} refers to values that refer to others without end`)
      }
      return value
    })
  }

  return (entry) => interpolate(entry)
}
