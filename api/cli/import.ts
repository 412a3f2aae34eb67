/**
 * `devdata import …`
 *
 * @module
 */
import process from 'node:process'
import { type Command, Option } from 'commander'
import type { Sql } from '../database/connect.ts'
import type { Change } from '../import/apply/staged-load.ts'
import type { ImportResult } from '../import/apply.ts'
import { type GitImportResult, importGit } from '../import/git.ts'
import { createInvalidLinesFile, findSources, importNdjson, type Source } from '../import/ndjson.ts'
import { type RecordKind, recordKinds } from '../import/records.ts'
import { dropStaged } from '../import/staging.ts'
import { readForgeId } from './arguments.ts'
import { countOf, formatCount, print, printJson } from './output.ts'
import { startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

interface NdjsonCommandOptions {
  kind?: RecordKind
  skipInvalid?: string
  json?: true
}

interface GitCommandOptions {
  url: string
  restId?: number
  branch?: string
  allManifests?: true
  json?: true
}

/** The path that means standard input. */
const standardInput = '-'

/** Adds `import` and its commands. */
export function addImportCommands(program: Command): void {
  const imports = program
    .command('import')
    .summary('load data')
    .description('Loads data. Readers see the complete load or nothing of it.')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata import ndjson sample\n  devdata import git ../hono --url https://forge.example/honojs/hono',
    )
  addNdjson(imports)
  addGit(imports)
}

function addNdjson(imports: Command): void {
  const command = imports
    .command('ndjson')
    .summary('load users, repositories and commits from lines of JSON')
    .description(
      `Loads users, repositories and commits from lines of JSON. Each line is an object as the API returns it.

Existing users and repositories are updated by their forge_rest_id, and commits by hash and repository.
An invalid line stops the load, and nothing is changed.`,
    )
    .argument(
      '<path...>',
      'a folder with users.ndjson, repos.ndjson or commits.ndjson, or such a file, or - for standard input',
    )
    .addOption(
      new Option('--kind <kind>', 'the kind of the lines, if it is not the name of the file').choices(
        recordKinds,
      ),
    )
    .option(
      '--skip-invalid <file>',
      'write invalid lines to this new file, with the reason, and load the others',
    )
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
Examples:
  devdata import ndjson sample
  devdata import ndjson users.ndjson repos.ndjson --skip-invalid invalid.ndjson
  zcat people.ndjson.gz | devdata import ndjson - --kind users`,
    )
    .action(async (paths: string[], options: NdjsonCommandOptions) => {
      const inputCount = paths.filter((path) => path === standardInput).length
      if (inputCount > 0 && options.kind === undefined) {
        command.error(`error: standard input (-) needs --kind ${recordKinds.join('|')}`)
      }
      if (inputCount > 1) command.error('error: standard input (-) can be given only once')
      await loadNdjson(paths, options)
    })
}

async function loadNdjson(
  paths: readonly string[],
  { kind, skipInvalid, json }: NdjsonCommandOptions,
): Promise<void> {
  const sources = await collectSources(paths, kind)
  const invalid = skipInvalid === undefined ? undefined : await createInvalidLinesFile(skipInvalid)
  try {
    await withDatabase({ longStatements: true }, async ({ sql, onInterruption }) => {
      const startedAt = performance.now()
      const progress = startProgress(process.stderr)
      let lines = 0
      let result: ImportResult
      try {
        result = await importNdjson(sql, {
          sources,
          ...(invalid && { onInvalid: (line) => invalid.add(line) }),
          onBegin: (importId) => onInterruption((others) => discard(others, importId)),
          onProgress({ step, lines: read, bytesRead, bytesTotal }) {
            lines = read
            const isReading = step.startsWith('reading') && bytesTotal
            const fraction = isReading ? Math.min(bytesRead / bytesTotal, 1) : undefined
            progress.update({ step, count: read, unit: 'lines', fraction })
          },
        })
      } finally {
        progress.end()
      }
      const seconds = secondsSince(startedAt)
      const skipped = invalid?.count ?? 0
      if (json) return printJson({ ...summarize(result), lines, skipped, seconds })
      print(`Read ${countOf(lines, 'line')} in ${seconds} s`)
      print(describe(result))
      if (skipped > 0) print(`skipped       ${countOf(skipped, 'invalid line')}, see ${skipInvalid}`)
    })
  } finally {
    await invalid?.close()
  }
}

async function collectSources(paths: readonly string[], kind: RecordKind | undefined): Promise<Source[]> {
  const sources: Source[] = []
  for (const path of paths) {
    if (path === standardInput && kind !== undefined) {
      sources.push({ kind, name: 'standard input', size: undefined, open: () => process.stdin })
    } else {
      sources.push(...(await findSources([path], kind)))
    }
  }
  return sources
}

function addGit(imports: Command): void {
  imports
    .command('git')
    .summary('load the commits and dependencies of a clone')
    .description(
      `Loads the commits of a clone, and the dependencies that its manifests have declared over time.
Run it again to add what is new.

Values that import ndjson has loaded for the repository stay. Without any, the newest clone describes the repository.`,
    )
    .argument('<path>', 'a full clone, bare or not')
    .requiredOption('--url <url>', "the repository's URL on the forge, https://HOST/OWNER/NAME")
    .option(
      '--rest-id <n>',
      "the repository's id in the forge's REST API (default: the one in the dataset, or one made from the URL)",
      readForgeId,
    )
    .option(
      '--branch <name>',
      "the branch to load (default: the origin's default branch, or HEAD without an origin)",
    )
    .option('--all-manifests', 'read manifests in folders of tests and fixtures too')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
Examples:
  devdata import git ../hono --url https://forge.example/honojs/hono
  devdata import git ../hono --url https://forge.example/honojs/hono --rest-id 458210379 --json`,
    )
    .action(loadGit)
}

