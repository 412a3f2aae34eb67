/** The licenses of what the packed service passes on. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeText } from '../client/archive.ts'

const project = join(import.meta.dirname, '..')

/**
 * Packages whose code, styles or fonts are in the built docs, and where they have their license. They aren't installed
 * with the service.
 */
const docsPackages = {
  '@astrojs/starlight': 'LICENSE',
  '@fontsource-variable/geist-mono': 'LICENSE',
  '@fontsource-variable/hanken-grotesk': 'LICENSE',
  '@scalar/api-reference': undefined, // the package lacks it
  'expressive-code': 'LICENSE',
  pagefind: 'LICENSE/LICENSE',
} as const
const scalarCopyright = 'Copyright (c) 2023-present Scalar'

/**
 * Renders the list of the packages in folders such as `node_modules/hono`, which have their licenses beside them, and
 * of those in the docs, with the texts of their licenses.
 */
export async function renderLicenses(folders: readonly string[]): Promise<Map<string, Uint8Array>> {
  const all = [...folders, ...Object.keys(docsPackages).map((name) => `node_modules/${name}`)]
  const packages: { name: string; version: string; license: string }[] = await Promise.all(
    all.map(async (folder) => JSON.parse(await readFile(join(project, folder, 'package.json'), 'utf8'))),
  )
  packages.sort((a, b) => (a.name < b.name ? -1 : 1))
  const list = `# Licenses

devdata has the license MIT. These packages and data are passed on with it:

| Package | Version | License |
| --- | --- | --- |
${packages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`).join('\n')}

Names and places of cities are from GeoNames (https://www.geonames.org), under CC BY 4.0.
`
  const files = new Map([['licenses/README.md', encodeText(list)]])
  const ours = await readFile(join(project, 'LICENSE'), 'utf8')
  for (const [name, file] of Object.entries(docsPackages)) {
    const text =
      file === undefined
        ? ours.replace(/^Copyright .*/m, scalarCopyright) // the text of MIT
        : await readFile(join(project, 'node_modules', name, file), 'utf8')
    files.set(`licenses/${name.replace('@', '').replaceAll('/', '-')}.txt`, encodeText(text))
  }
  return files
}
