/** `devdata migrate` */
import type { Command } from 'commander'
import { nameUnready } from '../catalog/derived-terms.ts'
import { migrate, migrationWaits } from '../database/migrate.ts'
import type { MigrationPlan, PlannedChange, PlannedMigration } from '../database/migration-plan.ts'
import { devdataCommand } from '../devdata-command.ts'
import { countOf, formatCount } from './output.ts'
import { withDatabase } from './session.ts'

interface MigrateOptions {
  plan?: true
  json?: true
}

/** Adds `migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .summary("Bring the database's schema up to date")
    .description(
      "Bring the database's schema up to date, and print the names of the applied migrations. The service does this " +
        'when it starts. Other commands never change the schema of a PostgreSQL database.',
    )
    .option('--plan', 'change nothing: say what would be applied, what it locks, and how long it may take')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata migrate --plan\n  devdata migrate\n  DATABASE_URL=postgres://… devdata migrate --json',
    )
    .action(({ plan, json }: MigrateOptions) => (plan ? printPlan(json) : apply(json)))
}

function apply(json: MigrateOptions['json']): Promise<void> {
  const options = { anySchema: true, longStatements: true, createsDatabase: true }
  return withDatabase(options, async ({ sql }) => {
    const applied = await migrate(sql, { onWait: () => console.error(`Waiting: ${migrationWaits}`) })
    if (json) console.log(JSON.stringify({ applied }))
    else if (applied.length === 0) console.log('The schema is up to date')
    else console.log(applied.map((name) => `Applied ${name}`).join('\n'))
  })
}

function printPlan(json: MigrateOptions['json']): Promise<void> {
  return withDatabase({ anySchema: true }, async ({ sql }) => {
    const { estimateAssumes, planMigrations } = await import('../database/migration-plan.ts') // loads the embedded database
    const plan = await planMigrations(sql)
    if (json) return console.log(JSON.stringify(toJson(plan)))
    console.log(describePlan(plan, estimateAssumes))
    const isUpgrade = plan.newest > 0 && plan.migrations.length > 0
    const unready = isUpgrade ? await nameUnready(sql) : []
    if (unready.length > 0) console.log(describeWaiting(unready))
  })
}

function toJson({ newest, isRolling, migrations, estimatedSeconds }: MigrationPlan) {
  return { newest, is_rolling: isRolling, migrations, estimated_seconds: Math.ceil(estimatedSeconds) }
}

function describePlan(
  { newest, isRolling, migrations, estimatedSeconds }: MigrationPlan,
  assumption: string,
): string {
  if (migrations.length === 0) return 'The schema is up to date'
  if (newest === 0)
    return `The database has no devdata schema yet. ${countOf(migrations.length, 'migration')} would create it.`
  const seconds = Math.max(1, Math.ceil(estimatedSeconds))
  return [
    `${countOf(migrations.length, 'migration')} would be applied, in one transaction, which keeps its locks to the end:`,
    ...migrations.map(describeMigration),
    `Estimate: about ${countOf(seconds, 'second')}, if ${assumption}.`,
    isRolling
      ? `Rolling upgrade: yes. Instances that run on this schema (newest migration: ${newest}) can keep running during the migration and after it. Replace them one by one.`
      : 'Rolling upgrade: no. Stop all instances before you migrate, and make a backup: it is the only way back.',
  ].join('\n')
}

function describeMigration({ name, creates, removes, changes }: PlannedMigration): string {
  return [
    name,
    ...creates.map((table) => `creates ${table}`),
    ...removes.map((table) => `removes ${table}`),
    ...changes.map(describeChange),
  ].join('\n  ')
}

function describeChange({ table, blocks, rows, bytes }: PlannedChange): string {
  const blocksNobody = blocks === 'nothing'
  const work = {
    untouched: 'touches no rows',
    read: 'reads all rows',
    written: blocksNobody ? 'writes rows' : 'rewrites all rows',
  }[rows]
  const effects = blocksNobody ? `${work}, blocks nobody` : `blocks ${blocks}, ${work}`
  return `${table}, ${formatCount(Math.ceil(bytes / 1e6))} MB: ${effects}`
}

function describeWaiting(filters: readonly string[]): string {
  const rebuild = devdataCommand('sets rebuild')
  return `After the upgrade, these filters return 503 until you load data or run "${rebuild}": ${filters.join(', ')}`
}
