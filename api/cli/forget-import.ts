/** `devdata forget import …` */
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import type { Command } from 'commander'
import { createPrivateFile, unfinishedSuffix } from '../database/private-file.ts'
import { describeFileError, getMessage, OperatorError } from '../errors.ts'
import {
  decodeDeletionList,
  type EntryResult,
  importDeletionList,
  type ListEntry,
  type ListImportResult,
  parseDeletionList,
  previewDeletionList,
} from '../people/deletion-list.ts'
import { canAsk, confirm } from './confirm.ts'
import { writeCsv } from './csv.ts'
import { countOf, formatCount } from './output.ts'
import { describePreview } from './preview-lines.ts'
import { startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

/** Adds `forget import`. */
export function addForgetImportCommand(forget: Command): void {
  forget
    .command('import')
    .summary('Forget everybody on a deletion list')
    .description(
      'Forget everybody whom a deletion list names, and keep the list: later loads leave out whoever has ' +
        'one of its addresses. Each line is an email address, or the SHA-256 of the trimmed address in ' +
        'lowercase, in hexadecimal digits or Base64, as regulators publish it. Empty lines and lines that ' +
        'begin with # are ignored. What is removed is what "forget user" removes. The command reads all ' +
        'commits, and other loads wait for it. The database keeps neither the addresses nor their hashes, ' +
        'but keyed hashes of the hashes. On a terminal, the command first counts what would change, and ' +
        'asks for confirmation.',
    )
    .argument('<file>', 'the list')
    .option(
      '--report <file>',
      'write to this file, as CSV, what became of each line; an earlier report is replaced',
    )
    .option('--keep-repositories', 'keep the repositories that these people own, under another owner')
    .option('--dry-run', 'count what would change, and change nothing')
    .option('--yes', "don't ask")
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  devdata forget import list.txt --report report.csv')
    .action(importList)
}

interface ImportListOptions {
  report?: string | undefined
  keepRepositories?: boolean
  dryRun?: boolean
  yes?: true
  json?: true | undefined
}

async function importList(
  file: string,
  { report, keepRepositories = false, dryRun = false, yes, json }: ImportListOptions,
  command: Command,
): Promise<void> {
  if (dryRun && report !== undefined) {
    command.error(
      'error: --report says what became of each line, and --dry-run changes nothing; leave out one of them',
    )
  }
  const entries = parseDeletionList(decodeDeletionList(await readListFile(file)))
  await using reportFile = await createReport(report, entries)
  await withDatabase({ longStatements: true }, async ({ config, sql }) => {
    if (dryRun || canAsk({ yes })) {
      const { results, ...preview } = await previewDeletionList(sql, { entries, keepRepositories })
      const counts = countResults(results)
      const text = `Entries: ${describeResults(counts, 'found')}.\n${describePreview(preview, keepRepositories)}`
      if (dryRun) {
        return console.log(json ? JSON.stringify({ entries: counts, ...preview }) : text)
      }
      await confirm(
        `${text}\nForget everybody on a list of ${countOf(entries.length, 'entry', 'entries')}?`,
        { yes },
      )
    }
    const progress = startProgress(process.stderr)
    const { results, ...done } = await importDeletionList(sql, {
      entries,
      keepRepositories,
      settings: config.dataset,
      onStep: (step) => progress.update({ step, count: 0, unit: '', fraction: undefined }),
      onResults: reportFile?.keep,
      onCommit: reportFile?.complete,
    }).finally(progress.end)
    const failure = reportFile?.failure
    printListResult(done, results, { report: failure ? undefined : report, json })
    if (failure === undefined) return
    const [stream, name] = json ? [process.stderr, 'error'] : [process.stdout, 'output']
    stream.write(formatReport(entries, results))
    throw new OperatorError(`${failure.message}. Everybody is forgotten; the report is on standard ${name}`)
  })
}

/**
 * Creates the report. It is on the disk before anybody is forgotten, and gets its name after that: a second import would
 * report that all of them were forgotten already.
 */
async function createReport(path: string | undefined, entries: readonly ListEntry[]) {
  if (path === undefined) return undefined
  const part = path + unfinishedSuffix
  if ((statSync(part, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new OperatorError(
      `${part} may be the report of an import that was stopped. If --dry-run counts people as already forgotten, rename it, otherwise delete it`,
    )
  }
  const file = await createPrivateFile(path, reportHeader)
  /** Whether the list may have been imported, and nothing has said so. */
  let isUncertain = false
  let failure: OperatorError | undefined
  return {
    /** Why the report couldn't get its name. */
    get failure() {
      return failure
    },
    async keep(results: readonly EntryResult[]): Promise<void> {
      try {
        await file.write(formatReport(entries, results))
        await file.keep()
        isUncertain = true
      } catch (error) {
        throw new OperatorError(`${getMessage(error)}. Nobody was forgotten`)
      }
    },
    async complete(): Promise<void> {
      isUncertain = false
      failure = await file.complete().then(
        () => undefined,
        (error: OperatorError) => error,
      )
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await file[Symbol.asyncDispose]()
      if (!isUncertain || !existsSync(part)) return
      console.error(
        'The list may have been imported nevertheless. If --dry-run counts its people as already forgotten, ' +
          `${part} is the report: rename it before you import again`,
      )
    },
  }
}

async function readListFile(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file)
  } catch (error) {
    throw new OperatorError(`The list ${file} can't be read: ${describeFileError(error)}`)
  }
}

const reportHeader = 'line,entry,result\r\n'

function formatReport(entries: readonly ListEntry[], results: readonly EntryResult[]): string {
  return reportHeader + writeCsv(entries.map(({ line, text }, index) => [line, text, results[index] ?? null]))
}

function countResults(results: readonly EntryResult[]) {
  const count = (wanted: EntryResult) => results.filter((result) => result === wanted).length
  return {
    found: count('found'),
    not_found: count('not found'),
    already_forgotten: count('already forgotten'),
  }
}

function describeResults(counts: ReturnType<typeof countResults>, found = 'found and forgotten'): string {
  return [
    `${formatCount(counts.found)} ${found}`,
    `${formatCount(counts.not_found)} not found`,
    `${formatCount(counts.already_forgotten)} already forgotten`,
  ].join(', ')
}

function printListResult(
  { users, repositories, commits, ledgerEntries, version }: Omit<ListImportResult, 'results'>,
  results: readonly EntryResult[],
  { report, json }: Pick<ImportListOptions, 'report' | 'json'>,
): void {
  const summary = {
    entries: countResults(results),
    users,
    repositories,
    commits,
    ledger_entries: ledgerEntries,
    dataset_version: version,
  }
  const lines = [
    `entries       ${describeResults(summary.entries)}`,
    `users         ${formatCount(users.removed)} removed`,
    `repositories  ${formatCount(repositories.removed)} removed, ${formatCount(repositories.updated)} kept`,
    `commits       ${formatCount(commits.removed)} removed, ${formatCount(commits.updated)} redacted`,
    `ledger        ${countOf(ledgerEntries, 'entry', 'entries')} redacted`,
    `dataset       version ${version}`,
    ...(report === undefined ? [] : [`report        ${report}`]),
  ]
  console.log(json ? JSON.stringify(summary) : lines.join('\n'))
}
