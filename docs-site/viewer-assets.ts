/**
 * The viewer's files for browsers: Scalar's API reference (a module with chunks that load on demand), our script and our
 * style sheet.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { viewerDirectory, viewerFiles } from '../api/docs/docs-manifest.ts'

/** Writes the viewer's files, without source maps, to a folder of the docs named by their hash. */
export async function writeViewerAssets(directory: string): Promise<void> {
  const files = new Map([...(await readLibrary()), ...(await buildScript())])
  const hash = createHash('sha256')
  for (const [name, text] of files) hash.update(`${name}\0${text}\0`)
  const folder = `${viewerDirectory}/${hash.digest('base64url').slice(0, 22)}`
  await mkdir(join(directory, folder, 'chunks'), { recursive: true })
  for (const [name, text] of files) await writeFile(join(directory, folder, name), text)
}

/** Reads Scalar's library from its package. */
async function readLibrary(): Promise<[string, string][]> {
  // Astro's configuration runs in Vite, which lacks import.meta.resolve.
  const { resolve } = createRequire(import.meta.url)
  const source = join(dirname(resolve('@scalar/api-reference')), 'browser')
  const chunks = (await readdir(join(source, 'chunks'))).filter((name) => name.endsWith('.js')).sort()
  return Promise.all(
    [viewerFiles.library, ...chunks.map((chunk) => `chunks/${chunk}`)].map(
      async (name): Promise<[string, string]> => {
        const text = await readFile(join(source, name), 'utf8')
        return [name, text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n')]
      },
    ),
  )
}

/** Builds our own files from `viewer.ts` and `viewer.css`. */
async function buildScript(): Promise<[string, string][]> {
  const results = await build({
    configFile: false,
    root: import.meta.dirname,
    publicDir: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: { entry: 'viewer.ts', formats: ['es'], fileName: () => viewerFiles.script },
    },
  })
  const outputs = [results].flat().flatMap((result) => ('output' in result ? result.output : []))
  const [script, ...others] = outputs
  if (script?.type !== 'chunk' || others.length > 0) {
    const names = outputs.map(({ fileName }) => fileName).join(', ')
    throw new Error(`viewer.ts was built into ${names}, not into one script`)
  }
  const style = await readFile(join(import.meta.dirname, 'viewer.css'), 'utf8')
  return [
    [script.fileName, script.code],
    [viewerFiles.style, style],
  ]
}
