/**
 * What must hold before a release: everything names the same version, the changelog is complete and dated, and the
 * files are those of the tag.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { listChangeFiles } from '../changes/assemble.ts'
import { findVersions, namesVersion } from './set-version.ts'
import { listVersions } from './version-fixture.ts'

const project = join(import.meta.dirname, '..')

/** What a release is made from. */
export interface ReleaseState {
  /** The version in package.json. */
  version: string
  /** The versions that other files name. */
  named: [file: string, version: string][]
  /** The newest heading of the changelog. */
  heading: string
  /** What the changelog says below it. */
  notes: string
  /** Versions that later ones are tested to upgrade. */
  fixtures: string[]
  /** Files of `changes/` whose lines aren't in the changelog yet. */
  pending: string[]
  /** Files that differ from the commit. */
  changed: string[]
  /** Tags of the commit. */
  tags: string[]
}

/** Lists what stands in the way of a release, each in a line. */
export function listProblems(state: ReleaseState): string[] {
  const { version, named, heading, notes, fixtures, pending, changed, tags } = state
  return [
    ...named
      .filter(([, other]) => other !== version)
      .map(([file, other]) => `${file} has version ${other}; package.json has ${version}`),
    ...(new RegExp(`^${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`).test(heading)
      ? []
      : [`CHANGELOG.md begins with "${heading}"; write "${version} (YYYY-MM-DD)", the day of the release`]),
    ...(/^[A-Z]/.test(notes)
      ? []
      : ["CHANGELOG.md doesn't describe the version; write a sentence below its heading"]),
    ...(fixtures.includes(version)
      ? []
      : [`test/release/versions has no fixture of ${version}; run: npm run fixture`]),
    ...pending.map((file) => `${file} isn't in CHANGELOG.md; run: npm run changes`),
    ...changed.map((file) => `${file} isn't committed`),
    ...(tags.includes(`v${version}`) ? [] : [`the commit has no tag v${version}; run: git tag v${version}`]),
  ]
}

/** The changelog's section of the newest version: its heading and its lines. */
export async function readNewestChanges(): Promise<{ heading: string; text: string }> {
  const changelog = await readFile(join(project, 'CHANGELOG.md'), 'utf8')
  const [section = ''] = changelog.split(/^(?=## )/m).slice(1)
  const [, heading = '', text = ''] = /^## (.*)\n([\s\S]*)$/.exec(section) ?? []
  return { heading, text: `${text.trim()}\n` }
}

/** Reads the state of this folder, which must be a clone. */
export async function readReleaseState(): Promise<ReleaseState> {
  const read = (name: string) => readFile(join(project, name), 'utf8')
  const git = async (...parameters: string[]) => {
    const { stdout } = await promisify(execFile)('git', parameters, { cwd: project })
    return stdout.split('\n').filter((line) => line !== '')
  }
  const files = (await git('ls-files')).filter(namesVersion)
  const named = files.map(async (file) =>
    findVersions(file, await read(file)).map((version): [string, string] => [file, version]),
  )
  const { heading, text: notes } = await readNewestChanges()
  return {
    version: JSON.parse(await read('package.json')).version,
    named: (await Promise.all(named)).flat(),
    heading,
    notes,
    fixtures: listVersions(),
    pending: listChangeFiles().map((file) => relative(project, file)),
    changed: (await git('status', '--porcelain')).map((line) => line.slice(3)),
    tags: await git('tag', '--points-at', 'HEAD'),
  }
}
