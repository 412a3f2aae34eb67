/**
 * Builds the documentation into `dist/docs`: `node docs-site/build.ts [--if-stale]`, for the `BASE_URL` of the
 * settings.
 *
 * Astro writes the pages and the viewer's files; each page is also written as Markdown. Texts are compressed beside
 * themselves, and a manifest describes every file. So the service needs none of the packages used here.
 *
 * Each build has its own folder, also for Astro's temporary files, and takes effect with one rename. Concurrent builds
 * and running servers don't disturb each other (decisions/0008-portal.md).
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, sep } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { getMimeType } from 'hono/utils/mime'
import { readBasePath, readConfig, readEnvironment } from '../api/config.ts'
import { hashInlineScripts } from '../api/portal/content-security-policy.ts'
import {
  type DocsFile,
  type DocsManifest,
  docsDirectory,
  docsManifestName,
  findDocs,
  nameDocsPointer,
  viewerPage,
} from '../api/portal/docs-manifest.ts'
import { contactPlaceholder, listSlots } from '../api/portal/slots.ts'
import { listFiles } from '../client/list-files.ts'
import { originPlaceholder } from './base-url.ts'
import { writeMarkdown } from './markdown.ts'
import { movedPages } from './moved-pages.ts'
import { writeSearchWords } from './search-data.ts'

const siteDirectory = import.meta.dirname
const projectDirectory = dirname(siteDirectory)

/** Unused folders are removed when they are older than this, which is longer than any build takes. */
const maxLeftoverAgeMs = 10 * 60_000

/** The service completes texts that contain one of them. */
const placeholders = [originPlaceholder, contactPlaceholder]

/** What to build. */
export interface BuildDocsOptions {
  /** `BASE_URL` as `readConfig` returns it; undefined: pages show the origin of each request. */
  baseUrl?: string | undefined
  /** The folder of all builds. Default: the one that is served. */
  directory?: string
  /** Build only if sources or packages have changed since the last build for this `BASE_URL`. */
  ifStale?: boolean
  /** Gets the line that is printed before a build. Default: writes it to standard error. */
  onProgress?: (line: string) => void
}

/**
 * Builds the docs, and publishes them once they are complete. Returns whether a build was necessary.
 * Throws an `Error` with Astro's output if the build fails.
 */
