/** `devdata import github` */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { type Command, InvalidArgumentError } from 'commander'
import { readEnvironment } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import { createDataDirectory, dataFiles } from '../database/data-directory.ts'
import { createPrivateFile } from '../database/private-file.ts'
import { describeFileError, getMessage, OperatorError } from '../errors.ts'
import { forgeNamePattern } from '../names/forge-names.ts'
import { isPotentiallyTrustworthy } from '../names/loopback.ts'
import type { Target } from '../sources/github/forge-repositories.ts'
import { type GithubImportResult, importGithub } from '../sources/github/import.ts'
import type { GoneRepository } from '../sources/github/missing-repositories.ts'
import type { LeftOut } from '../sources/github/skipped.ts'
import { readBatch, readConcurrency, readMaxRemovals } from './arguments.ts'
import { writeCsv } from './csv.ts'
import {
  createPartialFailure,
  describeLoad,
  describeManifests,
  type LoadContext,
  printLines,
  runLoad,
  summarize,
  summarizeManifests,
} from './load.ts'
import { countOf, formatCount, formatTime, sortByCount } from './output.ts'

/** Reasons that are counted one by one in the summary beside a report. */
const maxReasons = 5

/** Adds `github` to `import`. */
export function addGithubCommand(imports: Command): void {
  imports
    .command('github')
    .summary('Load repositories, their histories and their people from GitHub')
    .description(
      'Load repositories from GitHub: all public ones of an OWNER, or single ones, with their commits, their ' +
        'dependencies over time, and the profiles of owners and commit authors. Run it again to load new and changed ' +
        'repositories, and new people. Run an interrupted import again to continue it. Private repositories are ' +
        'left out.',
    )
    .argument(
      '[target...]',
      'OWNER (a user or an organization) or OWNER/NAME',
      (text, before: Target[] = []) => [...before, readTarget(text)],
    )
    .option('--from <file>', 'read targets from this file, one per line')
    .option(
      '--token-file <file>',
      'read tokens from this file, one per line; several share the work (default: GITHUB_TOKEN)',
    )
    .option(
      '--api <url>',
      "the API's URL; for an enterprise server, https://HOST/api/v3",
      readApiUrl,
      'https://api.github.com',
    )
    .option('--clones <directory>', 'keep bare clones here (default: the folder clones in DATA_DIR)')
    .option('--no-history', 'leave out commits, dependencies and commit authors')
    .option('--refresh', 'also update all repositories and people of the dataset')
    .option('--keep-missing', "with --refresh, keep repositories that GitHub doesn't have any more")
    .option(
      '--max-removals <n>',
      'with --refresh, how many repositories, and how many users, may be removed (default: a tenth of each, or 10 if that is more)',
      readMaxRemovals,
    )
    .option('--concurrency <n>', 'queries and fetches at a time, 1 to 32', readConcurrency, 4)
    .option(
      '--batch <n>',
      'load n repositories at a time; each batch is all or nothing (default: all in one)',
      readBatch,
    )
    .option(
      '--report <file>',
      'write what failed, was skipped or was removed to this file, as CSV, and replace an earlier report; print ' +
        'only how many',
    )
    .option('--dry-run', 'load nothing; print how many repositories would be loaded, and their size')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  devdata import github honojs/hono denoland/std --token-file tokens.txt
  GITHUB_TOKEN=… devdata import github honojs
  devdata import github --refresh --report refresh.csv
  devdata import github --refresh --json`,
    )
    .action(load)
}

interface Options {
  from?: string
  tokenFile?: string
  api: string
  clones?: string
  history: boolean
  refresh?: true
  keepMissing?: true
  maxRemovals?: number
  concurrency: number
  batch?: number
  report?: string
  dryRun?: true
  json?: true
}

/** With a server's database, nothing else has created the data folder yet. */
function findCloneFolder(dataDirectory: string): string {
  createDataDirectory(dataDirectory)
  return join(dataDirectory, dataFiles.clones)
}

async function load(given: Target[], options: Options, command: Command): Promise<void> {
  const { from, api, refresh = false, dryRun = false, report, json } = options
  const listed = from === undefined ? [] : await readLines('--from', from)
  const targets = [...given, ...listed.map(readListed)]
  if (targets.length === 0 && !refresh) {
    command.error('error: specify an owner or a repository, or use --from or --refresh')
  }
  if (!refresh && (options.keepMissing || options.maxRemovals !== undefined)) {
    command.error('error: --keep-missing and --max-removals are for --refresh; other imports remove nothing')
  }
  const tokens = await readTokens(options)
  function run(sql: Sql, context: LoadContext): Promise<GithubImportResult> {
    const { config, progress, signal, onBegin } = context
    return importGithub(sql, {
      targets,
      tokens,
      apiUrl: api,
      clones: options.clones ?? findCloneFolder(config.dataDirectory),
      withHistory: options.history,
      refresh,
      concurrency: options.concurrency,
      batch: options.batch,
      dryRun,
      keepMissing: options.keepMissing,
      maxRemovals: options.maxRemovals,
      settings: config.dataset,
      signal,
      onBegin,
      onNote: progress.note,
      onProgress({ step, done, total, usage }) {
        const left = usage.remaining === undefined ? '' : `, ${formatCount(usage.remaining)} points left`
        const fraction = total ? Math.min(done / total, 1) : undefined
        progress.update({ step, count: done, unit: `done${left}`, fraction })
      },
    })
  }
  await using reportFile = report === undefined ? undefined : await createPrivateFile(report, reportHeader)
  const startedAt = new Date()
  await runLoad(run, async (result, seconds) => {
    // Before the summary, which says where the list is. If it can't be written now, the summary has it.
    const failure = await writeReport(result).catch((error: OperatorError) => error)
    if (json) printJson(result, startedAt, seconds)
    else print(result, startedAt, seconds, failure ? undefined : report)
    if (failure) throw failure
    const failed = countOf(result.failed.length, 'item')
    if (result.failed.length > 0 && result.load === undefined) {
      throw new OperatorError(
        `The import would fail at ${failed}; the summary has the reasons. Fix them, or import without these`,
      )
    }
    if (result.failed.length > 0) throw createPartialFailure(failed)
  })

  async function writeReport(result: GithubImportResult): Promise<void> {
    await reportFile?.write(formatReport(result))
    await reportFile?.complete()
  }
}

const reportHeader = 'result,name,reason\r\n'

function formatReport({ failed, skipped, removed }: GithubImportResult): string {
  const rows = [
    ...removed.map((repository) => ['removed', repository.name, describeState(repository)]),
    ...failed.map(({ name, reason }) => ['failed', name, reason]),
    ...skipped.map(({ name, reason }) => ['skipped', name, reason]),
  ]
  return reportHeader + writeCsv(rows)
}

function printJson(result: GithubImportResult, startedAt: Date, seconds: number): void {
  const { load, usage, isResumed, authors, repositories, ...findings } = result
  console.log(
    JSON.stringify({
      ...(load && summarize(load)),
      ...(load && { forgotten: load.forgotten }),
      found: {
        repositories,
        kilobytes: findings.kilobytes,
        people: findings.people,
        authors: authors.found,
        authors_without_account: authors.unknown,
      },
      fetched: findings.fetched,
      unchanged: findings.unchanged,
      failed: findings.failed,
      skipped: findings.skipped,
      removed: findings.removed.map((repository) => ({
        name: repository.name,
        forge_rest_id: repository.forgeRestId,
        reason: describeState(repository),
      })),
      ...summarizeManifests(findings.manifests),
      resumed: isResumed,
      queries: usage.queries,
      points: usage.points,
      started_at: startedAt.toISOString(),
      seconds,
    }),
  )
}

function print(
  result: GithubImportResult,
  startedAt: Date,
  seconds: number,
  report: string | undefined,
): void {
  const { load, repositories, kilobytes, people, authors, fetched, unchanged, manifests } = result
  const { removed, failed, skipped, isResumed, usage } = result
  const found = countOf(repositories, 'repository', 'repositories')
  const cost = `${countOf(usage.queries, 'query', 'queries')}, ${countOf(usage.points, 'point')}`
  if (load === undefined) {
    console.log(`Would load ${found}, ${formatCount(Math.ceil(kilobytes / 1_000))} MB on GitHub (${cost})`)
  } else {
    console.log(`Read ${found} in ${seconds} s (${cost})\n${describeLoad(load)}`)
    console.log(`started       ${formatTime(startedAt.toISOString())}`)
    console.log(`histories     ${formatCount(fetched)} fetched, ${formatCount(unchanged)} unchanged`)
    console.log(`people        ${countOf(people, 'profile')}`)
    if (authors.found > 0) {
      const newAddresses = countOf(authors.found, 'new address', 'new addresses')
      console.log(`authors       ${newAddresses}, ${formatCount(authors.unknown)} of them without an account`)
    }
    if (load.forgotten > 0) {
      console.log(`left out      ${countOf(load.forgotten, 'item')} of forgotten people`)
    }
  }
  for (const line of describeManifests(manifests)) console.log(line)
  const removal = load === undefined ? 'would remove  ' : 'removed       '
  if (isResumed) console.log('resumed       an import that was interrupted')
  if (report === undefined) {
    printLines(
      removal,
      removed.map((repository) => `${repository.name}: ${describeState(repository)}`),
    )
    const describe = ({ name, reason }: LeftOut) => `${name}: ${reason}`
    printLines('failed        ', failed.map(describe))
    printLines('skipped       ', skipped.map(describe))
  } else {
    if (removed.length > 0) console.log(`${removal}${countOf(removed.length, 'repository', 'repositories')}`)
    if (failed.length > 0) console.log(`failed        ${countReasons(failed)}`)
    if (skipped.length > 0) console.log(`skipped       ${countReasons(skipped)}`)
    console.log(`report        ${report}`)
  }
}

/** Counts equal reasons. The most frequent comes first; the rarest are counted together. */
function countReasons(items: readonly LeftOut[]): string {
  const groups = Map.groupBy(items, ({ reason }) => reason)
  const sorted = sortByCount(new Map([...groups].map(([reason, { length }]) => [reason, length])))
  const shown = sorted.slice(0, maxReasons).map(([reason, count]) => `${formatCount(count)} × ${reason}`)
  const others = sorted.slice(maxReasons).reduce((sum, [, count]) => sum + count, 0)
  return [...shown, ...(others > 0 ? [`${formatCount(others)} for other reasons`] : [])].join('; ')
}

function describeState({ state, sinceMs }: GoneRepository): string {
  return `${state} on GitHub since ${new Date(sinceMs).toISOString().slice(0, 16)}Z`
}

function readTarget(text: string): Target {
  const [owner = '', name, ...rest] = text.split('/')
  const isValid = [owner, name ?? owner].every((part) => forgeNamePattern.test(part)) && rest.length === 0
  if (!isValid) {
    throw new InvalidArgumentError('It must be OWNER or OWNER/NAME, such as honojs or honojs/hono.')
  }
  return name === undefined ? { owner } : { owner, name }
}

function readListed(line: string): Target {
  try {
    return readTarget(line)
  } catch (error) {
    throw new OperatorError(`--from: ${JSON.stringify(line)} is invalid. ${getMessage(error)}`)
  }
}

async function readTokens({ tokenFile }: Options): Promise<string[]> {
  const source = tokenFile === undefined ? 'GITHUB_TOKEN' : '--token-file'
  const given = readEnvironment(process.env).GITHUB_TOKEN?.trim()
  const tokens = tokenFile === undefined ? (given ? [given] : []) : await readLines('--token-file', tokenFile)
  if (tokens.length === 0) {
    throw new OperatorError(
      tokenFile === undefined
        ? 'A GitHub token is needed: set GITHUB_TOKEN, or use --token-file. A fine-grained token without permissions is ' +
            'enough: https://github.com/settings/personal-access-tokens/new'
        : `--token-file ${tokenFile}: the file has no token`,
    )
  }
  // Not shown: it is a secret, or a part of one.
  if (!tokens.every((token) => /^[\x21-\x7e]+$/.test(token))) {
    throw new OperatorError(`${source}: a token must have only printable characters, without spaces`)
  }
  return [...new Set(tokens)]
}

/** Reads a file's lines, without empty ones and those that begin with `#`. */
async function readLines(option: string, path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new OperatorError(`${option} ${path}: the file can't be read: ${describeFileError(error)}`)
  })
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** The token must not cross a network in plain text. */
function readApiUrl(text: string): string {
  const url = URL.parse(text)
  if (
    url === null ||
    !isPotentiallyTrustworthy(url) ||
    url.username + url.password + url.search + url.hash !== ''
  ) {
    throw new InvalidArgumentError(
      'It must be an https URL without a user name or a query, such as https://HOST/api/v3.',
    )
  }
  return text.replace(/\/graphql\/?$/, '').replace(/\/+$/, '')
}
