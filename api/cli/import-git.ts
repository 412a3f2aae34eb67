/** `devdata import git` */
import type { Command } from 'commander'
import type { Sql } from '../database/connect.ts'
import { findClones } from '../sources/git/clone.ts'
import { type GitImportResult, importGit, type SkippedClone } from '../sources/git/import.ts'
import { readForgeId } from './arguments.ts'
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
import { countOf, formatCount } from './output.ts'

/** Adds `git` to `import`. */
export function addGitCommand(imports: Command): void {
  imports
    .command('git')
    .summary('Load the commits and dependencies of clones')
    .description(
      'Load the commits of clones, and the dependencies that their manifests have declared over time. Run it again ' +
        'to add what is new. Commits that the branch no longer reaches are removed. Fields of a repository that ' +
        '"import ndjson" has loaded stay as they are.',
    )
    .argument('<path...>', 'a full clone (bare or not), or a folder with clones in it or in its subfolders')
    .option(
      '--url <url>',
      "the repository's URL on the forge, https://HOST/OWNER/NAME (default: that of the clone's origin)",
    )
    .option(
      '--rest-id <n>',
      "the repository's id in the forge's REST API (default: the one in the dataset, or one derived from " +
        'the URL, which a later load can replace)',
      readForgeId,
    )
    .option(
      '--branch <name>',
      "the branch to load (default: the origin's default branch, or HEAD without an origin)",
    )
    .option(
      '--authors',
      "create users from authors whose address contains an account's id: ID+LOGIN@users.noreply.HOST, on the " +
        "repository's host",
    )
    .option('--all-or-nothing', "load no clone if one can't be loaded; otherwise, the others are loaded")
    .option('--all-manifests', 'also read manifests in folders of tests and fixtures')
    .option(
      '--keep-unreachable',
      "keep commits that the branch doesn't reach: those of other branches, and those from before the history " +
        'was rewritten',
    )
    .option('--read-all', 'read all of the history again, not only what is new since the last load')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  devdata import git ../hono
  devdata import git ~/src --authors
  devdata import git ../hono --url https://forge.example/honojs/hono --rest-id 458210379 --json`,
    )
    .action(load)
}

interface Options {
  url?: string
  restId?: number
  branch?: string
  authors?: true
  allOrNothing?: true
  allManifests?: true
  keepUnreachable?: true
  readAll?: true
  json?: true
}

async function load(
  given: string[],
  { url, restId, branch, json, ...options }: Options,
  command: Command,
): Promise<void> {
  const paths = await findClones(given)
  const ofOne = Object.entries({ '--url': url, '--rest-id': restId, '--branch': branch })
  const [refused] = ofOne.find(([, value]) => value !== undefined) ?? []
  if (paths.length > 1 && refused !== undefined) {
    command.error(
      `error: ${refused} applies to one clone, but ${paths.length} were found; load that clone alone`,
    )
  }
  function run(sql: Sql, { config, progress, onBegin }: LoadContext): Promise<GitImportResult> {
    return importGit(sql, {
      settings: config.dataset,
      ...options,
      clones: paths.map((path) => ({ path, url, restId, branch })),
      onBegin,
      onProgress({ step, done, total }) {
        const fraction = total ? Math.min(done / total, 1) : undefined
        progress.update({ step, count: done, unit: 'done', fraction })
      },
      onWarning: progress.note,
    })
  }
  await runLoad(run, (result, seconds) => {
    if (json) printJson(result, seconds)
    else print(result, seconds)
    const { length } = result.failed
    if (length > 0) throw createPartialFailure(countOf(length, 'clone'))
  })
}

function printJson(result: GitImportResult, seconds: number): void {
  const { clones, unchanged, failed, skipped, dependencies, authors, manifests, manifestWarnings } = result
  console.log(
    JSON.stringify({
      ...summarize(result),
      clones: clones.map(({ path, url, branch, commitsRead }) => ({
        path,
        url,
        branch,
        commits_read: commitsRead,
      })),
      unchanged,
      failed,
      skipped,
      ...(authors && { authors: authors.found, authors_without_user: authors.unknown }),
      forgotten: clones.filter(({ isLeftOut }) => isLeftOut).length,
      dependencies,
      ...summarizeManifests(manifests),
      warnings: manifestWarnings,
      seconds,
    }),
  )
}

function print(result: GitImportResult, seconds: number): void {
  const { clones, unchanged, failed, skipped, authors, users } = result
  console.log(`${describeReading(result)} in ${seconds} s\n${describeLoad(result)}`)
  if (unchanged.length > 0) {
    console.log(`unchanged     ${countOf(unchanged.length, 'clone')}, not read again; --read-all reads them`)
  }
  const describe = ({ reason }: SkippedClone) => reason
  printLines('failed        ', failed.map(describe), { all: '--json' })
  printLines('skipped       ', skipped.map(describe), { all: '--json' })
  const forgotten = clones.filter(({ isLeftOut }) => isLeftOut).length
  if (forgotten > 0) {
    console.log(
      `left out      ${countOf(forgotten, 'repository', 'repositories')}, because the owner is forgotten`,
    )
  }
  if (authors !== undefined && forgotten < clones.length + unchanged.length) {
    console.log(
      `authors       ${countOf(users.added, 'user')} created; ${formatCount(authors.unknown)} of ${countOf(authors.found, 'address', 'addresses')} without a user`,
    )
  }
  if (forgotten < clones.length) printHistories(result)
}

/** Says what was read: commits, or no clone. */
function describeReading({ clones, unchanged }: GitImportResult): string {
  const [first, ...others] = clones
  if (first === undefined) return `Read 0 of ${countOf(unchanged.length, 'clone')}`
  const source = others.length > 0 ? countOf(clones.length, 'clone') : first.branch
  const commits = clones.reduce((sum, { commitsRead }) => sum + commitsRead, 0)
  return `Read ${countOf(commits, 'commit')}${source ? ` of ${source}` : ''}`
}

/** Prints what the histories have that were read. */
function printHistories({
  clones,
  dependencies,
  commits,
  manifests,
  manifestWarnings,
}: GitImportResult): void {
  if (commits.removed > 0) {
    const from = clones.length > 1 ? 'the branches do' : `${clones[0]?.branch ?? 'HEAD'} does`
    console.log(
      `unreachable   ${countOf(commits.removed, 'commit')} that ${from} not reach, removed; --keep-unreachable keeps such commits`,
    )
  }
  const { active, removed } = dependencies
  console.log(`dependencies  ${formatCount(active)} active, ${formatCount(removed)} removed`)
  if (manifestWarnings > 0) {
    console.log(
      `warnings      ${countOf(manifestWarnings, 'manifest version')} skipped or incomplete, see above`,
    )
  }
  for (const line of describeManifests(manifests, { including: '--all-manifests' })) console.log(line)
}
