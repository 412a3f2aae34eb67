/**
 * Builds the documentation into `dist/docs`: `node docs-site/build.ts [--base-url URL] [--if-stale]`.
 *
 * The pages come from Astro, the viewer's scripts from Scalar's package and `viewer.ts`, and each page is there as Markdown too. Texts
 * are compressed beside themselves, and a manifest says what is there, so that the API serves the folder without looking
 * into it and without any of the packages that made it.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { getMimeType } from 'hono/utils/mime'
import { readConfig, readEnvironment } from '../api/config.ts'
import { hashInlineScripts } from '../api/routes/content-security-policy.ts'
import { type DocsManifest, docsManifestName, readDocsManifest } from '../api/routes/docs-manifest.ts'
import { normalizeBaseUrl, readBasePath } from './base-address.ts'
import { writeMarkdown } from './markdown.ts'
import { writeViewerAssets } from './viewer-assets.ts'

const siteDirectory = import.meta.dirname
const projectDirectory = dirname(siteDirectory)
const distDirectory = join(projectDirectory, 'dist')

/** The folder that holds the built docs. */
export const docsDirectory = join(distDirectory, 'docs')

/** What to build. */
export interface BuildDocsOptions {
  /** The public address of the API (`BASE_URL`); without it samples show the address of a local start. */
  baseUrl?: string | undefined
  /** The folder to fill, below `dist`; default: the one that is served. */
  directory?: string
  /** Build only if sources, packages or base have changed since the last build. */
  ifStale?: boolean
  /** Takes the line that is printed before a build; the default writes it to standard error. */
  onProgress?: (line: string) => void
}

/**
 * Builds the docs and puts them in place of those that were there, which stay until the new ones are
 * complete. Processes that build at the same time take turns.
 *
 * @returns whether anything had to be built
 * @throws {Error} with Astro's own output when the build fails, and when the base URL is none
 */
export async function buildDocs(options: BuildDocsOptions = {}): Promise<boolean> {
  const {
    directory: target = docsDirectory,
    ifStale = false,
    onProgress = (line) => process.stderr.write(`${line}\n`),
  } = options
  const baseUrl = normalizeBaseUrl(options.baseUrl)
  const stamp = await hashSources(baseUrl)
  const isFresh = async () => (await readDocsManifest(target))?.stamp === stamp
  if (ifStale && (await isFresh())) return false

  const unlock = await lockBuild()
  try {
    if (ifStale && (await isFresh())) return false
    onProgress(`Building the documentation (${await explainBuild(target, baseUrl)}) …`)
    const directory = `${target}-new`
    await rm(directory, { recursive: true, force: true })
    await runAstro(directory, { DOCS_BASE_URL: baseUrl ?? '' })
    const viewer = await writeViewerAssets(directory)
    const base = `${readBasePath(baseUrl)}/docs`
    await writeMarkdown(directory, { base, origin: baseUrl ? new URL(baseUrl).origin : '' })
    const manifest: DocsManifest = {
      stamp,
      base,
      baseUrl: baseUrl ?? null,
      viewer,
      ...(await prepareFiles(directory)),
    }
    await writeFile(join(directory, docsManifestName), JSON.stringify(manifest))
    await replaceDocs(directory, target)
    return true
  } finally {
    await unlock()
  }
}

/** Why there is something to build, in words. */
async function explainBuild(target: string, baseUrl: string | undefined): Promise<string> {
  const built = await readDocsManifest(target)
  if (built === undefined || built.baseUrl === (baseUrl ?? null)) return 'some seconds, only after a change'
  const name = (address: string | null | undefined) => address ?? 'a start without BASE_URL'
  return `it was built for ${name(built.baseUrl)}, and is needed for ${name(baseUrl)}`
}

async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.sort()
}

/** A hash of all that a build is made from. */
async function hashSources(baseUrl: string | undefined): Promise<string> {
  const site = (await listFiles(siteDirectory)).filter(
    (file) => !/(^|[/\\])(\.astro|node_modules)[/\\]/.test(relative(siteDirectory, file)),
  )
  const others = [
    'CHANGELOG.md',
    'openapi.yml',
    'package-lock.json',
    'api/routes/content-security-policy.ts',
    'api/routes/docs-manifest.ts',
    'api/routes/viewer-page.ts',
  ].map((name) => join(projectDirectory, name))
  const hash = createHash('sha256').update(baseUrl ?? '')
  for (const file of [...site, ...others.filter(existsSync)]) {
    const content = await readFile(file)
    hash.update(`\n${relative(projectDirectory, file)} ${content.byteLength}\n`).update(content)
  }
  return hash.digest('hex')
}

