/**
 * `npm run bench -- catalog`: any page of any filter, and how the data gets in.
 *
 * @module
 */
import type { Report } from '../figures.ts'
import { startClosedLoop } from '../load.ts'
import type { LoadedDatabase, Stage } from '../stage.ts'
import { measureBatches } from './batches.ts'
import { measureCompression } from './compression.ts'
import { measureCorrections } from './corrections.ts'
import { measureFirstSight } from './first-sight.ts'
import { measureDepth, measureGrowth } from './latency.ts'
import { measureDisk, measureImport } from './loading.ts'
import { createPicture } from './picture.ts'
import { measureRefresh } from './refresh.ts'
import { measureThroughput } from './throughput.ts'

/** What can be chosen on the command line. */
export interface CatalogOptions {
  users: number
  /** Of the small data that growth is measured against. */
  smallUsers: number
  rounds: number
  /** Of each run of throughput; latencies are measured for a sixth of it. */
  seconds: number
  /** An SVG file. */
  picture?: string
  /** Only these. */
  part?: readonly CatalogPart[]
}

/** In the order in which they are measured: those that change the data come last. */
export const catalogParts = [
  'import',
  'disk',
  'depth',
  'growth',
  'first-sight',
  'throughput',
  'batches',
  'compression',
  'corrections',
  'refresh',
] as const
export type CatalogPart = (typeof catalogParts)[number]

/** Data between the small and the large: the picture shows it too. */
const middleUsers = 100_000

export async function measureCatalog(report: Report, stage: Stage, options: CatalogOptions): Promise<void> {
  const { users, smallUsers, rounds, seconds, part = catalogParts } = options
  await using generator = startClosedLoop()
  const picture = createPicture()
  const brief = { rounds, seconds: seconds / 6 }
  const database = await stage.open(users)
  const openSmaller = async () => {
    const databases: LoadedDatabase[] = []
    for (const size of [smallUsers, middleUsers]) if (size < users) databases.push(await stage.open(size))
    return databases
  }
  const parts: Record<CatalogPart, () => Promise<void>> = {
    import: () => measureImport(report, stage, database),
    disk: () => measureDisk(report, database),
    depth: () => measureDepth(report, generator, database, picture, brief),
    growth: async () =>
      measureGrowth(report, generator, [...(await openSmaller()), database], picture, brief),
    'first-sight': () => measureFirstSight(report, database, { rounds }),
    throughput: () => measureThroughput(report, generator, stage, database, { rounds, seconds }),
    batches: () => measureBatches(report, generator, database, { rounds, seconds }),
    compression: () => measureCompression(report, generator, database, { rounds, seconds }),
    corrections: async () =>
      measureCorrections(report, generator, stage, [database, (await openSmaller()).at(-1)], brief),
    refresh: () => measureRefresh(report, generator, stage, database, { seconds }),
  }
  for (const name of catalogParts) if (part.includes(name)) await parts[name]()
  if (options.picture !== undefined) await picture.save(options.picture, report.machine)
}
