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
import { decodeManifest, type ManifestContent, type ManifestFormat, parseManifest } from './manifests.ts'
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
  /** Whether manifests below folders of tests and fixtures count too. */
  allManifests?: boolean
  onProgress?: (progress: DependencyProgress) => void
  onWarning?: (warning: ManifestWarning) => void
}

/** All that the mainline's manifests ever declared, and what is not known of it. */
export interface DependencyHistory {
  /** By name, then file. */
  dependencies: GitDependency[]
  /** How many manifests below folders of tests and fixtures were left out. */
  leftOut: number
  /** How many manifests declared something that only running them would tell. */
  computed: number
}

/** Far above any manifest written by people; what is larger is reported, not read. */
const maxManifestSize = 4 * 1024 * 1024

type Parsed = ManifestContent | { reason: string }

/**
 * Reads which dependencies the mainline's manifests ever declared.
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
): Promise<DependencyHistory> {
  const repository = await openRepository(path, options)
  let commits = 0
  const mainline = await readMainline(repository, {
    allManifests: options.allManifests ?? false,
    onCommit(read) {
      commits = read
      options.onProgress?.({ commits, parsed: 0, total: 0 })
    },
  })
  const versions = await readVersions(repository.directory, mainline.commits, (parsed, total) =>
    options.onProgress?.({ commits, parsed, total }),
  )
  const declarations = createDeclarations()
  const computed = new Set<string>()
  for (const { commit, date, changes } of mainline.commits) {
    const changed: Declaration[] = []
    for (const change of changes) {
      const version = change.blob === null ? gone : versions.get(versionKey(change))
      if (version === undefined) continue
      if ('names' in version) {
        changed.push({ ...change, names: version.names })
        if (version.isComputed) computed.add(change.path)
      } else options.onWarning?.({ commit, path: decodePath(change.path), reason: version.reason })
    }
    declarations.apply(date, changed)
  }
  return { dependencies: declarations.list(), leftOut: mainline.leftOut.size, computed: computed.size }
}

const gone: Parsed = { names: new Set(), isComputed: false }

/** Parses each distinct version once. Equal bytes in two formats are two versions: two parsers read them. */
async function readVersions(
  directory: string,
  mainline: readonly MainlineCommit[],
  onParsed: (parsed: number, total: number) => void,
): Promise<Map<string, Parsed>> {
  const formats = new Map<string, Set<ManifestFormat>>()
  for (const { changes } of mainline) {
    for (const { blob, format } of changes) {
      if (blob === null) continue
      const known = formats.get(blob)
      if (known) known.add(format)
      else formats.set(blob, new Set([format]))
    }
  }
  const versions = new Map<string, Parsed>()
  // Thousands of versions repeat the same names: one string each, shared by all sets.
  const strings = new Map<string, string>()
  let parsed = 0
  for await (const { id, size, content } of readBlobs(directory, [...formats.keys()], maxManifestSize)) {
    for (const format of formats.get(id) ?? []) {
      const version: Parsed =
        content === null
          ? { reason: `too large to be a manifest: ${size} bytes of at most ${maxManifestSize}` }
          : parseVersion(format, content, strings)
      versions.set(versionKey({ blob: id, format }), version)
    }
    onParsed(++parsed, formats.size)
  }
  return versions
}

function parseVersion(format: ManifestFormat, content: Uint8Array, strings: Map<string, string>): Parsed {
  try {
    const { names, isComputed } = parseManifest(format, decodeManifest(content))
    const shared = new Set<string>()
    for (const name of names) {
      const known = strings.get(name)
      if (known === undefined) strings.set(name, name)
      shared.add(known ?? name)
    }
    return { names: shared, isComputed }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

function versionKey({ blob, format }: Pick<ManifestChange, 'blob' | 'format'>): string {
  return `${blob} ${format}`
}

function decodePath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}
