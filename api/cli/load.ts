/** What the commands that load data have in common: the database, progress, interruption, and what they print. */
import process from 'node:process'
import type { Config } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import type { DatasetChangeResult } from '../dataset/dataset-change.ts'
import type { Change } from '../dataset/pending-change.ts'
import { OperatorError } from '../errors.ts'
import type { HistoryCounts } from '../sources/git/history.ts'
import { dropStaged } from '../staging/staging.ts'
import { countOf, formatCount, sortByCount } from './output.ts'
import { type Progress, startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

/** Items that are printed one by one. The rest is counted. */
const maxLines = 20

/** What a load gets. */
export interface LoadContext {
  config: Config
  progress: Progress
  /** Aborted on interruption. */
  signal: AbortSignal
  onBegin: (importId: number) => void
}

/** Runs a load with its progress on standard error, and prints the result. An interruption drops the staging tables. */
export function runLoad<Result>(
  load: (sql: Sql, context: LoadContext) => Promise<Result>,
  print: (result: Result, seconds: number) => void | Promise<void>,
): Promise<void> {
  const options = { longStatements: true, createsDatabase: true }
  return withDatabase(options, async ({ config, sql, onInterruption }) => {
    const startedAt = performance.now()
    const progress = startProgress(process.stderr)
    // On the embedded database that may have to wait too long for the statement under way. The next load drops them
    // then.
    const interruption = new AbortController()
    onInterruption(async () => interruption.abort())
    const onBegin = (importId: number) =>
      onInterruption(async (others) => {
        interruption.abort()
        await dropStaged(others, importId).catch(() => {})
      })
    const { signal } = interruption
    const result = await load(sql, { config, progress, signal, onBegin }).finally(progress.end)
    await print(result, Math.round(performance.now() - startedAt) / 1000)
  })
}

/** What a load changed, as JSON. */
export function summarize({ users, addresses, repositories, commits, version }: DatasetChangeResult) {
  return { users, addresses, repositories, commits, dataset_version: version }
}

/** What a load changed, for people. */
export function describeLoad({
  users,
  addresses,
  repositories,
  commits,
  version,
}: DatasetChangeResult): string {
  const change = ({ added, updated, removed }: Change) =>
    `${formatCount(added)} added, ${formatCount(updated)} updated${removed > 0 ? `, ${formatCount(removed)} removed` : ''}`
  return [
    `users         ${change(users)}`,
    ...(hasChange(addresses) ? [`addresses     of users: ${change(addresses)}`] : []),
    `repositories  ${change(repositories)}`,
    `commits       ${change(commits)}`,
    `dataset       version ${version}`,
  ].join('\n')
}

/** What a load read of manifests, for people. */
export function describeManifests(
  { read, computed, leftOut, unread }: HistoryCounts,
  { including }: { including?: string } = {},
): string[] {
  const whose = computed === 1 ? 'its' : 'their'
  const hint = including === undefined ? '' : `; ${including} includes them`
  return [
    ...(read.size > 0 ? [`manifests     ${listKinds(read)}`] : []),
    ...(computed > 0
      ? [
          `incomplete    ${countOf(computed, 'manifest')}: some of ${whose} dependencies are computed, or defined elsewhere`,
        ]
      : []),
    ...(leftOut > 0 ? [`left out      ${countOf(leftOut, 'manifest')} of tests and fixtures${hint}`] : []),
    ...(unread.size > 0 ? [`not read      ${listKinds(unread)}`] : []),
  ]
}

/** What a load read of manifests, as JSON. */
export function summarizeManifests({ read, computed, leftOut, unread }: HistoryCounts) {
  return {
    manifests_read: Object.fromEntries(read),
    manifests_computed: computed,
    manifests_left_out: leftOut,
    manifests_not_read: Object.fromEntries(unread),
  }
}

/** The error of a load that failed at some of its items. The exit code follows it, so that schedulers notice. */
export function createPartialFailure(items: string): OperatorError {
  return new OperatorError(
    `The import failed at ${items}, and loaded the rest. It doesn't count as a success. Fix what the summary names, ` +
      'then run the import again',
  )
}

/** Prints the first lines, each after a label, and the number of the others. */
export function printLines(
  label: string,
  lines: readonly string[],
  { all = '--report or --json' } = {},
): void {
  for (const line of lines.slice(0, maxLines)) console.log(`${label}${line}`)
  const others = lines.length - maxLines
  if (others > 0) console.log(`${label}${formatCount(others)} more; ${all} lists all`)
}

/** The most frequent kind comes first. */
function listKinds(counts: ReadonlyMap<string, number>): string {
  return sortByCount(counts)
    .map(([kind, count]) => `${formatCount(count)} ${kind}`)
    .join(', ')
}

function hasChange({ added, updated, removed }: Change): boolean {
  return added + updated + removed > 0
}
