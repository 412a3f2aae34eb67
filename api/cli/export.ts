/**
 * `devdata export …`
 *
 * @module
 */
import process from 'node:process'
import type { Command } from 'commander'
import { exportNdjson } from '../export/ndjson.ts'
import { countOf } from './output.ts'
import { startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

/** Adds `export` and its command. */
export function addExportCommands(program: Command): void {
  program
    .command('export')
    .description('Write the data to files')
    .addHelpText('after', '\nExamples:\n  devdata export ndjson ./copy')
    .command('ndjson')
    .summary('Write users, repositories and commits as lines of JSON')
    .description(
      'Write users.ndjson, repos.ndjson and commits.ndjson, in the form that "import ndjson" reads, and manifest.json ' +
        "with the dataset's version, and the lines, bytes and SHA-256 of each file. All files are of one version. " +
        'Keys and the ledger are not exported. The service can keep running; on the embedded database, requests wait.',
    )
    .argument('<folder>', 'a new or empty folder, or one with an earlier export, which is replaced')
    .option('--json', 'print the manifest')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata export ndjson ./copy\n  devdata export ndjson ./copy --json',
    )
    .action(exportData)
}

function exportData(folder: string, { json }: { json?: true }): Promise<void> {
  return withDatabase({ longStatements: true }, async ({ sql }) => {
    const progress = startProgress(process.stderr)
    const manifest = await exportNdjson(sql, folder, ({ kind, lines }) =>
      progress.update({ step: `writing ${kind}`, count: lines, unit: 'lines', fraction: undefined }),
    ).finally(progress.end)
    if (json) return console.log(JSON.stringify(manifest))
    for (const [name, { lines }] of Object.entries(manifest.files)) {
      console.log(`${name.padEnd(14)}  ${countOf(lines, 'line')}`)
    }
    console.log(`dataset         version ${manifest.version}, in ${folder}`)
  })
}
