/**
 * Packs the service for `npm install -g`: compiled JavaScript, the docs, the sample data, and the packages that it
 * needs, including the patched driver. The installation needs no registry, and the machine's own packages never replace
 * those inside.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommit } from '../api/build-info.ts'
import { docsDirectory, nameDocsPointer } from '../api/portal/docs-manifest.ts'
import { type Archive, encodeText, readFolder, writeNpmArchive } from '../client/archive.ts'
import { compile } from '../client/compile.ts'
import { renderLicenses } from './licenses.ts'

const project = join(import.meta.dirname, '..')

/** A package of `package-lock.json`. */
export interface LockedPackage {
  version: string
  integrity: string
  license: string
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
  peer?: boolean
}

type Files = Map<string, Uint8Array>

/** What is packed. */
export interface PackOptions {
  /** The docs that are built for a `BASE_URL`. Without one, they are right for every URL without a path. */
  baseUrl?: string | undefined
  /** Default: the commit of the checkout. */
  commit?: string | undefined
}

/** Packs the service. */
export async function packService({ baseUrl, commit }: PackOptions = {}): Promise<Archive> {
  const { version, license, description, dependencies } = JSON.parse(
    await readFile(join(project, 'package.json'), 'utf8'),
  )
  const packages = await listPackages()
  const versions = Object.fromEntries(
    Object.keys(dependencies).map((name) => [name, packages.get(`node_modules/${name}`)?.version]),
  )
  const manifest = {
    name: 'devdata',
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { devdata: 'bin/devdata.mjs' },
    dependencies: versions,
    bundleDependencies: Object.keys(versions),
    gitHead: commit ?? readCommit() ?? undefined,
  }
  const files: Files = new Map([
    ['package.json', encodeText(`${JSON.stringify(manifest, null, 2)}\n`)],
    ['bin/devdata.mjs', await readFile(join(import.meta.dirname, 'devdata.mjs'))],
    ...(await Promise.all(
      ['README.md', 'LICENSE', 'CHANGELOG.md', 'openapi.yml', '.env.example'].map(
        async (name) => [name, await readFile(join(project, name))] as const,
      ),
    )),
    ...(await compileService()),
    ...(await readPart('api', /\.sql$/)),
    ...(await readPart('sample', /\.ndjson$/)),
    ...(await readPart('deploy', /^(?!.*\.test\.)/)),
    ...(await readDocs(baseUrl)),
    ...(await renderLicenses([...packages.keys()])),
  ])
  for (const path of packages.keys()) {
    for (const [name, content] of await readPart(path, isNeeded)) files.set(name, content)
  }
  return { name: `devdata-${version}.tgz`, content: await writeNpmArchive(files) }
}

/** Lists the packages that the service needs where nothing is built or tested, by their folders. */
export async function listPackages(): Promise<Map<string, LockedPackage>> {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    await readFile(join(project, 'package-lock.json'), 'utf8'),
  )
  const needed = Object.entries(lock.packages).filter(
    ([path, { dev, optional, devOptional, peer }]) =>
      path !== '' && !(dev || optional || devOptional || peer),
  )
  return new Map(needed)
}

/** Types, maps and READMEs are for those who build with a package. Licenses are part of what is passed on. */
const isNeeded = /(^|\/)licen[cs]e[^/]*$|^(?!.*\.(d\.[cm]?ts|map|md)$)/i

async function readPart(directory: string, pattern: RegExp): Promise<Files> {
  const files = await readFolder(join(project, directory))
  const chosen = [...files].filter(([path]) => pattern.test(path) && !/(^|\/)node_modules\//.test(path))
  return new Map(chosen.map(([path, content]) => [`${directory}/${path}`, content]))
}

/** Two builds of the same sources differ in the end of their folder's name alone, which is left out. */
async function readDocs(baseUrl: string | undefined): Promise<Files> {
  const pointer = nameDocsPointer(baseUrl)
  const folder = await readFile(join(docsDirectory, pointer), 'utf8')
  const docs = await readFolder(join(docsDirectory, folder))
  const [name = folder] = folder.split('-')
  return new Map([
    [`dist/docs/${pointer}`, encodeText(name)],
    ...[...docs].map(([path, content]) => [`dist/docs/${name}/${path}`, content] as const),
  ])
}

/** Node doesn't run TypeScript in a folder `node_modules`. */
async function compileService(): Promise<Files> {
  const output = await mkdtemp(join(tmpdir(), 'devdata-pack-'))
  try {
    await compile(import.meta.dirname, output)
    return await readFolder(output)
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}
