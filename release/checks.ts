/**
 * What must hold before a release: everything names the same version, the changelog is complete and dated, and the
 * files are those of the tag.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { listChangeFiles } from '../changes/assemble.ts'
import { version as shellVersion } from '../client/src/shell/version.ts'

const project = join(import.meta.dirname, '..')

/** What a release is made from. */
export interface ReleaseState {
  /** The version in package.json. */
  version: string
  /** The versions that other files name. */
  named: [file: string, version: string][]
  /** The newest heading of the changelog. */
  heading: string
  /** Files of `changes/` whose lines aren't in the changelog yet. */
  pending: string[]
  /** Files that differ from the commit. */
  changed: string[]
  /** Tags of the commit. */
  tags: string[]
}

/** Lists what stands in the way of a release, each in a line. */
export function listProblems({ version, named, heading, pending, changed, tags }: ReleaseState): string[] {
  return [
    ...named
      .filter(([, other]) => other !== version)
      .map(([file, other]) => `${file} has version ${other}; package.json has ${version}`),
    ...(new RegExp(`^${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`).test(heading)
      ? []
      : [`CHANGELOG.md begins with "${heading}"; write "${version} (YYYY-MM-DD)", the day of the release`]),
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

/** The versions of packed files that pages tell readers to install. */
async function readNamedInDocs(read: (name: string) => Promise<string>): Promise<[string, string][]> {
  const guide = 'docs-site/src/content/docs'
  const pages = ['README.md', `${guide}/install.md`, `${guide}/production.md`]
  const texts = await Promise.all(pages.map(async (page) => [page, await read(page)] as const))
  return texts.flatMap(([page, text]) =>
    [...text.matchAll(/devdata-(\d+\.\d+\.\d+)\.tgz/g)].map(([, version = '']): [string, string] => [
      page,
      version,
    ]),
  )
}

/** Reads the state of this folder, which must be a clone. */
export async function readReleaseState(): Promise<ReleaseState> {
  const read = (name: string) => readFile(join(project, name), 'utf8')
  const readJson = async (name: string) => JSON.parse(await read(name))
  const git = async (...parameters: string[]) => {
    const { stdout } = await promisify(execFile)('git', parameters, { cwd: project })
    return stdout.split('\n').filter((line) => line !== '')
  }
  const { version } = await readJson('package.json')
  const python = parseToml(await read('client/python/pyproject.toml')).project
  const { images } = parseYaml(await read('deploy/kubernetes/overlays/example/kustomization.yaml'))
  return {
    version,
    named: [
      ['openapi.yml', parseYaml(await read('openapi.yml')).info.version],
      ['package-lock.json', (await readJson('package-lock.json')).version],
      ...(await readNamedInDocs(read)),
      ['client/package.json', (await readJson('client/package.json')).version],
      ['client/deno.json', (await readJson('client/deno.json')).version],
      ['client/src/shell/version.ts', shellVersion],
      ['client/mcp/package.json', (await readJson('client/mcp/package.json')).version],
      [
        'client/python/pyproject.toml',
        typeof python === 'object' && 'version' in python ? String(python.version) : '',
      ],
      [
        'client/python/src/devdata_client/__init__.py',
        /^__version__ = "(.*)"$/m.exec(await read('client/python/src/devdata_client/__init__.py'))?.[1] ?? '',
      ],
      ...images.map(({ newTag }: { newTag: string }): [string, string] => [
        'deploy/kubernetes/overlays/example/kustomization.yaml',
        newTag,
      ]),
    ],
    heading: (await readNewestChanges()).heading,
    pending: listChangeFiles().map((file) => relative(project, file)),
    changed: (await git('status', '--porcelain')).map((line) => line.slice(3)),
    tags: await git('tag', '--points-at', 'HEAD'),
  }
}