async function loadGit(
  path: string,
  { url, restId, branch, allManifests, json }: GitCommandOptions,
): Promise<void> {
  await withDatabase({ longStatements: true }, async ({ sql, onInterruption }) => {
    const startedAt = performance.now()
    const progress = startProgress(process.stderr)
    let result: GitImportResult
    try {
      result = await importGit(sql, {
        path,
        url,
        restId,
        branch,
        allManifests,
        onBegin: (importId) => onInterruption((others) => discard(others, importId)),
        onProgress({ step, done, total }) {
          const fraction = total ? Math.min(done / total, 1) : undefined
          progress.update({ step, count: done, unit: 'done', fraction })
        },
        onWarning: (message) => progress.note(message),
      })
    } finally {
      progress.end()
    }
    const seconds = secondsSince(startedAt)
    const { commitsRead, dependencies, manifests } = result
    if (json) {
      return printJson({
        ...summarize(result),
        branch: result.branch,
        commits_read: commitsRead,
        dependencies,
        manifests_left_out: manifests.leftOut,
        manifests_computed: manifests.computed,
        warnings: manifests.unreadable,
        seconds,
      })
    }
    print(
      `Read ${countOf(commitsRead, 'commit')}${result.branch ? ` of ${result.branch}` : ''} in ${seconds} s`,
    )
    print(describe(result))
    print(describeDependencies(result))
    const { unreadable, computed, leftOut } = manifests
    if (unreadable > 0)
      print(`skipped       ${countOf(unreadable, 'manifest version')} that did not parse, see above`)
    if (computed > 0) {
      print(
        `incomplete    ${countOf(computed, 'manifest')}: only running ${computed === 1 ? 'it' : 'them'} would show all dependencies`,
      )
    }
    if (leftOut > 0) {
      print(
        `left out      ${countOf(leftOut, 'manifest')} of tests and fixtures; --all-manifests includes them`,
      )
    }
  })
}

function summarize({ users, repositories, commits, version }: ImportResult) {
  return { users, repositories, commits, dataset_version: version }
}

function describe({ users, repositories, commits, version }: ImportResult): string {
  const change = ({ added, updated }: Change) =>
    `${formatCount(added)} added, ${formatCount(updated)} updated`
  return [
    `users         ${change(users)}`,
    `repositories  ${change(repositories)}`,
    `commits       ${change(commits)}`,
    `dataset       version ${version}`,
  ].join('\n')
}

function describeDependencies({ dependencies: { active, removed } }: GitImportResult): string {
  return `dependencies  ${formatCount(active)} active, ${formatCount(removed)} removed`
}

/** Rounded to milliseconds. */
function secondsSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt) / 1000
}

/**
 * Drops the staging tables of an interrupted load. On the embedded database that may have to wait too long for the
 * statement under way. The next load drops them then.
 */
async function discard(sql: Sql, importId: number): Promise<void> {
  await dropStaged(sql, importId).catch(() => {})
}
