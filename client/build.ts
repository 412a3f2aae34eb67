/**
 * `npm run client`: generates the client's types from openapi.yml, and packs the packages in this folder into
 * `dist/clients`. The build of the docs packs them, too, because the service serves them.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { build } from 'vite'
import { parse } from 'yaml'
import {
  type Archive,
  type PythonProject,
  readFolder,
  storeArchives,
  writeNpmArchive,
  writeWheel,
} from './archive.ts'
import { compile } from './compile.ts'
import { type Contract, generateFilterFiles } from './filter-code.ts'
import { generateRecordFiles } from './record-code.ts'

const project = join(import.meta.dirname, '..')

/** The packages, by the names of their programs. */
const packages = {
  'devdata-client': { directory: import.meta.dirname, build: compileClient },
  'devdata-mcp': { directory: join(import.meta.dirname, 'mcp'), build: bundleMcp },
}

/** A package, by the name of its program. */
export type ClientPackage = keyof typeof packages

const clientPackages = Object.keys(packages) as ClientPackage[]

/**
 * Generates what the clients have of openapi.yml: its filters, and the types of its bodies. Returns the files, by their
 * paths in this folder. `change` edits the document before.
 */
export async function generateSources(
  change: (contract: Contract) => void = () => {},
): Promise<Record<string, string>> {
  const contract = parse(await readFile(join(project, 'openapi.yml'), 'utf8'))
  change(contract)
  return { ...generateFilterFiles(contract), ...generateRecordFiles(contract.components.schemas) }
}

/** Writes the generated files into a folder of clients. */
export async function writeSources(directory: string, sources: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(sources)) await writeFile(join(directory, path), text)
}

/**
 * Builds a package and packs it into a folder. Returns the path of the file, `NAME-VERSION.tgz`. Throws an `Error` with
 * what the compiler says.
 */
export async function packClient(name: ClientPackage, directory: string): Promise<string> {
  return store(await createNpmPackage(name), directory)
}

/** Packs the Python client into a folder. Returns the path of the wheel. */
export async function packPythonClient(directory: string): Promise<string> {
  return store(await createWheel(), directory)
}

/** Packs all packages. */
export function createArchives(): Promise<Archive[]> {
  return Promise.all([...clientPackages.map(createNpmPackage), createWheel()])
}

/** Packs all packages into a folder, with their hashes. Returns the paths of the packages. */
export async function packClients(directory: string): Promise<string[]> {
  return storeArchives(await createArchives(), directory, 'sha256sums.txt')
}

async function store({ name, content }: Archive, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, name), content)
  return join(directory, name)
}

async function createNpmPackage(name: ClientPackage): Promise<Archive> {
  const source = packages[name]
  const output = await mkdtemp(join(tmpdir(), 'devdata-pack-'))
  try {
    await source.build(source.directory, output)
    const files = new Map<string, Uint8Array>()
    for (const file of ['package.json', 'README.md', 'LICENSE']) {
      files.set(file, await readFile(join(source.directory, file)))
    }
    for (const [path, content] of await readFolder(output)) files.set(`dist/${path}`, content)
    const { version } = JSON.parse(await readFile(join(source.directory, 'package.json'), 'utf8'))
    return { name: `${name}-${version}.tgz`, content: await writeNpmArchive(files) }
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}

async function createWheel(): Promise<Archive> {
  const source = join(import.meta.dirname, 'python')
  const readText = (name: string) => readFile(join(source, name), 'utf8')
  const { project: python } = parseToml(await readText('pyproject.toml'))
  return writeWheel(python as unknown as PythonProject, {
    modules: await readPythonModule(join(source, 'src'), 'devdata_client'),
    readme: await readText('README.md'),
    license: await readFile(join(source, 'LICENSE')),
  })
}

/** Reads the sources of a module, and not what Python and its tools leave beside them. */
async function readPythonModule(directory: string, module: string): Promise<Map<string, Uint8Array>> {
  const files = await readFolder(join(directory, module))
  const sources = [...files].filter(([path]) => /^[^/]+\.py$|^py\.typed$/.test(path))
  return new Map(sources.map(([path, content]) => [`${module}/${path}`, content]))
}

/** Compiles the client: JavaScript without comments, and declarations with them, where editors look for them. */
async function compileClient(directory: string, outDirectory: string): Promise<void> {
  for (const options of [['--emitDeclarationOnly'], ['--declaration', 'false', '--removeComments']]) {
    await compile(directory, outDirectory, options)
  }
}

/** Bundles devdata-mcp with the client and all other packages, so that who installs it needs no registry. */
async function bundleMcp(directory: string, outDirectory: string): Promise<void> {
  await build({
    configFile: false,
    root: directory,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(directory, 'src/main.ts'),
      outDir: outDirectory,
      target: 'node20',
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: { output: { entryFileNames: 'main.js', codeSplitting: false } },
    },
  })
}

if (import.meta.main) {
  await writeSources(import.meta.dirname, await generateSources())
  console.log((await packClients(join(project, 'dist/clients'))).join('\n'))
}
