/** The variable parts of the viewer's page, for the manifest of a build. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DocsManifest, viewerDirectory, viewerFiles } from '../api/portal/docs-manifest.ts'
import { writeFirstView } from './viewer-first-view.ts'

/** Describes the viewer in the folder of a build. Throws an `Error` if the folder lacks it, or the text's font. */
export async function describeViewer(files: string): Promise<DocsManifest['viewer']> {
  const [name] = await readdir(join(files, viewerDirectory))
  const fonts = await readdir(join(files, '_astro'))
  const font = fonts.find((each) => /^hanken-grotesk.*\.woff2$/.test(each))
  if (name === undefined || font === undefined) throw new Error('The build has no viewer, or no font')
  const directory = `${viewerDirectory}/${name}`
  const library = await listImports(join(files, directory), viewerFiles.library)
  return { directory, font: `_astro/${font}`, library, firstView: writeFirstView() }
}

/** Lists a module and everything that it imports statically, at any depth, relative to `directory`. */
async function listImports(directory: string, entry: string): Promise<string[]> {
  const found = new Set([entry])
  for (const name of found) {
    const text = await readFile(join(directory, name), 'utf8')
    // Scalar's files are minified: import{a as b}from"./chunks/name.js", or import"./name.js".
    for (const [, imported = ''] of text.matchAll(/\b(?:from|import)\s*["']\.\/([\w./-]+\.js)["']/g)) {
      found.add(name.startsWith('chunks/') ? `chunks/${imported}` : imported)
    }
  }
  return [...found]
}
