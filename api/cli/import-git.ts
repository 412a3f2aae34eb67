/**
 * `devdata import git`
 *
 * @module
 */
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
  const { clones, failed, skipped, dependencies, authors, manifests, manifestWarnings } = result
  console.log(
    JSON.stringify({
      ...summarize(result),
      clones: clones.map(({ path, url, branch, commitsRead }) => ({
        path,
        url,
        branch,
        commits_read: commitsRead,
      })),
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
  const { clones, failed, skipped, dependencies, authors, users, commits, manifests, manifestWarnings } =
    result
  const [first, ...others] = clones
  const branch = others.length === 0 ? first?.branch : undefined
  const source = others.length > 0 ? ` of ${countOf(clones.length, 'clone')}` : branch ? ` of ${branch}` : ''
  const commitsRead = clones.reduce((sum, { commitsRead }) => sum + commitsRead, 0)
  console.log(`Read ${countOf(commitsRead, 'commit')}${source} in ${seconds} s\n${describeLoad(result)}`)
  const describe = ({ reason }: SkippedClone) => reason
  printLines('failed        ', failed.map(describe), { all: '--json' })
  printLines('skipped       ', skipped.map(describe), { all: '--json' })
  const forgotten = clones.filter(({ isLeftOut }) => isLeftOut).length
  if (forgotten > 0) {
    console.log(
      `left out      ${countOf(forgotten, 'repository', 'repositories')}, because the owner is forgotten`,
    )
  }
  if (forgotten === clones.length) return
  if (commits.removed > 0) {
    const from = others.length > 0 ? 'the branches do' : `${branch ?? 'HEAD'} does`
    console.log(
      `unreachable   ${countOf(commits.removed, 'commit')} that ${from} not reach, removed; --keep-unreachable keeps such commits`,
    )
  }
  if (authors !== undefined) {
    console.log(
      `authors       ${countOf(users.added, 'user')} created; ${formatCount(authors.unknown)} of ${countOf(authors.found, 'address', 'addresses')} without a user`,
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