export async function buildDocs({
  baseUrl,
  directory = docsDirectory,
  ifStale = false,
  onProgress = (line) => process.stderr.write(`${line}\n`),
}: BuildDocsOptions = {}): Promise<boolean> {
  const stamp = await hashSources(baseUrl)
  if (ifStale && (await findDocs(directory, baseUrl))?.stamp === stamp) return false

  onProgress('Building the documentation (takes up to a minute, only after a change or for a new BASE_URL) …')
  await mkdir(directory, { recursive: true })
  await removeLeftovers(directory)
  const draft = await mkdtemp(join(directory, 'draft-'))
  try {
    const files = join(draft, 'docs')
    const shownUrl = baseUrl ?? originPlaceholder
    const clients = join(draft, 'clients')
    // Its options have a function, which the configuration of Astro can't pass on to pages.
    const frames = JSON.stringify(relative(draft, join(siteDirectory, 'code-frames.ts')).split(sep).join('/'))
    await writeFile(join(draft, 'ec.config.mjs'), `export { codeFrames as default } from ${frames}\n`)
    await Promise.all([
      runProgram([join(siteDirectory, 'clients.ts'), clients], {}),
      runAstro(draft, files, { DOCS_BASE_URL: shownUrl }),
    ])
    await cp(clients, join(files, 'clients'), { recursive: true })
    await moveViewer(files)
    await writeMarkdown(files, { base: `${readBasePath(baseUrl)}/docs`, origin: new URL(shownUrl).origin })
    await writeSearchWords(files)
    // Crawlers may read everything. The service names no sitemap if it doesn't know its URL.
    const robots = `User-agent: *\nDisallow:\nSitemap: ${shownUrl}/docs/sitemap-index.xml\n`
    await writeFile(join(files, 'robots.txt'), robots)
    const manifest: DocsManifest = {
      stamp,
      baseUrl: baseUrl ?? null,
      movedPages,
      placeholder: originPlaceholder,
      ...(await prepareFiles(files)),
    }
    await writeFile(join(files, docsManifestName), JSON.stringify(manifest))
    const name = basename(draft).replace('draft', stamp.slice(0, 16))
    await rename(files, join(directory, name))
    const pointer = join(draft, 'pointer')
    await writeFile(pointer, name)
    await rename(pointer, join(directory, nameDocsPointer(baseUrl)))
    return true
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Takes the viewer out of the docs' pages: its URL is `/api-docs`, beside them. */
async function moveViewer(files: string): Promise<void> {
  const page = join('api-docs', 'index.html')
  for (const [from, to] of [[page, viewerPage] as const, ['sitemap-0.xml', 'sitemap-0.xml'] as const]) {
    const text = await readFile(join(files, from), 'utf8')
    await writeFile(join(files, to), text.replaceAll('/docs/api-docs/', '/api-docs'))
  }
  await rm(join(files, dirname(page)), { recursive: true })
}

/** Removes old builds that no pointer names, and remains of interrupted builds. */
async function removeLeftovers(directory: string): Promise<void> {
  const names = await readdir(directory)
  const pointers = names.filter((name) => name.startsWith('for-'))
  const used = await Promise.all(pointers.map((name) => readFile(join(directory, name), 'utf8')))
  for (const name of names) {
    if (pointers.includes(name) || used.includes(name)) continue
    const path = join(directory, name)
    const status = await stat(path).catch(() => undefined)
    if (status && Date.now() - status.mtimeMs > maxLeftoverAgeMs) {
      await rm(path, { recursive: true, force: true })
    }
  }
}

/** A hash of everything that a build depends on. */
async function hashSources(baseUrl: string | undefined): Promise<string> {
  const isSource = (file: string) =>
    !/[/\\](?:\.astro|\.mypy_cache|__pycache__|dist|node_modules)[/\\]/.test(relative(projectDirectory, file))
  const site = (await listFiles(siteDirectory)).filter(isSource)
  const deployed = await listFiles(join(projectDirectory, 'deploy'))
  const clients = (await listFiles(join(projectDirectory, 'client'))).filter(isSource)
  const others = [
    'CHANGELOG.md',
    'openapi.yml',
    'package-lock.json',
    'tsconfig.json',
    'api/cli/csv.ts',
    'api/ledger/credit-price.ts',
    'api/ledger/key-text.ts',
    'api/portal/content-security-policy.ts',
    'api/portal/docs-manifest.ts',
    'api/portal/slots.ts',
  ].map((name) => join(projectDirectory, name))
  const hash = createHash('sha256').update(baseUrl ?? '')
  for (const file of [...site, ...deployed, ...clients, ...others]) {
    const content = await readFile(file)
    hash.update(`\n${relative(projectDirectory, file)} ${content.byteLength}\n`).update(content)
  }
  return hash.digest('hex')
}

function runAstro(root: string, directory: string, settings: Record<string, string>): Promise<void> {
  const require = createRequire(import.meta.url)
  const program = join(dirname(require.resolve('astro/package.json')), 'bin', 'astro.mjs')
  // Astro writes temporary files into its root. The path of its configuration is relative to that.
  const config = relative(root, join(siteDirectory, 'astro.config.ts'))
  return runProgram([program, 'build', '--root', root, '--config', config, '--outDir', directory], settings)
}

/** Runs a program in its own process, which keeps its output unless it fails. */
async function runProgram(parameters: readonly string[], settings: Record<string, string>): Promise<void> {
  // A variable named like one of Vite's constants would replace it in the pages: BASE_URL would change the site's
  // links, and a test runner's DEV its search.
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
  // A signal to this process ends the build too.
  let isStopped = false
  const stop = (signal: NodeJS.Signals) => {
    isStopped = true
    child.kill(signal)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const code = await new Promise<number | null>((settle, fail) => {
    child.on('error', fail)
    child.on('close', settle)
  })
  process.off('SIGINT', stop)
  process.off('SIGTERM', stop)
  if (isStopped) throw new Error('The build of the documentation was stopped')
  if (code !== 0) throw new Error(`The documentation can't be built:\n${output.trim()}`)
}

function hashContent(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

/** Writes compressed variants beside files, and describes every file for the manifest. */
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
    const slots = isText ? listSlots(content.toString()) : []
    const isTemplate = slots.length > 0 || placeholders.some((each) => content.includes(each))
    if (isTemplate && !/^text\/(html|markdown|plain)|\/xml/.test(type)) {
      throw new Error(`${name} has a placeholder or a slot, which are allowed in pages and the sitemap only`)
    }
    const isCompressed = isText && content.byteLength > 512
    const encodings: DocsFile['encodings'] = isCompressed ? ['br', 'gzip'] : []
    if (isCompressed && !isTemplate) await compressFile(file, content)
    files[name] = { type, hash: hashContent(content), encodings, isTemplate, slots }
  }
  return { files, scriptHashes: [...scriptHashes].sort() }
}

async function compressFile(file: string, content: Buffer): Promise<void> {
  // Brotli's best quality takes ten times as long as the next for a few percent less, which large files forgo.
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
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({ options: { 'if-stale': { type: 'boolean', default: false } } })
    const { baseUrl } = readConfig(readEnvironment(process.env))
    const isBuilt = await buildDocs({ baseUrl, ifStale: values['if-stale'] })
    console.error(isBuilt ? `The documentation is in ${docsDirectory}` : 'The documentation is up to date')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
