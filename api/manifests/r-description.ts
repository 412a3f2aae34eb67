import type { ManifestFormat } from './manifest-format.ts'

export const rDescription: ManifestFormat = {
  files: ['DESCRIPTION'],
  isLenient: true,
  parse: parseRDescription,
}

/** What R itself brings: the language and its base packages. */
const ofLanguage = new Set(
  (
    'R base compiler datasets graphics grDevices grid methods parallel splines stats stats4 tcltk tools translations ' +
    'utils'
  ).split(' '),
)

const fields = new Set(['depends', 'imports', 'suggests', 'linkingto', 'enhances'])

/**
 * The packages in a `DESCRIPTION` of R, in the five fields that name packages. R and its base packages come with the
 * language. A file without a field `Package` is something else, such as a text, and has none.
 *
 * @throws never
 */
function* parseRDescription(content: string): Generator<string> {
  // A line that begins with white space continues the field before it.
  const lines = content
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
  const entries = lines.flatMap((line) => {
    const colon = line.indexOf(':')
    return colon < 0 ? [] : [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1)] as const]
  })
  if (!entries.some(([field]) => field === 'package')) return
  for (const [field, text] of entries) {
    if (!fields.has(field)) continue
    for (const part of text.split(',')) {
      const [, name] = /^\s*([A-Za-z][A-Za-z0-9.]*)/.exec(part) ?? []
      if (name !== undefined && !ofLanguage.has(name)) yield name
    }
  }
}
