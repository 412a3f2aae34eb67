/**
 * What pages claim of bench/figures.json. A page has each figure between two comments, `<!-- figure NAME -->1.5<!-- /
 * -->`, which MDX writes in its own way. `writeClaims` writes the texts between them, and a test compares them.
 */
import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { claimCapacity } from './capacity.ts'
import { median } from './figures.ts'
import { type Recorded, readRecord } from './record.ts'
import { createReader, duration, type RecordReader, tabulate, whole } from './record-reader.ts'

const project = join(import.meta.dirname, '..')
const pages = ['README.md', 'bench/*.md', 'docs-site/src/content/docs/**/*.{md,mdx}']
const marked = /(<!-- figure (\S+) -->|\{\/\* figure (\S+) \*\/\})(.*?)(<!-- \/ -->|\{\/\* \/ \*\/\})/gs

/** A file of the project as it is, and as it must be. */
export interface ClaimingFile {
  path: string
  found: string
  expected: string
}

/** Reads the files that claim figures. Throws if a figure is missing, or if no page claims it. */
export async function readClaims(): Promise<ClaimingFile[]> {
  const recorded = await readRecord()
  const reader = createReader(recorded)
  const claims = new Map(Object.entries({ ...claimForPortal(reader, recorded), ...claimCapacity(reader) }))
  const unused = new Set(claims.keys())
  const files: ClaimingFile[] = []
  for await (const path of glob(pages, { cwd: project })) {
    const found = await readFile(join(project, path), 'utf8')
    const expected = found.replace(
      marked,
      (_, start: string, html: string | undefined, mdx: string | undefined, __, end: string) => {
        const name = html ?? mdx ?? ''
        const text = claims.get(name)
        if (text === undefined)
          throw new Error(`${path} claims ${name}, which claims.ts and capacity.ts don't compute`)
        unused.delete(name)
        return start + text + end
      },
    )
    if (found.search(marked) >= 0) files.push({ path, found, expected })
  }
  if (unused.size > 0) throw new Error(`no page claims ${[...unused].join(', ')}`)
  return files
}

/** Writes the files that claim figures. */
export async function writeClaims(): Promise<void> {
  for (const { path, found, expected } of await readClaims())
    if (found !== expected) await writeFile(join(project, path), expected)
}

/** The texts of the portal's claims, by name. */
function claimForPortal(
  { part, size, ours, ratio, ratios }: RecordReader,
  recorded: Recorded,
): Record<string, string> {
  const grown = part('growth').figures.flatMap(({ points = [] }) => points.map(([users]) => users))
  const seen = part('first-sight')
    .figures.filter((figure) => figure.ratio === undefined)
    .map((figure) => figure.ours)
  const memory = (name: string, figure: string) => `${whole(ours(name, figure))} MiB`
  const peak = (of: string) => memory('throughput', `resident memory, peak / ${of}, with cached responses`)
  return {
    'depth.users': whole(size('depth')),
    'depth.lists': whole(ratios('depth').length),
    'depth.least': Math.min(...ratios('depth')).toFixed(2),
    'depth.most': Math.max(...ratios('depth')).toFixed(2),
    'growth.users': whole(size('growth')),
    'growth.small': whole(Math.min(...grown)),
    'growth.kinds': whole(ratios('growth').length),
    'growth.half': median(ratios('growth')).toFixed(1),
    'growth.most': Math.max(...ratios('growth')).toFixed(1),
    'first-sight.users': whole(size('first-sight')),
    'first-sight.half': `${whole(median(seen))} ms`,
    'first-sight.most': `${whole(Math.max(...seen))} ms`,
    'disk.data': ratio('disk', 'tables and indexes / the NDJSON').toFixed(2),
    'disk.tables': ratio('disk', 'tables / the NDJSON').toFixed(2),
    'disk.indexes': ratio('disk', 'indexes / the NDJSON').toFixed(2),
    'disk.rows': tabulateDisk((figure) => ours('disk', figure)),
    'disk.commit': whole(
      ours('disk', 'commits / table, for each row') + ours('disk', 'commits / indexes, for each row'),
    ),
    'ledger.entry': whole(ours('ledger-size', 'ledger, with its indexes / each entry')),
    'memory.node': peak('Node'),
    'memory.deno': peak('Deno'),
    'memory.overload-times': (
      10 * ratio('overload', 'offered by the generator / 10 times the closed loop')
    ).toFixed(1),
    'memory.overload': memory('overload', 'resident memory, peak / under overload'),
    traced: ratio('runtimes', 'Node, traced / not traced').toFixed(1),
    'instances.two': ratio(
      'instances',
      'look-ups, two instances, 32 connections each / one instance, 64 connections',
    ).toFixed(2),
    'import.users': whole(size('import')),
    'import.time': duration(ours('import', 'import / psql \\copy')),
    'import.memory': memory('import', 'memory of the import, peak / the command'),
    'refresh.users': whole(size('refresh') / 100),
    'refresh.all': whole(size('refresh')),
    'refresh.time': duration(ours('refresh', 'a refresh of 1 % / beside readers')),
    'refresh.pages': `${whole(100 * ratio('refresh', 'pages a second beside a refresh / before'))} %`,
    'refresh.wait': duration(ours('refresh', 'longest wait beside a refresh / the usual p99') / 1_000),
    'embedded.users': whole(size('embedded')),
    'embedded.time': duration(ours('embedded', 'first load / the embedded database')),
    'embedded.memory': memory('embedded', 'memory of the first load, peak / the embedded database'),
    machine: describeMachines(recorded),
    sources: tabulateSources(recorded),
  }
}

