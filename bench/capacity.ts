/** What a whole forge would take, extrapolated from recorded figures: the claims of capacity.md. */
import { duration, type RecordReader, tabulate, whole } from './record-reader.ts'

/** A whole forge. */
const users = 200e6
const repositories = 500e6
const commits = 1.5e9
/** That a worker of the table has, in bytes. */
const workerBytes = 2.2e12

const inTerabytes = (bytes: number) => `${(bytes / 1e12).toFixed(bytes < 1e12 ? 2 : 1)} TB`

export function claimCapacity(reader: RecordReader): Record<string, string> {
  const space = estimateSpace(reader)
  const total = space.reduce((sum, { count, each }) => sum + count * each, 0)
  const ofCommits = space.reduce(
    (sum, { what, count, each }) => sum + (what === 'commits' ? count * each : 0),
    0,
  )
  const factor = repositories / reader.size('import')
  const servers = [1, 10].map((times) => times * ofCommits)
  return {
    ...claimForge(reader),
    'capacity.coordinator': inTerabytes(total - ofCommits),
    'capacity.factor': whole(factor),
    'capacity.load': duration(factor * reader.ours('import', 'import / psql \\copy')),
    'capacity.space': tabulate(
      ['Data', 'Bytes each', 'Sum'],
      [
        ...space.map(({ what, count, each }) => [what, whole(each), inTerabytes(count * each)]),
        ['**total**', '', `**${inTerabytes(total)}**`],
      ],
    ),
    'capacity.servers': tabulate(
      ['', 'A whole forge', 'Ten times its commits'],
      [
        ['coordinator', ...servers.map(() => inTerabytes(total - ofCommits))],
        ['workers, together', ...servers.map(inTerabytes)],
        [
          `workers of ${inTerabytes(workerBytes)}`,
          ...servers.map((bytes) => whole(Math.ceil(bytes / workerBytes))),
        ],
      ],
    ),
  }
}

/** What the data takes, with its indexes. */
function estimateSpace({ ours, size }: RecordReader): { what: string; count: number; each: number }[] {
  const bytes = (table: string) =>
    ours('disk', `${table} / table, for each row`) + ours('disk', `${table} / indexes, for each row`)
  /** There are as many repositories as users in the data. */
  const perUser = (table: string) => ours('disk', `${table} / rows`) / size('disk')
  const sets = ours('forge', 'sets / table') + ours('forge', 'sets / index')
  return [
    { what: 'users', count: users, each: bytes('users') },
    { what: 'repositories', count: repositories, each: bytes('repositories') },
    { what: 'commits', count: commits, each: bytes('commits') },
    {
      what: 'what each repository declared, and when, for loads: 12 dependencies',
      count: repositories,
      each: bytes('repository_dependencies'),
    },
    { what: 'what each user depends on, for loads', count: users, each: bytes('user_dependencies') },
    {
      what: 'sets, as simulated: per user, of users and of repositories',
      count: users,
      each: (sets * 1e9) / size('forge'),
    },
    { what: 'locations', count: users * perUser('locations'), each: bytes('locations') },
    { what: 'identities of people', count: users * perUser('identities'), each: bytes('identities') },
    {
      what: 'people who work on a repository',
      count: repositories * perUser('contributions'),
      each: bytes('contributions'),
    },
  ]
}

/** The filters of the simulated forge, as the page names them. */
const filters: Record<string, string> = {
  'users, a rare dependency': 'users with a rare dependency',
  'users, one of a thousand users': 'users with a dependency of one in a thousand',
  'users, half of all users': 'users with a dependency of half of all',
  'users, two dependencies': 'users with either of the two commonest',
  'users, fifty dependencies of few': 'users with any of fifty rare ones',
  'users, the fifty commonest': 'users with any of the fifty commonest',
  'repositories, the fifty commonest': 'repositories with any of the fifty commonest',
  'users, all users': 'all users',
}

function claimForge({ ours, part }: RecordReader): Record<string, string> {
  const read = (figure: string) => ours('forge', figure)
  const change = (of: string) => read(`a load that changes sets / ${of}`)
  const most = (of: string) => read(`${of} / at most, of all these filters`)
  const inGigabytes = (value: number) =>
    value < 1 ? `${Number((value * 1_000).toPrecision(2))} MB` : `${Number(value.toPrecision(3))} GB`
  return {
    'forge.size': Object.entries(part('forge').data)
      .map(([what, count]) => `${whole(count)} ${what}`)
      .join(', '),
    'forge.members': whole(read('sets / members')),
    'forge.member': read('sets / each member').toFixed(1),
    'forge.table': inGigabytes(read('sets / table')),
    'forge.index': inGigabytes(read('sets / index')),
    'forge.filters': tabulate(
      ['Filter', 'Matches', 'Time'],
      Object.entries(filters).map(([name, what]) => [
        what,
        whole(read(`${name} / matches`)),
        `${whole(read(`${name} / first sight, slowest of the rounds`))} ms`,
      ]),
    ),
    'forge.page': `${whole(most('30 ids from any place'))} µs`,
    'forge.memory': inGigabytes(most('memory of the matches') / 1_000),
    'forge.changes': whole(change('changes')),
    'forge.change': duration(change('time')),
    'forge.log': inGigabytes(change('write-ahead log')),
  }
}
