/**
 * `devdata migrate`
 *
 * @module
 */
import type { Command } from 'commander'
import { migrate, migrationWaits } from '../database/migrate.ts'
import { print, printJson } from './output.ts'
import { withDatabase } from './session.ts'

/** Adds `migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .summary("bring the database's schema up to date")
    .description(
      `Brings the database's schema up to date, and prints the names of the applied migrations.

The service does this when it starts. Other commands do it on an embedded database that no service runs; on
PostgreSQL, they never change the schema, and ask for this command instead.`,
    )
    .option('--json', 'print {"applied": [NAME, …]}')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata migrate\n  DATABASE_URL=postgres://… devdata migrate --json',
    )
    .action(async ({ json }: { json?: true }) => {
      await withDatabase({ anySchema: true, longStatements: true }, async ({ sql }) => {
        const applied = await migrate(sql, { onWait: () => console.error(`Waiting: ${migrationWaits}`) })
        if (json) printJson({ applied })
        else if (applied.length === 0) print('The schema is up to date')
        else print(applied.map((name) => `Applied ${name}`).join('\n'))
      })
    })
}
