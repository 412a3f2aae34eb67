/**
 * The parts of the benchmark: each can be measured alone.
 *
 * @module
 */
import { measureBatches } from './catalog/batches.ts'
import { measureCompression } from './catalog/compression.ts'
import { measureCorrections } from './catalog/corrections.ts'
import { measureFirstSight } from './catalog/first-sight.ts'
import { measureDepth, measureGrowth } from './catalog/latency.ts'
import { measureDisk, measureImport } from './catalog/loading.ts'
import { measureRefresh } from './catalog/refresh.ts'
import { measureThroughput } from './catalog/throughput.ts'
import { measureEmbedded } from './embedded.ts'
import type { Report } from './figures.ts'
import { measureForge, sizeForge } from './forge.ts'
import type { Form } from './forms.ts'
import { measureInstances, measureLedgerSize, measureLookUps } from './ledger.ts'
import type { ClosedLoop } from './load.ts'
import { measureOverload } from './overload.ts'
import { measureRuntimes } from './runtimes.ts'
import type { LoadedDatabase, Stage } from './stage.ts'

/** What a part works with. */
export interface Bench {
  report: Report
  stage: Stage
  form: Form
  generator: ClosedLoop
}

export interface Part {
  name: string
  /** Several parts that can be measured together. */
  subject?: 'ledger' | 'catalog'
  /** How much data it is measured on. */
  sizeData(form: Form): Record<string, number>
  measure(bench: Bench): Promise<void>
}

const users = (form: Form) => ({ users: form.users })
/** Of parts whose figures depend on the size of the data. */
const largeUsers = (form: Form) => ({ users: form.largeUsers })

/** In the order in which they are measured: the refresh changes the data, so it comes last. */
export const parts: readonly Part[] = [
  {
    name: 'ledger-size',
    subject: 'ledger',
    sizeData: ({ users, ledgerRows }) => ({ users, 'ledger entries': ledgerRows }),
    measure: measureLedgerSize,
  },
  { name: 'look-ups', subject: 'ledger', sizeData: users, measure: measureLookUps },
  { name: 'instances', subject: 'ledger', sizeData: users, measure: measureInstances },
  { name: 'overload', sizeData: users, measure: measureOverload },
  { name: 'runtimes', sizeData: users, measure: measureRuntimes },
  {
    name: 'embedded',
    sizeData: ({ embeddedUsers }) => ({ users: embeddedUsers }),
    measure: measureEmbedded,
  },
  {
    name: 'forge',
    sizeData({ forgeUsers }) {
      const { users, repositories, terms } = sizeForge(forgeUsers)
      return { users, repositories, dependencies: terms }
    },
    measure: measureForge,
  },
  {
    name: 'throughput',
    subject: 'catalog',
    sizeData: users,
    measure: async ({ report, stage, form, generator }) =>
      measureThroughput(report, generator, stage, await stage.open(form.users), form),
  },
  {
    name: 'batches',
    subject: 'catalog',
    sizeData: users,
    measure: async ({ report, stage, form, generator }) =>
      measureBatches(report, generator, await stage.open(form.users), form),
  },
  {
    name: 'compression',
    subject: 'catalog',
    sizeData: users,
    measure: async ({ report, stage, form, generator }) =>
      measureCompression(report, generator, await stage.open(form.users), form),
  },
  {
    name: 'import',
    subject: 'catalog',
    sizeData: largeUsers,
    measure: async ({ report, stage, form }) =>
      measureImport(report, stage, await stage.open(form.largeUsers)),
  },
  {
    name: 'disk',
    subject: 'catalog',
    sizeData: largeUsers,
    measure: async ({ report, stage, form }) => measureDisk(report, await stage.open(form.largeUsers)),
  },
  {
    name: 'depth',
    subject: 'catalog',
    sizeData: largeUsers,
    measure: async ({ report, stage, form, generator }) =>
      measureDepth(report, generator, await stage.open(form.largeUsers), shorten(form)),
  },
  {
    name: 'growth',
    subject: 'catalog',
    sizeData: largeUsers,
    measure: async ({ report, stage, form, generator }) =>
      measureGrowth(report, generator, await openSizes(stage, form), shorten(form)),
  },
  {
    name: 'first-sight',
    subject: 'catalog',
    sizeData: largeUsers,
    measure: async ({ report, stage, form }) =>
      measureFirstSight(report, await stage.open(form.largeUsers), form),
  },
  {
    name: 'corrections',
    subject: 'catalog',
    sizeData: largeUsers,
    async measure({ report, stage, form, generator }) {
      const [large, ...smaller] = (await openSizes(stage, form)).toReversed()
      if (large !== undefined)
        await measureCorrections(report, generator, stage, [large, smaller[0]], shorten(form))
    },
  },
  {
    name: 'refresh',
    subject: 'catalog',
    sizeData: largeUsers,
    measure: async ({ report, stage, form, generator }) =>
      measureRefresh(report, generator, stage, await stage.open(form.largeUsers), form),
  },
]

/** How long latencies are measured. */
function shorten({ rounds, seconds }: Form): Pick<Form, 'rounds' | 'seconds'> {
  return { rounds, seconds: seconds / 6 }
}

/** Data between the small and the large. */
const middleUsers = 100_000

/** Data of two or three sizes, the smallest first. */
async function openSizes(stage: Stage, { smallUsers, largeUsers }: Form): Promise<LoadedDatabase[]> {
  const databases: LoadedDatabase[] = []
  for (const size of [smallUsers, middleUsers, largeUsers]) {
    if (size < largeUsers || size === largeUsers) databases.push(await stage.open(size))
  }
  return databases.filter((database, index) => databases.indexOf(database) === index)
}
