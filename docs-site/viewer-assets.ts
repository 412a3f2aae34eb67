/**
 * The viewer's files for browsers: Scalar's API reference (a module with chunks that load on demand), our script and
 * our style sheet.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { viewerDirectory, viewerFiles } from '../api/portal/docs-manifest.ts'

/** Writes the viewer's files, without source maps, to a folder of the docs named by their hash. */
export async function writeViewerAssets(directory: string): Promise<void> {
  const style: [string, string] = [viewerFiles.style, await writeStyle(directory)]
  const files = new Map([...(await readLibrary()), ...(await buildScript()), style])
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
        return [
          name,
          // The docs' own word for the key stands in commands, too.
          text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n').replaceAll('YOUR_SECRET_TOKEN', 'YOUR_KEY'),
        ]
      },
    ),
  )
}

/** Joins the docs' colors and fonts with `viewer.css`. The fonts are the docs' files, so browsers load them once. */
async function writeStyle(directory: string): Promise<string> {
  const sources = ['src/portal.css', 'src/styles/fonts.css', viewerFiles.style]
  const texts = await Promise.all(sources.map((name) => readFile(join(import.meta.dirname, name), 'utf8')))
  const assets = await readdir(join(directory, '_astro'))
  const style = texts
    .join('\n')
    .replace(/@fontsource-variable\/[^"]+\/([\w-]+)\.woff2/g, (_, font: string) => {
      const name = assets.find((each) => each.startsWith(`${font}.`))
      if (name === undefined) throw new Error(`The docs have no font ${font}`)
      return `../../_astro/${name}`
    })
  // The page's script sets the theme. Without JavaScript the system's applies.
  const light = /^:root\[data-theme="light"\] (\{[^}]*\})/m.exec(style)?.[1]
  if (light === undefined) throw new Error('portal.css has no light theme')
  return `${style}\n@media (prefers-color-scheme: light) { :root:not([data-theme]) ${light} }\n`
}

/** Builds our own script from `viewer.ts`. */
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
  return [[script.fileName, script.code]]
}
