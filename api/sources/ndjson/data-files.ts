/** The names of the files that a folder to load has, and names that seem to mean one of them. */
import { join } from 'node:path'
import { type RecordKind, recordKinds } from '../../staging/records.ts'

/** The name of the file with records of a kind. */
export function dataFileName(kind: RecordKind): string {
  return `${kind}.ndjson`
}

const spellings: Record<RecordKind, string> = {
  users: 'users?',
  identities: 'identit(?:y|ies)',
  repos: 'repos?|repositor(?:y|ies)',
  commits: 'commits?',
  removals: 'removals?',
}

/** Names that mean the file of a kind: compressed, with another extension, in the singular, or with capital letters. */
const variants = recordKinds.map((kind) => ({
  kind,
  pattern: new RegExp(
    `^(?:${spellings[kind]})\\.(ndjson|jsonl|json)(\\.txt|\\.gz|\\.zst|\\.xz|\\.bz2|\\.zip)?$`,
    'i',
  ),
}))

/** Names of other files with lines of JSON, such as `users-old.ndjson`. Hidden ones are of programs. */
const lineFile = /^[^.].*\.(?:ndjson|jsonl)(?:\.|$)/i

/**
 * Says for each file of a folder that seems to be one of `kinds`, which the folder lacks, what to do with it. Beside data
 * files, `repos.json` is something else.
 */
export function describeVariants(
  folder: string,
  names: readonly string[],
  kinds: readonly RecordKind[],
): string[] {
  const hasData = recordKinds.some((kind) => !kinds.includes(kind) && names.includes(dataFileName(kind)))
  return names.flatMap((name) => {
    const variant = variants.find(({ kind, pattern }) => kinds.includes(kind) && pattern.test(name))
    if (variant === undefined) return []
    const wanted = dataFileName(variant.kind)
    if (name === wanted) return `${join(folder, name)} isn't a file that can be read`
    const [, format = '', suffix = ''] = variant.pattern.exec(name) ?? []
    if (hasData && format.toLowerCase() === 'json') return []
    const remedy = describeRemedy({ wanted, format, suffix })
    return `The folder ${folder} contains ${name}, but no ${wanted}: ${remedy}, or move it out of the folder`
  })
}

function describeRemedy({ wanted, format, suffix }: Record<'wanted' | 'format' | 'suffix', string>): string {
  const lines = format.toLowerCase() === 'json' ? ', with one JSON object per line' : ''
  switch (suffix.toLowerCase()) {
    case '':
    case '.txt':
      return `rename it to ${wanted}${lines}`
    case '.gz':
      return `decompress it to ${wanted}${lines}, for example with gzip -dc`
    default:
      return `decompress it to ${wanted}${lines}`
  }
}

/** Lists files of a folder that look like data, but aren't loaded with it. `loaded` are the names of those that are. */
export function listUnread(names: readonly string[], loaded: readonly string[]): string[] {
  // Where the case of names doesn't matter, the listing may have `Users.ndjson` for a loaded file.
  const listed = loaded.map((file) =>
    names.includes(file) ? file : names.find((name) => name.toLowerCase() === file),
  )
  return names.filter(
    (name) =>
      !listed.includes(name) && (lineFile.test(name) || variants.some(({ pattern }) => pattern.test(name))),
  )
}
