import { normalizePythonName } from '../../../catalog/names.ts'

/**
 * The packages in a pip requirements file. Skips options (`-r`, `-e`, `--hash`), paths and URLs, which name no package.
 *
 * @throws {Error} when a line is none of these; pip would refuse the file too
 */
export function* parseRequirementsTxt(content: string): Generator<string> {
  const lines = content.split(/\r\n?|\n/)
  for (let index = 0; index < lines.length; index++) {
    const first = index + 1
    const parts: string[] = []
    for (; lines[index]?.endsWith('\\') && index + 1 < lines.length; index++) {
      parts.push(lines[index]?.slice(0, -1) ?? '')
    }
    parts.push(lines[index] ?? '')
    // Options may follow a requirement: `name==1 --hash=sha256:…`.
    const text = cutComment(parts.join('')).split(/\s-/, 1)[0]?.trim() ?? ''
    if (text === '' || text.startsWith('-') || isLocation(text)) continue
    const name = parseRequirement(text)
    if (name === undefined) throw new Error(`line ${first} is not a requirement: ${text.slice(0, 80)}`)
    yield name
  }
}

/** A comment begins the line or follows white space, unlike the `#` of a URL's fragment. */
function cutComment(line: string): string {
  for (let at = line.indexOf('#'); at !== -1; at = line.indexOf('#', at + 1)) {
    if (at === 0 || /\s/.test(line.charAt(at - 1))) return line.slice(0, at)
  }
  return line
}

/** Whether pip takes a text for a URL, a path or an archive. `name @ URL` is a requirement. */
function isLocation(text: string): boolean {
  const [start = ''] = text.split(/[\s;@[]/, 1)
  return /^[a-z][a-z+]*:/i.test(start) || /^\.|[\\/]|\.(?:whl|zip|tar\.gz|tgz|tar\.bz2)$/i.test(start)
}

/**
 * Parses the name in a PEP 508 requirement, normalized; undefined when the text is not a requirement. Extras, versions, URL
 * and marker are checked only roughly.
 */
export function parseRequirement(text: string): string | undefined {
  const [, name, rest = ''] = /^([a-z0-9][a-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/is.exec(text.trim()) ?? []
  if (name === undefined || /[._-]$/.test(name)) return undefined
  if (rest.startsWith('@')) return normalizePythonName(name)
  const versions = (rest.split(';', 1)[0] ?? '').trim()
  const bare = versions.startsWith('(') && versions.endsWith(')') ? versions.slice(1, -1).trim() : versions
  return areConstraints(bare) ? normalizePythonName(name) : undefined
}

/**
 * Whether a text is a comma-separated list of version constraints, which may be empty or end with a comma. It matches each
 * part on its own, because one pattern for all of them could take exponential time.
 */
function areConstraints(text: string): boolean {
  if (text === '') return true
  const parts = text.split(',')
  if (parts.length > 1 && parts.at(-1)?.trim() === '') parts.pop()
  return parts.every((part) => /^(?:===|[=~!<>]=|[<>])\s*[^\s;()]+$/.test(part.trim()))
}
