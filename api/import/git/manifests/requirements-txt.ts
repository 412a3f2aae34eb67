/**
 * The packages in a `requirements.txt`.
 *
 * Options (`-r`, `-e`, `--hash`) and lines that are a bare path or URL name no package under PEP 508 and are
 * passed over.
 *
 * @throws {Error} when a line is none of these; pip would not read the file either
 */
export function* parseRequirementsTxt(content: string): Generator<string> {
  const lines = content.split(/\r\n?|\n/)
  for (let index = 0; index < lines.length; index++) {
    const first = index + 1
    let line = lines[index] ?? ''
    while (line.endsWith('\\') && index + 1 < lines.length) line = line.slice(0, -1) + lines[++index]
    // Options may follow a requirement: `name==1 --hash=sha256:…`.
    const text = cutComment(line).split(/\s-/, 1)[0]?.trim() ?? ''
    if (text === '' || text.startsWith('-') || isLocation(text)) continue
    const name = parseRequirement(text)
    if (name === undefined) throw new Error(`line ${first} is not a requirement: ${text.slice(0, 80)}`)
    yield name
  }
}

/** A comment begins the line or follows white space: the `#` of a URL's fragment does neither. */
function cutComment(line: string): string {
  for (let at = line.indexOf('#'); at !== -1; at = line.indexOf('#', at + 1)) {
    if (at === 0 || /\s/.test(line.charAt(at - 1))) return line.slice(0, at)
  }
  return line
}

/** A URL, a path or an archive, as pip tells them from a name; `name @ URL` is a requirement. */
function isLocation(text: string): boolean {
  const [start = ''] = text.split(/[\s;@[]/, 1)
  return /^[a-z][a-z+]*:/i.test(start) || /^\.|[\\/]|\.(?:whl|zip|tar\.gz|tgz|tar\.bz2)$/i.test(start)
}

const constraint = /(?:===|[=~!<>]=|[<>])\s*[^\s,;()]+/.source
const constraints = new RegExp(`^${constraint}(?:\\s*,\\s*${constraint})*\\s*,?$`)

/**
 * The name in a PEP 508 requirement, normalised; undefined when it is none. Extras, versions, URL and marker
 * are checked for their form only.
 */
export function parseRequirement(text: string): string | undefined {
  const [, name, rest = ''] = /^([a-z0-9][a-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/is.exec(text.trim()) ?? []
  if (name === undefined || /[._-]$/.test(name)) return undefined
  if (rest.startsWith('@')) return normalizeName(name)
  const version = (rest.split(';', 1)[0] ?? '').trim().replace(/^\((.*)\)$/, '$1')
  return version === '' || constraints.test(version.trim()) ? normalizeName(name) : undefined
}

/** PEP 503: `Foo._Bar` and `foo-bar` are one project. */
export function normalizeName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase()
}
