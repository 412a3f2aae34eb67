/** Reads the names of the direct dependencies that manifests declare, as their registry spells them. */
import { foldText } from '../names/case-folding.ts'
import { keyRepositoryUrl } from '../names/repository-url.ts'
import { detectEncoding } from '../names/text-encoding.ts'
import { formatsByFile } from './formats.ts'
import type {
  Declared,
  Definitions,
  OwnPackage,
  Reference,
  SharedFile,
  Workspace,
} from './manifest-format.ts'

const maxNameLength = 255

/** No manifest that people write declares nearly as many. */
const maxNames = 10_000

/** What a manifest declares. */
export interface ManifestContent {
  names: ReadonlySet<string>
  /** Whether it declares more, which only running it would show. */
  isComputed: boolean
  /** Names that other files of the same commit may replace. */
  references: readonly Reference[]
  /** What other manifests of the same commit may refer to. Null: nothing refers to it. */
  definitions: Definitions['definitions'] | null
  /** The file that defines further keys, if there is one. */
  parent: SharedFile | null
  /** What is one package in all manifests with the same text here. */
  ecosystem: string
  /** Packages of the same repository. */
  own: readonly OwnPackage[]
  workspace: Workspace | null
}

/**
 * Reads the names of the direct dependencies that a manifest declares. Skips names that no registry accepts: empty
 * ones, and those with control characters or more than 255 characters, and those of the repository itself.
 *
 * @param file one of the format's
 * @param url that of the repository; without it, no name is taken for it
 * @throws {Error} with one line when the content does not parse, or declares more than 10,000 names
 */
export function parseManifest(file: string, content: string, url?: string): ManifestContent {
  const format = formatsByFile.get(file)
  if (format === undefined) throw new Error(`${file} is not the name of a format`)
  const self = url === undefined ? undefined : format.nameRepository?.(keyRepositoryUrl(url))
  const isSelf = (name: string) => self !== undefined && foldText(name) === self
  try {
    if (format.isLenient) assertNoConflict(content)
    const declared = collectDeclared(format.parse(content.replace(/^\uFEFF/, '')), isSelf)
    return { ...declared, ecosystem: format.ecosystem ?? format.files[0] }
  } catch (error) {
    // A parser's message may quote lines of the file.
    const message = error instanceof Error ? error.message : String(error)
    const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim()
    throw new Error(line.slice(0, 200), { cause: error })
  }
}

function collectDeclared(
  all: Iterable<Declared>,
  isSelf: (name: string) => boolean,
): Omit<ManifestContent, 'ecosystem'> {
  const names = new Set<string>()
  const references = new Map<string, Reference>()
  const definitions = new Map<string, readonly string[]>()
  let isComputed = false
  let isShared = false
  let parent: SharedFile | null = null
  const own: OwnPackage[] = []
  let workspace: Workspace | null = null
  let definedNames = 0
  for (const declared of all) {
    if (declared === null) isComputed = true
    else if (typeof declared === 'string') {
      if (isName(declared) && !isSelf(declared)) names.add(declared)
    } else if ('own' in declared) {
      if (isName(declared.own)) own.push(declared)
    } else if ('members' in declared) {
      workspace = { ...declared, members: declared.members.filter(isName) }
    } else if ('key' in declared) {
      const { key, file, name } = declared
      if (isName(key)) references.set(`${file.fileNames}\0${file.folder}\0${key}`, declared)
      else if (name !== null && isName(name)) names.add(name)
    } else {
      isShared = true
      parent = declared.parent ?? null
      for (const [key, defined] of declared.definitions) {
        if (isName(key)) definitions.set(key, defined.filter(isName))
        definedNames += defined.length
      }
    }
    const others = references.size + own.length + (workspace?.members.length ?? 0)
    if (names.size + others + Math.max(definitions.size, definedNames) > maxNames) {
      throw new Error(`too many names for a manifest: at most ${maxNames} are read`)
    }
  }
  return {
    names,
    isComputed,
    references: [...references.values()],
    definitions: isShared ? definitions : null,
    parent,
    own,
    workspace,
  }
}

function assertNoConflict(content: string): void {
  const conflict = content.split('\n').findIndex((line) => /^(?:<{7}|>{7})(?:\s|$)/.test(line))
  if (conflict !== -1) throw new Error(`line ${conflict + 1} is a conflict marker of an unfinished merge`)
}

/** Whether a name is one that the dataset accepts. */
export function isName(name: string): boolean {
  return name.length > 0 && name.length <= maxNameLength && name.isWellFormed() && !/\p{Cc}/u.test(name)
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, which `pip freeze > requirements.txt` writes in PowerShell. */
export function decodeManifest(content: Uint8Array): string {
  return new TextDecoder(detectEncoding(content)).decode(content)
}
