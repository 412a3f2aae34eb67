/** The bill of materials (SBOM): what scanners compare with known vulnerabilities. */
import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { readVersion } from '../api/build-info.ts'
import { type Archive, encodeText } from '../client/archive.ts'
import { listPackages } from './service.ts'

/** What we read of npm's list. The other members stay as they are. */
interface BillOfMaterials {
  serialNumber: unknown
  metadata: { timestamp: unknown; tools: unknown }
  components: { name: string; version: string; 'bom-ref': string }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

/**
 * Lists the packages inside of the packed service (CycloneDX 1.5), without what differs between two runs: their times,
 * ids and folders, and the version of npm. npm's own choice (`--omit`) lacks packages that others name as peers.
 */
export async function createBillOfMaterials(): Promise<Archive> {
  const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: dirname(import.meta.dirname),
    maxBuffer: 2 ** 26,
  })
  const { serialNumber: _, metadata, components, dependencies, ...list }: BillOfMaterials = JSON.parse(stdout)
  const { timestamp: __, tools: ___, ...keptMetadata } = metadata
  const packages = await listPackages()
  const packed = new Set(
    [...packages].map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
  )
  const service = `devdata@${readVersion()}`
  const isPacked = (ref: string) => packed.has(ref) || ref === service
  const bill = {
    ...list,
    metadata: {
      ...keptMetadata,
      component: {
        'bom-ref': service,
        type: 'application',
        name: 'devdata',
        version: readVersion(),
        purl: `pkg:npm/${service}`,
      },
    },
    components: components.filter(({ 'bom-ref': ref }) => isPacked(ref)),
    dependencies: dependencies
      .filter(({ ref }) => isPacked(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isPacked) })),
  }
  return { name: 'sbom.cdx.json', content: encodeText(`${JSON.stringify(bill, null, 2)}\n`) }
}
