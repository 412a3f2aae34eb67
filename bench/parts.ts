/** The parts of the benchmark: each can be measured alone. */
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
import type { Stage } from './stage.ts'
import { measureWebhook } from './webhook.ts'

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
const ledgerEntries = ({ users, ledgerRows }: Form) => ({ users, 'ledger entries': ledgerRows })
const embeddedUsers = (form: Form) => ({ users: form.embeddedUsers })
const forgeItems = ({ forgeUsers }: Form) => {
  const { users, repositories, terms } = sizeForge(forgeUsers)
  return { users, repositories, dependencies: terms }
}

/** In the order in which they are measured: the refresh changes the data, so it comes last. */
export const parts: readonly Part[] = [
  { name: 'ledger-size', subject: 'ledger', sizeData: ledgerEntries, measure: measureLedgerSize },
  { name: 'look-ups', subject: 'ledger', sizeData: users, measure: measureLookUps },
  { name: 'instances', subject: 'ledger', sizeData: users, measure: measureInstances },
  { name: 'overload', sizeData: users, measure: measureOverload },
  { name: 'webhook', sizeData: users, measure: measureWebhook },
  { name: 'runtimes', sizeData: users, measure: measureRuntimes },
  { name: 'embedded', sizeData: embeddedUsers, measure: measureEmbedded },
  { name: 'forge', sizeData: forgeItems, measure: measureForge },
  { name: 'throughput', subject: 'catalog', sizeData: users, measure: measureThroughput },
  { name: 'batches', subject: 'catalog', sizeData: users, measure: measureBatches },
  { name: 'compression', subject: 'catalog', sizeData: users, measure: measureCompression },
  { name: 'import', subject: 'catalog', sizeData: largeUsers, measure: measureImport },
  { name: 'disk', subject: 'catalog', sizeData: largeUsers, measure: measureDisk },
  { name: 'depth', subject: 'catalog', sizeData: largeUsers, measure: measureDepth },
  { name: 'growth', subject: 'catalog', sizeData: largeUsers, measure: measureGrowth },
  { name: 'first-sight', subject: 'catalog', sizeData: largeUsers, measure: measureFirstSight },
  { name: 'corrections', subject: 'catalog', sizeData: largeUsers, measure: measureCorrections },
  { name: 'refresh', subject: 'catalog', sizeData: largeUsers, measure: measureRefresh },
]
