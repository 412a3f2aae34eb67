/**
 * `devdata import …`
 *
 * @module
 */
import process from 'node:process'
import { type Command, Option } from 'commander'
import type { Sql } from '../database/connect.ts'
import type { MissingItems } from '../import/apply/mirror.ts'
import { findClones } from '../import/git/clone.ts'
import { type GitImportResult, importGit } from '../import/git.ts'
import {
  createInvalidLinesFile,
  findSources,
  importNdjson,
  type NdjsonImportResult,
  type Source,
} from '../import/ndjson.ts'
import { type RecordKind, recordKinds } from '../import/records.ts'
import { readForgeId } from './arguments.ts'
import { confirm } from './confirm.ts'
import { addGithubCommand } from './import-github.ts'
import { describe, type LoadContext, runLoad, summarize } from './load.ts'
import { countOf, formatCount } from './output.ts'

/** The path that means standard input. */
const standardInput = '-'

/** Adds `import` and its commands. */
export function addImportCommands(program: Command): void {
  const imports = program
    .command('import')
    .description('Load data, all of it or nothing')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata import ndjson sample\n  devdata import git ../hono ../std --authors\n  devdata import github honojs',
    )
  imports
    .command('ndjson')
    .summary('Load users, repositories and commits from lines of JSON')
    .description(
      'Load users, repositories and commits from lines of JSON, each an object as the API returns it, and further ' +
        'addresses of users. Items that exist are updated. Items that removals.ndjson names are removed first. With --mirror, items that the files ' +
        'lack are removed, too. An invalid line stops the load, and nothing is changed.',
    )
    .argument(
      '<path...>',
      'a folder with users.ndjson, identities.ndjson, repos.ndjson, commits.ndjson or removals.ndjson, one such file, ' +
        'or - for standard input',
    )
    .addOption(
      new Option('--kind <kind>', 'what the lines are, unless the name of the file says it').choices(
        recordKinds,
      ),
    )
    .option(
      '--skip-invalid <file>',
      'write invalid lines and their reasons to this new file, and load the other lines',
    )
    .option(
      '--mirror',
      'make the dataset hold exactly what the files hold: remove users, repositories and commits that they lack; kinds ' +
        'without a file stay as they are',
    )
    .option('--yes', "with --mirror, don't ask before items are removed")
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  devdata import ndjson sample
  devdata import ndjson ./copy --mirror
  devdata import ndjson users.ndjson repos.ndjson --skip-invalid invalid.ndjson
  zcat people.ndjson.gz | devdata import ndjson - --kind users`,
    )
    .action(loadNdjson)
  imports
    .command('git')
    .summary('Load the commits and dependencies of clones')
    .description(
      'Load the commits of clones, and the dependencies that their manifests have declared over time. Run it again ' +
        'to add what is new. Commits that the branch no longer reaches are removed. Values that "import ndjson" has ' +
        'loaded for a repository stay.',
    )
    .argument('<path...>', 'a full clone, bare or not, or a folder with clones in it, or in its folders')
    .option(
      '--url <url>',
      "the repository's URL on the forge, https://HOST/OWNER/NAME (default: that of the clone's origin)",
    )
    .option(
      '--rest-id <n>',
      "the repository's id in the forge's REST API (default: the one in the dataset, or one made from the URL, which " +
        'a later load can replace)',
      readForgeId,
    )
    .option(
      '--branch <name>',
      "the branch to load (default: the origin's default branch, or HEAD without an origin)",
    )
    .option(
      '--authors',
      "make users of the authors whose address has an account's id: ID+LOGIN@users.noreply.HOST, of the repository's host",
    )
    .option('--all-manifests', 'read manifests in folders of tests and fixtures too')
    .option(
      '--keep-unreachable',
      'keep commits that the branch does not reach: those of other branches, and those from before the history was rewritten',
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
    .action(loadGit)
  addGithubCommand(imports)
}

interface NdjsonOptions {
  kind?: RecordKind
  skipInvalid?: string
  mirror?: true
  yes?: true
  json?: true
}

async function loadNdjson(
  paths: string[],
  { kind, skipInvalid, mirror, yes, json }: NdjsonOptions,
  command: Command,
): Promise<void> {
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
      'error: --mirror needs files: if standard input broke off, the missing items would be removed',
    )
  }
  const sources: Source[] = []
  for (const path of paths) {
    if (path === standardInput && kind !== undefined) {
      sources.push({ kind, name: 'standard input', size: undefined, open: () => process.stdin })
    } else {
      sources.push(...(await findSources([path], kind)))
    }
  }
  if (mirror && sources.some((source) => source.kind === 'removals')) {
    command.error(
      "error: --mirror can't be used with removals.ndjson, because files of changes don't hold all items; leave out --mirror",
    )
  }
  const invalid = skipInvalid === undefined ? undefined : await createInvalidLinesFile(skipInvalid)
  let lines = 0
  function load(sql: Sql, { progress, changesKeptDays, onBegin }: LoadContext): Promise<NdjsonImportResult> {
    async function confirmRemoval({ users, addresses, repositories, commits }: MissingItems): Promise<void> {
      if (users + addresses + repositories + commits === 0) return
      const counts = [
        countOf(users, 'user'),
        ...(addresses > 0 ? [`the further addresses of ${countOf(addresses, 'user')}`] : []),
        countOf(repositories, 'repository', 'repositories'),
        countOf(commits, 'commit'),
      ]
      progress.hide()
      progress.note(`Not in the files, and removed by this load: ${counts.join(', ')}`)
      await confirm('Remove them?', { yes })
    }
    return importNdjson(sql, {
      sources,
      changesKeptDays,
      ...(mirror && { onMirror: confirmRemoval }),
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
      const skipped = invalid?.count ?? 0
      const { forgotten } = result
      if (json)
        return console.log(JSON.stringify({ ...summarize(result), lines, skipped, forgotten, seconds }))
      console.log(`Read ${countOf(lines, 'line')} in ${seconds} s\n${describe(result)}`)
      if (skipped > 0) console.log(`skipped       ${countOf(skipped, 'invalid line')}, see ${skipInvalid}`)
      if (forgotten > 0) console.log(`left out      ${countOf(forgotten, 'line')} of forgotten people`)
    })
  } finally {
    await invalid?.close()
  }
}

interface GitOptions {
  url?: string
  restId?: number
  branch?: string
  authors?: true
  allManifests?: true
  keepUnreachable?: true
  json?: true
}

async function loadGit(
  given: string[],
  { url, restId, branch, json, ...options }: GitOptions,
  command: Command,
): Promise<void> {
  const paths = await findClones(given)
  const ofOne = Object.entries({ '--url': url, '--rest-id': restId, '--branch': branch })
  const [refused] = ofOne.find(([, value]) => value !== undefined) ?? []
  if (paths.length > 1 && refused !== undefined) {
    command.error(`error: ${refused} is for one clone, and these are ${paths.length}; load that clone alone`)
  }
  function load(sql: Sql, { progress, changesKeptDays, onBegin }: LoadContext): Promise<GitImportResult> {
    return importGit(sql, {
      changesKeptDays,
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
  await runLoad(load, json ? printGitJson : printGit)
}

function printGitJson(result: GitImportResult, seconds: number): void {
  const { clones, dependencies, authors, manifests } = result
  console.log(
    JSON.stringify({
      ...summarize(result),
      clones: clones.map(({ path, url, branch, commitsRead }) => ({
        path,
        url,
        branch,
        commits_read: commitsRead,
      })),
      ...(authors && { authors: authors.found, authors_without_user: authors.unknown }),
      forgotten: clones.filter(({ isLeftOut }) => isLeftOut).length,
      dependencies,
      manifests_left_out: manifests.leftOut,
      manifests_computed: manifests.computed,
      warnings: manifests.unreadable,
      seconds,
    }),
  )
}

function printGit(result: GitImportResult, seconds: number): void {
  const { clones, dependencies, authors, users, commits } = result
  const { unreadable, computed, leftOut } = result.manifests
  const [first, ...others] = clones
  const branch = others.length === 0 ? first?.branch : undefined
  const source = others.length > 0 ? ` of ${countOf(clones.length, 'clone')}` : branch ? ` of ${branch}` : ''
  const commitsRead = clones.reduce((sum, { commitsRead }) => sum + commitsRead, 0)
  console.log(`Read ${countOf(commitsRead, 'commit')}${source} in ${seconds} s\n${describe(result)}`)
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
      `authors       ${countOf(users.added, 'user')} made; ${formatCount(authors.unknown)} of ${countOf(authors.found, 'address', 'addresses')} without a user`,
    )
  }
  const { active, removed } = dependencies
  console.log(`dependencies  ${formatCount(active)} active, ${formatCount(removed)} removed`)
  if (unreadable > 0) {
    console.log(`skipped       ${countOf(unreadable, 'manifest version')} that did not parse, see above`)
  }
  if (computed > 0) {
    const them = computed === 1 ? 'it' : 'them'
    console.log(
      `incomplete    ${countOf(computed, 'manifest')}: only running ${them} would show all dependencies`,
    )
  }
  if (leftOut > 0) {
    console.log(
      `left out      ${countOf(leftOut, 'manifest')} of tests and fixtures; --all-manifests includes them`,
    )
  }
}
