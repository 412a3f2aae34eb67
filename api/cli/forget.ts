/** `devdata forget …` */
import process from 'node:process'
import type { Command } from 'commander'
import { devdataCommand } from '../devdata-command.ts'
import { OperatorError } from '../errors.ts'
import { forgetPerson, listForgotten, undoForgetting } from '../people/forget.ts'
import { previewForgetting } from '../people/forget-preview.ts'
import { placeholderOf } from '../people/redaction.ts'
import { readPersonNumber } from './arguments.ts'
import { canAsk, confirm } from './confirm.ts'
import { addForgetImportCommand } from './forget-import.ts'
import { countOf, formatCount, formatTable, formatTime } from './output.ts'
import { addPersonOptions, listIdentities, type PersonOptions } from './person-options.ts'
import { describePreview } from './preview-lines.ts'
import { startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

/** Adds `forget` and its commands. */
export function addForgetCommands(program: Command): void {
  const forget = program
    .command('forget')
    .description('Remove people from the data, and exclude them from later loads')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata forget user ada\n  devdata forget import list.txt --report report.csv\n  devdata ' +
        'forget list\n  devdata forget undo ada',
    )
  addPersonOptions(
    forget
      .command('user')
      .summary('Forget a person')
      .description(
        'Forget a person: remove the user and the repositories that the person owns. Remove the addresses ' +
          'and the login from other commits and from the ledger, and exclude the person from later loads. ' +
          "The person doesn't have to be a user: commits are searched, too. Bios and descriptions of " +
          'others, and names of dependencies, stay as they are. On a terminal, the command first counts ' +
          'what would change, and asks for confirmation.',
      ),
  )
    .option('--keep-repositories', 'keep the repositories that the person owns, under another owner')
    .option('--dry-run', 'count what would change, and change nothing')
    .option('--yes', "don't ask")
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  devdata forget user ada --dry-run
  devdata forget user ada
  devdata forget user ada --email ada@example.com --email ada@work.example
  devdata forget user --id 1001 --keep-repositories --yes`,
    )
    .action(forgetUser)
  addForgetImportCommand(forget)
  forget
    .command('list')
    .summary('List who is forgotten, without names')
    .description(
      "List the people who are forgotten, by number. Their names aren't stored. Entries of deletion lists that " +
        'nothing in the data has are only counted.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  devdata forget list\n  devdata forget list --json')
    .action(list)
  addPersonOptions(
    forget
      .command('undo')
      .summary('Let loads add a forgotten person again')
      .description(
        "Let loads add a forgotten person again. The next load that has the person's data adds it. " +
          '"import github" skips commits that the dataset has: to load the person\'s commits again, remove ' +
          "their repositories first. One of the person's names is enough.",
      ),
  )
    .option('--person <n>', 'the person\'s number in "devdata forget list"', readPersonNumber)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  devdata forget undo ada\n  devdata forget undo --person 1')
    .action(undo)
}

interface ForgetOptions extends PersonOptions {
  keepRepositories?: true
  dryRun?: true
  yes?: true
  json?: true
}

function forgetUser(login: string | undefined, options: ForgetOptions, command: Command): Promise<void> {
  const { keepRepositories = false, dryRun = false, yes, json } = options
  const identities = listIdentities(login, options)
  if (identities.length === 0) command.error('error: specify the person: a login, --email or --id')
  return withDatabase({ longStatements: true }, async ({ config, sql }) => {
    if (dryRun || canAsk({ yes })) {
      const preview = await previewForgetting(sql, { identities, keepRepositories })
      const text = describePreview(preview, keepRepositories)
      if (dryRun) return console.log(json ? JSON.stringify(preview) : text)
      await confirm(`${text}\nForget this person?`, { yes })
    }
    const progress = startProgress(process.stderr)
    const onStep = (step: string) => progress.update({ step, count: 0, unit: '', fraction: undefined })
    const forgotten = await forgetPerson(sql, {
      identities,
      keepRepositories,
      settings: config.dataset,
      onStep,
    }).finally(progress.end)
    const { person, users, repositories, commits, ledgerEntries, version } = forgotten
    if (json) {
      return console.log(
        JSON.stringify({
          person,
          identities: forgotten.identities,
          users,
          repositories,
          commits,
          ledger_entries: ledgerEntries,
          dataset_version: version,
        }),
      )
    }
    const kept = repositories.updated
    const changes = [users, repositories, commits].flatMap(({ removed, updated }) => [removed, updated])
    const isUnknown = !forgotten.wasForgotten && [...changes, ledgerEntries].every((count) => count === 0)
    console.log(
      [
        `Forgot person ${person}, with ${countOf(forgotten.identities, 'identity', 'identities')}. Later loads exclude the person.`,
        ...(isUnknown
          ? [
              'The dataset has no such user, and nothing in it names the person. If a name is misspelled, undo this: ' +
                devdataCommand(`forget undo --person ${person}`),
            ]
          : []),
        `users         ${formatCount(users.removed)} removed`,
        `repositories  ${formatCount(repositories.removed)} removed${kept > 0 ? `, ${formatCount(kept)} kept under ${placeholderOf(person)}` : ''}`,
        `commits       ${formatCount(commits.removed)} removed, ${formatCount(commits.updated)} redacted`,
        `ledger        ${countOf(ledgerEntries, 'entry', 'entries')} redacted`,
        `dataset       version ${version}`,
      ].join('\n'),
    )
  })
}

function list({ json }: { json?: true }): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    const { people, listed } = await listForgotten(sql)
    if (json) {
      const rows = people.map(({ person, forgottenAt, identities, keepsRepositories }) => ({
        person,
        forgotten_at: forgottenAt,
        identities,
        keeps_repositories: keepsRepositories,
      }))
      return console.log(JSON.stringify({ people: rows, listed }))
    }
    const others = `${countOf(listed, 'entry', 'entries')} of deletion lists that nothing in the data has`
    if (people.length === 0)
      return console.log(listed === 0 ? 'Nobody is forgotten' : `Nobody is forgotten; ${others}`)
    console.log(
      formatTable(
        [
          { header: 'PERSON', cell: ({ person }) => String(person), numeric: true },
          { header: 'FORGOTTEN', cell: ({ forgottenAt }) => formatTime(forgottenAt) },
          { header: 'IDENTITIES', cell: ({ identities }) => formatCount(identities), numeric: true },
          {
            header: 'REPOSITORIES',
            cell: ({ keepsRepositories }) => (keepsRepositories ? 'kept' : 'left out'),
          },
        ],
        people,
      ),
    )
    if (listed > 0) console.log(`and ${others}`)
  })
}

interface UndoOptions extends PersonOptions {
  person?: number
  json?: true
}

function undo(login: string | undefined, options: UndoOptions, command: Command): Promise<void> {
  const { person, json } = options
  const identities = listIdentities(login, options)
  const people = person === undefined ? [] : [person]
  if (identities.length + people.length === 0) {
    command.error('error: specify the person: a login, --email, --id or --person')
  }
  return withDatabase({}, async ({ sql }) => {
    const undone = await undoForgetting(sql, { identities, people })
    if (undone.length === 0) {
      throw new OperatorError(
        `No forgotten person has these names or this number; to see the numbers: ${devdataCommand('forget list')}`,
      )
    }
    if (json) return console.log(JSON.stringify({ people: undone }))
    const who = undone.map((id) => `person ${id}`).join(', ')
    console.log(
      `No longer forgotten: ${who}. The next load that has the person's data adds it again. "import github" skips ` +
        `commits that the dataset has: to load the person's commits again, remove their repositories first ("remove repo").`,
    )
  })
}
