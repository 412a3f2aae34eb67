/** All commands, and what they have in common: help, examples, and usage errors. */
import { Command } from 'commander'
import { readVersion } from '../build-info.ts'
import { isInstalled } from '../devdata-command.ts'
import { addDoctorCommand } from './doctor.ts'
import { addExportCommands } from './export.ts'
import { addForgetCommands } from './forget.ts'
import { addImportCommands } from './import.ts'
import { addKeysCommands } from './keys.ts'
import { addLedgerCommands } from './ledger.ts'
import { addMigrateCommand } from './migrate.ts'
import { addPersonCommands } from './person.ts'
import { addRemoveCommands } from './remove.ts'
import { addRestoredCommand } from './restored.ts'
import { addSetsCommands } from './sets.ts'
import { addShowCommands } from './show.ts'
import { addWebhooksCommands } from './webhooks.ts'

/** Creates the command line. It throws `CommanderError` after it has printed help or a usage error. */
export function createCommands(): Command {
  const program = new Command('devdata')
    .description('Operate a devdata service: its API keys, its ledger, its data and its database.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false })
  addKeysCommands(program)
  addLedgerCommands(program)
  addImportCommands(program)
  addExportCommands(program)
  addRemoveCommands(program)
  addForgetCommands(program)
  addPersonCommands(program)
  addShowCommands(program)
  addWebhooksCommands(program)
  addSetsCommands(program)
  addMigrateCommand(program)
  addRestoredCommand(program)
  addDoctorCommand(program)
  program.addHelpText(
    'after',
    `
Settings are read from the environment and from .env (see .env.example). The database is the one in DATABASE_URL,
or else the embedded one in DATA_DIR. While a service runs the embedded database, commands connect through it.

Exit codes: 0 success, 1 failure, 2 usage error, 130 or 143 interrupted by SIGINT or SIGTERM.

Examples:
  devdata keys create --credits 1000
  devdata ledger verify
  devdata import ndjson sample
  devdata export ndjson copy
  devdata remove repo honojs/hono
  devdata forget user ada
  devdata person export ada --output ada.json
  devdata show repo honojs/hono
  devdata webhooks test
  devdata sets verify
  devdata migrate
  devdata restored
  devdata doctor`,
  )
  if (!isInstalled()) {
    program.addHelpText(
      'afterAll',
      '\n"devdata" is "npm run -s devdata --", or with Deno "deno task devdata".',
    )
  }
  showUsageAfterErrors(program)
  return program
}

/** Prints the usage after each usage error. */
function showUsageAfterErrors(command: Command): void {
  const path = pathOf(command)
  command.showHelpAfterError(`Usage: ${path} ${command.usage()}\nSee ${path} --help.`)
  for (const subcommand of command.commands) showUsageAfterErrors(subcommand)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
