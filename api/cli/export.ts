/** `devdata export …` */
import process from 'node:process'
import type { Command } from 'commander'
import { exportNdjson } from '../sources/ndjson/export.ts'
import { readDatasetVersion } from './arguments.ts'
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
      'Write users.ndjson, identities.ndjson (their further addresses), repos.ndjson and commits.ndjson, ' +
        'in the form that "import ndjson" reads. Also write manifest.json with the version of the dataset, ' +
        'and the lines, bytes and SHA-256 of each file. All files are of one version. With --since, the ' +
        'files have only what changed, and removals.ndjson names what was removed: import them to bring a ' +
        'copy up to date. The export has no keys and no ledger. The service can keep running. While an ' +
        'embedded database is exported, requests wait.',
    )
    .argument('<folder>', 'a new or empty folder, or one with an earlier export, which is replaced')
    .option(
      '--since <version>',
      "only what was added, changed or removed after this version of the dataset, such as the last export's",
      readDatasetVersion,
    )
    .option('--json', 'print the manifest')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata export ndjson ./copy\n  devdata export ndjson ./changes --since 41 --json',
    )
    .action(exportData)
}

interface ExportDataOptions {
  since?: number
  json?: true
}

function exportData(folder: string, { since, json }: ExportDataOptions): Promise<void> {
  return withDatabase({ longStatements: true }, async ({ sql }) => {
    const progress = startProgress(process.stderr)
    const manifest = await exportNdjson(sql, folder, {
      since,
      onProgress: ({ kind, lines }) =>
        progress.update({ step: `writing ${kind}`, count: lines, unit: 'lines', fraction: undefined }),
    }).finally(progress.end)
    if (json) return console.log(JSON.stringify(manifest))
    for (const [name, { lines }] of Object.entries(manifest.files)) {
      console.log(`${name.padEnd(17)} ${countOf(lines, 'line')}`)
    }
    const changes = since === undefined ? '' : `changes since version ${since}, `
    console.log(`dataset           version ${manifest.version}, ${changes}in ${folder}`)
  })
}