/**
 * Waits until no other process builds, and keeps others from it until the returned function is called.
 * A lock whose process is gone, or that is older than any build, is taken over.
 */
async function lockBuild(): Promise<() => Promise<void>> {
  const lock = join(distDirectory, 'docs.lock')
  const longestBuildMilliseconds = 10 * 60_000
  await mkdir(distDirectory, { recursive: true })
  for (;;) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' })
      return () => rm(lock, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const owner = Number(await readFile(lock, 'utf8').catch(() => ''))
    const age = Date.now() - ((await stat(lock).catch(() => undefined))?.mtimeMs ?? Date.now())
    if ((owner > 0 && !isRunning(owner)) || age > longestBuildMilliseconds) await rm(lock, { force: true })
    else await new Promise((wake) => setTimeout(wake, 200))
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // EPERM: it runs, and belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Runs Astro in a process of its own, so that its chatter stays there unless it fails. */
async function runAstro(directory: string, settings: Record<string, string>): Promise<void> {
  const require = createRequire(import.meta.url)
  const program = join(dirname(require.resolve('astro/package.json')), 'bin', 'astro.mjs')
  // --force: Astro's cache does not know that the base URL is part of a page's content.
  const parameters = [program, 'build', '--force', '--root', siteDirectory, '--outDir', directory]
  // A variable that is named like one of Vite's own constants replaces it in the pages: BASE_URL would
  // turn the links of the site, and a test runner's DEV its search. So none of them reaches Astro.
  const viteConstants = /^(BASE_URL|SITE|ASSETS_PREFIX|MODE|DEV|PROD|SSR)$/
  const environment = Object.entries(process.env).filter(([name]) => !viteConstants.test(name))
  const child = spawn(process.execPath, parameters, {
    cwd: projectDirectory,
    env: {
      ...Object.fromEntries(environment),
      ...settings,
      NODE_ENV: 'production',
      ASTRO_TELEMETRY_DISABLED: '1',
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const code = await new Promise<number | null>((settle, fail) => {
    child.on('error', fail)
    child.on('close', settle)
  })
  if (code !== 0) throw new Error(`The documentation could not be built:\n${output.trim()}`)
}

function hashContent(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

/** Compresses what shrinks, beside itself, and describes every file for the manifest. */
async function prepareFiles(directory: string): Promise<Pick<DocsManifest, 'files' | 'scriptHashes'>> {
  const files: DocsManifest['files'] = {}
  const scriptHashes = new Set<string>()
  for (const file of await listFiles(directory)) {
    const content = await readFile(file)
    const name = relative(directory, file).split(sep).join('/')
    const type = file.endsWith('.md')
      ? 'text/markdown; charset=utf-8'
      : (getMimeType(file) ?? 'application/octet-stream')
    if (type.startsWith('text/html')) {
      for (const hash of hashInlineScripts(content.toString())) scriptHashes.add(hash)
    }
    const isText = /^text\/|json|xml|javascript|manifest/.test(type)
    const encodings = isText && content.byteLength > 512 ? await compressFile(file, content) : []
    files[name] = { type, hash: hashContent(content), encodings }
  }
  return { files, scriptHashes: [...scriptHashes].sort() }
}

async function compressFile(file: string, content: Buffer): Promise<('br' | 'gzip')[]> {
  // Brotli's best quality takes ten times as long as the next for a few per cent; large files do without.
  const quality = content.byteLength < 500_000 ? 11 : 9
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength,
  }
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content, { level: 9 }),
  ])
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)])
  return ['br', 'gzip']
}

/** Swaps the folders; a server that runs meanwhile misses the docs for an instant at most. */
async function replaceDocs(directory: string, target: string): Promise<void> {
  const old = `${target}-old`
  await rm(old, { recursive: true, force: true })
  if (existsSync(target)) await rename(target, old)
  await rename(directory, target)
  await rm(old, { recursive: true, force: true })
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const { values } = parseArgs({
      options: { 'base-url': { type: 'string' }, 'if-stale': { type: 'boolean', default: false } },
    })
    const baseUrl = values['base-url'] ?? readConfig(readEnvironment(process.env)).baseUrl
    const isBuilt = await buildDocs({ baseUrl, ifStale: values['if-stale'] })
    console.log(isBuilt ? `The documentation is in ${docsDirectory}` : 'The documentation is up to date')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