/** What is stored, and what its indexes are for, by table. */
const stored: Record<string, readonly [what: string, indexesFor: string]> = {
  users: ['user', 'pages by id; look-ups by login; loads, by forge id'],
  repositories: [
    'repository with its dependencies',
    'pages by id; look-ups by owner and name; loads, by forge id and URL',
  ],
  commits: ['commit', 'loads, by hash; pages, by position'],
  repository_dependencies: ['repository, for loads: what it declared, and when', 'loads'],
  user_dependencies: ['user, for loads: what the user depends on', 'loads'],
  sets: ['user: the sets that filters read', 'filters; loads'],
  locations: ['location (one per three users)', 'filters; loads, by its name'],
  identities: [
    'identity of a person (login, id, email address)',
    'loads: who wrote a commit, who owns a repository',
  ],
  contributions: ['person who works on a repository', 'loads: whose dependencies change'],
}

function tabulateDisk(readBytes: (figure: string) => number): string {
  return tabulate(
    ['For each', 'Table, bytes', 'Indexes, bytes', 'Needed by the indexes for'],
    Object.entries(stored).map(([table, [what, indexesFor]]) => {
      const of = table === 'sets' ? 'user' : 'row'
      const bytes = ['table', 'indexes'].map((name) => whole(readBytes(`${table} / ${name}, for each ${of}`)))
      return [what, ...bytes, indexesFor]
    }),
  )
}

const flush = /, a flush to the disk in ([^,]+)/
const readFlush = (machine: string) => flush.exec(machine)?.[1] ?? ''

/** The machines of all parts, but for how fast their disks were. */
function describeMachines(recorded: Recorded): string {
  const machines = new Set(Object.values(recorded).map(({ machine }) => machine.replace(flush, '')))
  return [...machines].map((machine) => `\`${machine}\``).join(' and ')
}

/** When and on how much data the parts were measured. */
function tabulateSources(recorded: Recorded): string {
  const groups = new Map<string, { names: string[]; cells: string[] }>()
  for (const [name, { data: sizesOf, date, commit, machine, load }] of Object.entries(recorded)) {
    const sizes = Object.entries(sizesOf).map(([what, size]) => `${whole(size)} ${what}`)
    const data = sizes.join(', ') + (name === 'forge' ? ' (sets only)' : '')
    const cells = [data, date, commit ?? '', readFlush(machine), `${whole(100 * load.others)} %`]
    const group = groups.get(cells.join()) ?? { names: [], cells }
    groups.set(cells.join(), { ...group, names: [...group.names, `\`${name}\``] })
  }
  return tabulate(
    ['Parts of the benchmark', 'Data', 'Date', 'Commit', 'Flush to the disk', 'Processors used by others'],
    [...groups.values()].map(({ names, cells }) => [names.join(', '), ...cells]),
  )
}
