/**
 * A clone's dependencies over time, from the history of its manifests.
 *
 * The history that counts is the mainline: HEAD, its first parent, and so on. It is the line of states that
 * the repository really had, one after the other, so "since when" and "until when" have one answer. Branches
 * that were merged are side by side in time and may never have been released; what they bring counts when the
 * merge brings it, which is why merges are compared with their first parent.
 *
 * Dates are the mainline commits' committer dates: when a change came into this history. The author date may
 * be years older (a patch that waited, a rebase).
 *
 * A version of a manifest that does not parse tells nothing, so the path keeps what it declared before until
 * the next version that does parse. Taking it for empty would end all dependencies and begin them anew over
 * one conflict marker.
 *
 * Once the repository is known to be one, two processes do it all: a `git log` that lists what changed, and a
 * `git cat-file` that hands over each distinct version of a manifest once.
 */
import { readBlobs } from './blobs.ts'
import { createDeclarations, type Declaration, type GitDependency } from './declarations.ts'
import { type MainlineCommit, type ManifestChange, readMainline } from './mainline.ts'
import { decodeManifest, parseManifest } from './manifests.ts'
import { type HistoryOptions, openRepository } from './repository.ts'

/** A version of a manifest that could not be used, at one commit. */
export interface ManifestWarning {
  commit: string
  path: string
  /** One line. */
  reason: string
}

export interface DependencyProgress {
  /** Commits of the mainline walked so far. */
  commits: number
  /** Distinct versions of manifests parsed so far. */
  parsed: number
  /** Distinct versions of manifests there are; 0 until all commits are walked. */
  total: number
}

export interface DependencyHistoryOptions extends HistoryOptions {
  onProgress?: (progress: DependencyProgress) => void
  onWarning?: (warning: ManifestWarning) => void
}

/** Far above any manifest written by people; what is larger is reported, not read. */
const maxManifestSize = 4 * 1024 * 1024

type Parsed = { names: ReadonlySet<string> } | { reason: string }

/**
 * Reads which dependencies the mainline's manifests ever declared: all of them, by name, then file.
 *
 * A dependency is a name and a manifest's base name; it is declared while any manifest of that base name
 * declares it, third-party folders left out (see `manifests.ts`). The first date stays when a dependency goes
 * and comes back.
 *
 * @throws {GitError} as `openRepository`, and when git fails on the way or lacks an object
 */
export async function readDependencyHistory(
  path: string,
  options: DependencyHistoryOptions = {},
): Promise<GitDependency[]> {
  const repository = await openRepository(path, options)
  let commits = 0
  const mainline = await readMainline(repository, (walked) => {
    commits = walked
    options.onProgress?.({ commits, parsed: 0, total: 0 })
  })
  const versions = await readVersions(repository.directory, mainline, (parsed, total) =>
    options.onProgress?.({ commits, parsed, total }),
  )
  const declarations = createDeclarations()
  for (const { commit, date, changes } of mainline) {
    const changed: Declaration[] = []
    for (const change of changes) {
      const version = change.blob === null ? gone : versions.get(versionKey(change))
      if (version === undefined) continue
      if ('names' in version) changed.push({ ...change, names: version.names })
      else options.onWarning?.({ commit, path: decodePath(change.path), reason: version.reason })
    }
    declarations.apply(date, changed)
  }
  return declarations.list()
}

const gone: Parsed = { names: new Set() }

/** Parses each distinct version once. Equal bytes under two base names are two versions: two parsers read them. */
async function readVersions(
  directory: string,
  mainline: readonly MainlineCommit[],
  onParsed: (parsed: number, total: number) => void,
): Promise<Map<string, Parsed>> {
  const fileNames = new Map<string, Set<string>>()
  for (const { changes } of mainline) {
    for (const { blob, fileName } of changes) {
      if (blob === null) continue
      const known = fileNames.get(blob)
      if (known) known.add(fileName)
      else fileNames.set(blob, new Set([fileName]))
    }
  }
  const versions = new Map<string, Parsed>()
  // Thousands of versions repeat the same names: one string each, shared by all sets.
  const strings = new Map<string, string>()
  let parsed = 0
  for await (const { id, size, content } of readBlobs(directory, [...fileNames.keys()], maxManifestSize)) {
    for (const fileName of fileNames.get(id) ?? []) {
      const version: Parsed =
        content === null
          ? { reason: `too large to be a manifest: ${size} bytes of at most ${maxManifestSize}` }
          : parseVersion(fileName, content, strings)
      versions.set(versionKey({ blob: id, fileName }), version)
    }
    onParsed(++parsed, fileNames.size)
  }
  return versions
}

function parseVersion(fileName: string, content: Uint8Array, strings: Map<string, string>): Parsed {
  try {
    const names = new Set<string>()
    for (const name of parseManifest(fileName, decodeManifest(content))) {
      const known = strings.get(name)
      if (known === undefined) strings.set(name, name)
      names.add(known ?? name)
    }
    return { names }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

function versionKey({ blob, fileName }: Pick<ManifestChange, 'blob' | 'fileName'>): string {
  return `${blob} ${fileName}`
}

function decodePath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}
