import { parseRequirement } from './requirements-txt.ts'

/**
 * The packages in a `setup.cfg`: `install_requires` and `tests_require` of `[options]`, and all of
 * `[options.extras_require]`. References (`file: requirements.txt`) are not followed: a requirements file is a manifest of its
 * own.
 *
 * @throws {Error} when a line is not INI, or an entry is not a PEP 508 requirement
 */
export function* parseSetupCfg(content: string): Generator<string> {
  for (const { section, key, lines, line } of readEntries(content)) {
    const isList =
      section === 'options.extras_require' ||
      (section === 'options' && /^(?:install[_-]requires|tests[_-]require)$/.test(key))
    if (!isList) continue
    const values = lines.map((text) => text.trim()).filter((text) => text !== '')
    if (/^(?:file|attr):/.test(values[0] ?? '')) continue
    // In a value of one line, semicolons separate requirements. In others, they begin markers.
    for (const text of lines.length === 1 ? values.flatMap((value) => value.split(';')) : values) {
      if (text.trim() === '') continue
      const name = parseRequirement(text)
      if (name === undefined)
        throw new Error(`"${key}" (line ${line}) contains something that is not a requirement: ${text}`)
      yield name
    }
  }
}

interface Entry {
  section: string
  key: string
  /** The text after the sign, and the indented lines that follow. */
  lines: string[]
  /** The number of its first line, from 1. */
  line: number
}

function readEntries(content: string): Entry[] {
  const entries: Entry[] = []
  let section: string | undefined
  for (const [index, line] of content.split(/\r\n?|\n/).entries()) {
    const text = line.trim()
    const entry = entries.at(-1)
    if (text === '' || text.startsWith('#') || text.startsWith(';')) continue
    if (/^\s/.test(line) && entry !== undefined && entry.section === section) {
      entry.lines.push(text)
      continue
    }
    if (text.startsWith('[') && text.endsWith(']')) {
      section = text.slice(1, -1).trim()
      continue
    }
    const sign = text.search(/[=:]/)
    if (section === undefined || sign < 1)
      throw new Error(`line ${index + 1} is not INI: ${text.slice(0, 80)}`)
    const key = text.slice(0, sign).trim().toLowerCase()
    entries.push({ section, key, lines: [text.slice(sign + 1)], line: index + 1 })
  }
  return entries
}
