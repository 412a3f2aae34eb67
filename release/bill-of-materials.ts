/** The bill of materials (SBOM): what scanners compare with known vulnerabilities. */
import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readVersion } from '../api/build-info.ts'
import { type Archive, encodeText } from '../client/archive.ts'
import { type LockedPackage, listPackages } from './service.ts'

/**
 * Lists the packages inside of the packed service (CycloneDX 1.5), from the lock file alone. What `npm sbom` lists
 * depends on the installation, on settings of npm, and on `NODE_ENV`: with the value that Vite sets, peers are missing.
 */
export async function createBillOfMaterials(): Promise<Archive> {
  const packages = await listPackages()
  const { dependencies, license } = JSON.parse(
    await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8'),
  )
  const service = `pkg:npm/devdata@${readVersion()}`
  const listNeeded = (
    folder: string,
    { dependencies = {}, peerDependencies = {} }: Partial<LockedPackage>,
  ) => {
    const needed = Object.keys({ ...dependencies, ...peerDependencies })
    const found = needed.map((name) => findPackage(packages, folder, name)).filter((url) => url !== undefined)
    return [...new Set(found)].sort()
  }
  // A package that is in two folders is listed once.
  const components = new Map<string, object>()
  const needs = new Map([[service, listNeeded('', { dependencies })]])
  for (const [folder, locked] of packages) {
    const url = nameUrl(folder, locked)
    components.set(url, {
      'bom-ref': url,
      type: 'library',
      name: nameOf(folder),
      version: locked.version,
      scope: 'required',
      purl: url,
      hashes: [{ alg: 'SHA-512', content: readSha512(locked.integrity) }],
      licenses: [{ expression: locked.license }],
    })
    needs.set(url, [...new Set([...(needs.get(url) ?? []), ...listNeeded(folder, locked)])].sort())
  }
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        'bom-ref': service,
        type: 'application',
        name: 'devdata',
        version: readVersion(),
        purl: service,
        licenses: [{ expression: license }],
      },
    },
    components: [...components.values()],
    dependencies: [...needs].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  }
  return { name: 'sbom.cdx.json', content: encodeText(`${JSON.stringify(bill, null, 2)}\n`) }
}

const nameOf = (folder: string) => folder.replace(/^.*node_modules\//, '')

/** The URL of a package, by which scanners know it. */
const nameUrl = (folder: string, { version }: LockedPackage) =>
  `pkg:npm/${nameOf(folder).replace('@', '%40')}@${version}`

/** Finds a package as Node does: inside of the folder that needs it, then in those above. */
function findPackage(
  packages: ReadonlyMap<string, LockedPackage>,
  folder: string,
  name: string,
): string | undefined {
  const path = `${folder}${folder && '/'}node_modules/${name}`
  const found = packages.get(path)
  if (found !== undefined) return nameUrl(path, found)
  if (folder === '') return undefined
  return findPackage(packages, folder.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, ''), name)
}

/** The SHA-512 of the package's file in the registry, in hexadecimal digits. */
function readSha512(integrity: string): string {
  const [, hash] = /^sha512-(\S+)$/.exec(integrity) ?? []
  if (hash === undefined) throw new Error(`package-lock.json has a hash that isn't SHA-512: ${integrity}`)
  return Buffer.from(hash, 'base64').toString('hex')
}
