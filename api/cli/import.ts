/** `devdata import …` */
import process from 'node:process'
import { type Command, Option } from 'commander'
import type { Sql } from '../database/connect.ts'
import type { ItemCounts } from '../dataset/mirror.ts'
import {
  assertOneExport,
  createInvalidLinesFile,
  findSources,
  importNdjson,
  type NdjsonImportResult,
  type Source,
} from '../sources/ndjson/import.ts'
import { type RecordKind, recordKinds } from '../staging/records.ts'
import { readMaxRemovals } from './arguments.ts'
import { confirmRemovals, describeRemovals } from './confirm-removals.ts'
import { addGitCommand } from './import-git.ts'
import { addGithubCommand } from './import-github.ts'
import { describeLoad, type LoadContext, runLoad, summarize } from './load.ts'
import { countOf } from './output.ts'

/** The path that means standard input. */
const standardInput = '-'

/** Adds `import` and its commands. */
export function addImportCommands(program: Command): void {
  const imports = program
    .command('import')
    .description('Load data, all or nothing')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata import ndjson sample\n  devdata import git ../hono ../std --authors\n  devdata ' +
        'import github honojs',
    )
  imports
    .command('ndjson')
    .summary('Load users, repositories and commits from lines of JSON')
    .description(
      "Load users, repositories, commits and users' further addresses from files with one JSON object per " +
        'line, in the form that the API returns. Existing items are updated. Items that removals.ndjson ' +
        'names are removed first. With --mirror, items that the files lack are removed, too. If a line is ' +
        'invalid, the load stops and changes nothing.',
    )
    .argument(
      '<path...>',
      'a folder with users.ndjson, identities.ndjson, repos.ndjson, commits.ndjson or removals.ndjson, ' +
        'one such file, or - for standard input',
    )
    .addOption(
      new Option('--kind <kind>', "the kind of lines, if the file name doesn't show it").choices(recordKinds),
    )
    .option(
      '--skip-invalid <file>',
      'write invalid lines and their reasons to this new file, and load the other lines',
    )
    .option(
      '--mirror',
      'make the dataset match the files exactly: remove users, repositories and commits that they lack; kinds ' +
        'without a file stay as they are',
    )
    .option('--yes', "with --mirror, don't ask before items are removed")
    .option(
      '--max-removals <n>',
      'with --mirror, stop if more than n items of a kind would be removed (default: a tenth, or 10 if ' +
        'that is more; no limit if the command asks)',
      readMaxRemovals,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  devdata import ndjson sample
  devdata import ndjson ./copy --mirror --max-removals 500
  devdata import ndjson users.ndjson repos.ndjson --skip-invalid invalid.ndjson
  zcat people.ndjson.gz | devdata import ndjson - --kind users`,
    )
    .action(loadNdjson)
  addGitCommand(imports)
  addGithubCommand(imports)
}

interface NdjsonOptions {
  kind?: RecordKind
  skipInvalid?: string
  mirror?: true
  yes?: true
  maxRemovals?: number
  json?: true
}

async function loadNdjson(paths: string[], options: NdjsonOptions, command: Command): Promise<void> {
  const { skipInvalid, mirror, yes, maxRemovals } = options
  const sources = await findInputs(paths, options, command)
  const invalid = skipInvalid === undefined ? undefined : await createInvalidLinesFile(skipInvalid)
  let lines = 0
  function load(sql: Sql, { config, progress, onBegin }: LoadContext): Promise<NdjsonImportResult> {
    async function onMirror(missing: ItemCounts, stored: ItemCounts): Promise<void> {
      const description = describeRemovals({ missing, stored })
      if (description === undefined) return
      progress.hide()
      progress.note(description)
      await confirmRemovals({ missing, stored }, { yes, maxRemovals })
    }
    return importNdjson(sql, {
      sources,
      settings: config.dataset,
      ...(mirror && { onMirror }),
      ...(invalid && { onInvalid: (line) => invalid.add(line) }),
      onBegin,
      onProgress({ step, lines: read, bytesRead, bytesTotal }) {
        lines = read
        const isReading = step.startsWith('reading') && bytesTotal
        const fraction = isReading ? Math.min(bytesRead / bytesTotal, 1) : undefined
        progress.update({ step, count: read, unit: 'lines', fraction })
      },
    })
  }
  try {
    await runLoad(load, (result, seconds) => {
      report(result, { lines, skipped: invalid?.count ?? 0, seconds }, options)
    })
  } finally {
    await invalid?.close()
  }
}

/** Finds what to load. Ends the command if its options contradict each other. */
async function findInputs(
  paths: string[],
  { kind, skipInvalid, mirror, maxRemovals }: NdjsonOptions,
  command: Command,
): Promise<Source[]> {
  const inputCount = paths.filter((path) => path === standardInput).length
  if (inputCount > 0 && kind === undefined) {
    command.error(`error: standard input (-) needs --kind ${recordKinds.join('|')}`)
  }
  if (inputCount > 1) command.error('error: standard input (-) can be given only once')
  if (mirror && skipInvalid !== undefined) {
    command.error(
      'error: --mirror with --skip-invalid would remove the items of invalid lines; use one of them',
    )
  }
  if (mirror && inputCount > 0) {
    command.error(
      'error: --mirror requires files: if standard input ended early, --mirror would remove the rest',
    )
  }
  if (!mirror && maxRemovals !== undefined) {
    command.error('error: --max-removals is for --mirror; other loads remove only what removals.ndjson names')
  }
  const sources: Source[] = []
  for (const path of paths) {
    if (path === standardInput && kind !== undefined) {
      sources.push({ kind, name: 'standard input', size: undefined, open: () => process.stdin })
    } else {
      const note = (unread: readonly string[]) =>
        console.error(`Not read, because of the name: ${unread.join(', ')}`)
      sources.push(...(await findSources([path], kind, note)))
    }
  }
  assertOneExport(sources)
  if (mirror && sources.some((source) => source.kind === 'removals')) {
    command.error(
      "error: --mirror can't be used with removals.ndjson, because files of changes don't hold all items; leave " +
        'out --mirror',
    )
  }
  return sources
}

/** Prints what a load did. */
function report(
  { forgotten, contradicted, ...result }: NdjsonImportResult,
  { lines, skipped, seconds }: { lines: number; skipped: number; seconds: number },
  { json, skipInvalid }: NdjsonOptions,
): void {
  if (json) {
    const counts = { lines, skipped, forgotten, contradicted: contradicted.lines }
    console.log(JSON.stringify({ ...summarize(result), ...counts, seconds }))
    return
  }
  console.log(`Read ${countOf(lines, 'line')} in ${seconds} s\n${describeLoad(result)}`)
  if (skipped > 0) console.log(`skipped       ${countOf(skipped, 'invalid line')}, see ${skipInvalid}`)
  if (contradicted.first !== undefined) {
    const { file, line } = contradicted.first
    const first = contradicted.lines === 1 ? '' : 'the first is '
    console.log(
      `replaced      ${countOf(contradicted.lines, 'line')} by a later, different one for the same item: ${first}${file}:${line}`,
    )
  }
  if (forgotten > 0) console.log(`left out      ${countOf(forgotten, 'line')} of forgotten people`)
}
