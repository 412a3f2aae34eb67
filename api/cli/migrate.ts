/** `devdata migrate` */
import type { Command } from 'commander'
import { migrate, migrationWaits } from '../database/migrate.ts'
import { withDatabase } from './session.ts'

/** Adds `migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .summary("Bring the database's schema up to date")
    .description(
      "Bring the database's schema up to date, and print the names of the applied migrations. The service does this " +
        'when it starts. Other commands never change the schema of a PostgreSQL database.',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata migrate\n  DATABASE_URL=postgres://… devdata migrate --json',
    )
    .action(async ({ json }: { json?: true }) => {
      const options = { anySchema: true, longStatements: true, createsDatabase: true }
      await withDatabase(options, async ({ sql }) => {
        const applied = await migrate(sql, { onWait: () => console.error(`Waiting: ${migrationWaits}`) })
        if (json) console.log(JSON.stringify({ applied }))
        else if (applied.length === 0) console.log('The schema is up to date')
        else console.log(applied.map((name) => `Applied ${name}`).join('\n'))
      })
    })
}
