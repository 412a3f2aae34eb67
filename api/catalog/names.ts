/**
 * How names are compared, in requests and loads alike: case-insensitively, and by the rules of what they name.
 *
 * @module
 */

const isAscii = /^[\0-\x7f]*$/

/**
 * Folds case, beyond ASCII too: `Straße` equals `STRASSE`, all three sigmas are equal, composed and decomposed accents
 * are equal, and `istanbul` finds `İstanbul`. The database compares folded texts, so that its locale doesn't matter.
 */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toUpperCase() // the following gives the same
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i') // the lower case of a dotted capital İ
    .toUpperCase() // one upper case has several lower ones (σ and ς, s and ſ), but not vice versa
    .normalize('NFC')
}

/** Matches valid names of accounts and repositories (`decisions/0004-data.md`). */
export const forgeNamePattern = /^(?!\.{1,2}$)[\w.[\]-]{1,100}$/

/** The rule in words, to follow the name of a field or parameter. */
export const forgeNameRule = 'must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'

/** How an ecosystem compares names of dependencies. */
interface Ecosystem {
  /** Starts the keys of its names. It is lower case, so no folded name starts with it. */
  prefix: string
  /** The base names of its manifests. */
  files: RegExp
  normalize(name: string): string
}

/** Not npm, JSR, Composer, RubyGems, Go and Maven: there another spelling is another package, except for case. */
const ecosystems: readonly Ecosystem[] = [
  // A requirements file may have any name: `requirements/dev.txt`. No other manifest ends in `.txt`.
  {
    prefix: 'python:',
    files: /^(?:pyproject\.toml|setup\.py|setup\.cfg|Pipfile|.*\.txt)$/,
    normalize: normalizePythonName,
  },
  { prefix: 'cargo:', files: /^Cargo\.toml$/, normalize: normalizeCrateName },
]

/** PEP 503: `Foo._Bar` and `foo-bar` are one project. */
export function normalizePythonName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase()
}

/** RFC 940: crates.io refuses a name that differs from another only in `-` and `_`. */
function normalizeCrateName(name: string): string {
  return name.replaceAll('_', '-')
}

/** The key of a dependency's name that a manifest declares. */
export function keyDependencyName(name: string, file: string): string {
  const ecosystem = ecosystems.find(({ files }) => files.test(file))
  return ecosystem === undefined ? foldText(name) : keyIn(ecosystem, name)
}

/** Lists the keys that a requested name may have: one for each ecosystem. */
export function listDependencyKeys(name: string): string[] {
  return [foldText(name), ...ecosystems.map((ecosystem) => keyIn(ecosystem, name))]
}

function keyIn({ prefix, normalize }: Ecosystem, name: string): string {
  return prefix + foldText(normalize(name))
}

/** The forge's no-reply addresses: `12345+login@users.noreply.…`, and the older `login@users.noreply.…`. */
const noReplyAddress = /^(?:(\d{1,15})\+)?([^@+]+)@users\.noreply\./i

/** In characters (RFC 5321: 64 for the name, 255 for the host). */
const maxAddressLength = 320

/**
 * Returns the identity that a commit's author address names. A no-reply address names an account: by id if it has one,
 * because logins change hands. Any other address names the user who has it. Null: it names nobody
 * (`decisions/0004-data.md`).
 */
export function identifyAddress(address: string): string | null {
  if (address === '' || address.length > maxAddressLength) return null
  const [noReply, forgeId, login] = noReplyAddress.exec(address) ?? []
  if (noReply === undefined || login === undefined) return `email:${foldText(address)}`
  return forgeId === undefined ? identifyLogin(login) : identifyForgeId(Number(forgeId))
}

/** Returns the identity of a login. */
export function identifyLogin(login: string): string {
  return `login:${foldText(login)}`
}

/** Returns the identity of an account's id in the forge's REST interface. */
export function identifyForgeId(id: number): string {
  return `id:${id}`
}
