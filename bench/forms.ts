/** How much is measured. */
import { readFreeBytes } from './machine.ts'

/** Sizes and durations. */
export interface Form {
  /** In the database. */
  users: number
  /** The same, for parts whose figures depend on the size of the data. */
  largeUsers: number
  /** Of the small data that the large is compared with. */
  smallUsers: number
  /** Runs of each contender. */
  rounds: number
  /** Length of a run; latencies are measured for a sixth of it. */
  seconds: number
  overloadSeconds: number
  /** Of the large ledger. The small one has those of a day. */
  ledgerRows: number
  /** Of a key in each day of a filled ledger. */
  entriesPerDay: number
  /** In the embedded database. */
  embeddedUsers: number
  /** Of the simulated forge. */
  forgeUsers: number
}

const usual: Form = {
  users: 100_000,
  largeUsers: 100_000,
  smallUsers: 10_000,
  rounds: 5,
  seconds: 6,
  overloadSeconds: 30,
  ledgerRows: 10_000_000,
  entriesPerDay: 100,
  embeddedUsers: 5_000,
  forgeUsers: 150_000_000,
}

/** By the option that chooses them. `folder` is where the databases are. */
export const forms = {
  usual: () => usual,
  /** Whether everything still runs, and agrees. Its figures mean nothing. */
  tiny: () => ({
    users: 600,
    largeUsers: 600,
    smallUsers: 300,
    rounds: 1,
    seconds: 0.05,
    overloadSeconds: 1,
    ledgerRows: 20_000,
    entriesPerDay: 10,
    embeddedUsers: 300,
    forgeUsers: 3_000,
  }),
  quick: () => ({
    ...usual,
    rounds: 1,
    seconds: 2,
    overloadSeconds: 10,
    ledgerRows: 1_000_000,
    forgeUsers: 1_000_000,
  }),
  /** What `--record` measures, unless options say otherwise. */
  record: async (folder: string) => ({
    ...usual,
    largeUsers: 1_000_000,
    rounds: 3,
    seconds: 3,
    forgeUsers: Math.min(usual.forgeUsers, Math.floor((await readFreeBytes(folder)) / bytesOfForgeUser)),
  }),
} satisfies Record<string, (folder: string) => Form | Promise<Form>>

/** What a user of the simulated forge takes of the disk at most, with 2.7 repositories and the write-ahead log. */
const bytesOfForgeUser = 400
