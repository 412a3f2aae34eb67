/**
 * `npm run package` packs the service into `dist/release`, with the docs for the `BASE_URL` of the settings. `npm run
 * release` makes everything that a release has, if nothing stands in its way.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, readEnvironment } from '../api/config.ts'
import { type Archive, encodeText, storeArchives } from '../client/archive.ts'
import { createArchives } from '../client/build.ts'
import { buildDocs } from '../docs-site/build.ts'
import { createBillOfMaterials } from './bill-of-materials.ts'
import { listProblems, readNewestChanges, readReleaseState } from './checks.ts'
import { packService } from './service.ts'

const project = join(import.meta.dirname, '..')
const directory = join(project, 'dist', 'release')

/** What a release has besides the service. */
async function createOthers(): Promise<Archive[]> {
  return [
    ...(await createArchives()),
    { name: 'openapi.yml', content: await readFile(join(project, 'openapi.yml')) },
    await createBillOfMaterials(),
    { name: 'NOTES.md', content: encodeText((await readNewestChanges()).text) },
  ]
}

const isRelease = process.argv.includes('--release')
if (isRelease) {
  const problems = listProblems(await readReleaseState())
  if (problems.length > 0) {
    console.error(problems.join('\n'))
    process.exit(1)
  }
}
// A release is right for every BASE_URL without a path.
const { commit, ...settings } = readConfig(readEnvironment(process.env))
const baseUrl = isRelease ? undefined : settings.baseUrl
await buildDocs({ baseUrl, ifStale: true })
const files = [await packService({ baseUrl, commit }), ...(isRelease ? await createOthers() : [])]
await rm(directory, { recursive: true, force: true })
console.log((await storeArchives(files, directory, 'SHA256SUMS')).join('\n'))
