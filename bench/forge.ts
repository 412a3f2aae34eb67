/**
 * `npm run bench -- forge`: the sets of a whole forge, written directly: first sights, pages of ids, a load, and bytes.
 * There are no users and repositories beside the sets, so no page of items is read.
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { createFilter, type Filter } from '../api/catalog/canonical-filter.ts'
import type { ListName } from '../api/catalog/filters.ts'
import { computeMatches } from '../api/catalog/matches.ts'
import { batchesOf } from '../api/concurrency/batches.ts'
import type { Sql } from '../api/database/connect.ts'
import { changeDataset } from '../api/dataset/dataset-change.ts'
import type { IdSet } from '../api/sets/id-set.ts'
import {
  encodePart,
  encodeShelf,
  findPart,
  findShelf,
  fitWidth,
  maxShelvedIds,
  maxWidth,
  shelfPlaces,
  shelfWidth,
} from '../api/sets/set-encoding.ts'
import { copyInto, writeRow } from '../test/support/copied-text.ts'
import { ask } from './catalog/requests.ts'
import { printTable, type Report } from './figures.ts'
import { fillKeys } from './fill.ts'
import type { Bench } from './parts.ts'
import { startOurs } from './programs.ts'
import type { BenchDatabase } from './stage.ts'

/** What is in the simulation. */
interface Sizes {
  users: number
  repositories: number
  /** Different dependencies. */
  terms: number
  /** Percentage of the items that a load changes. */
  changed: number
}

/** The sizes of a forge with this number of users. GitHub has 150 million. */
export function sizeForge(users: number): Sizes {
  return {
    users,
    repositories: Math.ceil((users * 8) / 3),
    terms: Math.max(2_000, Math.ceil(users / 15)),
    changed: users > 10_000_000 ? 0.1 : 1,
  }
}

/** Dependency r, from 1, has this share of a list, but no more than half of it. */
const shareOf = (rank: number) => Math.min(0.5, 1 / rank)
const nameOf = (rank: number) => `d${rank}`
/** Dependencies whose totals are compared with those of the service; 0: all items. */
const checkedRanks = [0, 1, 2, 50, 1_000]

export async function measureForge({ report, stage, form }: Bench): Promise<void> {
  const { rounds } = form
  const options = sizeForge(form.forgeUsers)
  const { terms } = options
  const database = await stage.create('forge')
  const { sql } = database
  const totals = await fillSets(report, sql, options)
  await checkTotals(database, totals)
  await measureBytes(report, sql)

  const everyone = Array.from({ length: 50 }, (_, index) => nameOf(index + 1))
  const scattered = Array.from({ length: 50 }, (_, index) => nameOf((index + 1) * 1_000))
  const ofIds: number[] = []
  const ofMemory: number[] = []
  const questions: [name: string, list: ListName, filter: Filter][] = [
    ['all users', 'users', createFilter({})],
    ['a rare dependency', 'users', createFilter({ dependency_names: [nameOf(Math.ceil(terms / 2))] })],
    ['one of a thousand users', 'users', createFilter({ dependency_names: [nameOf(1_000)] })],
    ['half of all users', 'users', createFilter({ dependency_names: [nameOf(1)] })],
    ['two dependencies', 'users', createFilter({ dependency_names: [nameOf(1), nameOf(2)] })],
    ['fifty dependencies of few', 'users', createFilter({ dependency_names: scattered })],
    ['the fifty commonest', 'users', createFilter({ dependency_names: everyone })],
    ['the fifty commonest', 'repositories', createFilter({ dependency_names: everyone })],
  ]
  for (const [name, list, filter] of questions) {
    const times: number[] = []
    let ids: IdSet | undefined
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      const matches = await computeMatches(sql, list, filter)
      times.push(performance.now() - began)
      if (matches === 'outdated') throw new Error('the dataset changed during the measurement')
      ids = matches.ids
      ofIds.push(timePage(ids))
      ofMemory.push(ids.bytes / 1e6)
    }
    const of = `${list}, ${name}`
    report.note({ bar: of, against: 'matches', goal: null, unit: 'items' }, ids?.total ?? Number.NaN)
    report.note(
      { bar: of, against: 'first sight, slowest of the rounds', goal: null, unit: 'ms' },
      Math.max(...times),
    )
  }
  const slowest = { against: 'at most, of all these filters', goal: null }
  report.note({ ...slowest, bar: '30 ids from any place', unit: 'µs' }, Math.max(...ofIds))
  report.note({ ...slowest, bar: 'memory of the matches', unit: 'MB' }, Math.max(...ofMemory))
  await measureChange(report, sql, options)
  await stage.drop(database)
}

/** Microseconds for the ids of a page from a random place, of many. */
function timePage(ids: IdSet): number {
  const pages = 1_000
  const began = performance.now()
  for (let page = 0; page < pages; page++) ids.select(Math.floor(Math.random() * ids.total), 30)
  return ((performance.now() - began) * 1_000) / pages
}

/** Throws unless the service finds as many items as were written. */
async function checkTotals({ url, sql }: BenchDatabase, totals: Totals): Promise<void> {
  await fillKeys(sql, 1)
  await using service = await startOurs(url)
  for (const [path, total] of totals) {
    const found = Number((await ask(service, path, 'HEAD')).headers.get('X-Total-Count'))
    if (found !== total) throw new Error(`${path} finds ${found} of ${total} items`)
  }
}

/** The number of items by the path that lists them, of some dependencies. */
type Totals = Map<string, number>

/**
 * Writes the sets of both lists, dependency by dependency, and the rows that name them. Returns the totals of
 * `checkedRanks`.
 */
async function fillSets(report: Report, sql: Sql, { users, repositories, terms }: Sizes): Promise<Totals> {
  const totals: Totals = new Map()
  report.say('writing sets')
  await sql`alter table sets drop constraint sets_pkey`
  const rows = await createRows(await sql.unsafe('copy sets from stdin (format binary)').writable())
  const states = { users: createStates(terms), repositories: createStates(terms) }
  for (const [list, last] of [
    ['users', users],
    ['repositories', repositories],
  ] as const) {
    const shelved = new Map<number, number[]>()
    const flushShelf = async () => {
      const [first] = shelved.keys()
      if (first === undefined) return
      const { cardinality, bytes } = encodeShelf(shelved)
      await rows.add([findShelf(first), list, 0, shelfWidth, cardinality, bytes])
      shelved.clear()
    }
    for (let rank = 0; rank <= terms; rank++) {
      const share = rank === 0 ? 1 : shareOf(rank)
      const width = fitWidth(share * last, last)
      let total = 0
      let ids: number[] = []
      let part = 0
      if (rank % shelfPlaces === 0) await flushShelf()
      const flush = async () => {
        if (ids.length === 0) return
        if (width === maxWidth && ids.length <= maxShelvedIds && rank > 0) {
          shelved.set(rank, ids)
          return
        }
        const { cardinality, bytes } = encodePart(Uint32Array.from(ids), { width, part })
        await rows.add([rank, list, part, width, cardinality, bytes])
        ids = []
      }
      const scale = share === 1 ? 0 : 1 / Math.log1p(-share)
      for (let id = 1; ; id++) {
        if (scale !== 0) id += Math.floor(Math.log(Math.random()) * scale)
        if (id > last) break
        const next = findPart(id, width)
        if (next !== part) await flush()
        part = next
        ids.push(id)
        total++
      }
      await flush()
      states[list].counts[rank] = total
      states[list].areShelved[rank] = Number(total === 0 || shelved.has(rank))
      if (checkedRanks.includes(rank)) {
        const path = list === 'users' ? '/users' : '/repos'
        totals.set(rank === 0 ? path : `${path}?dependency_names=${nameOf(rank)}`, total)
      }
      if (rank % 1_000_000 === 0) report.say(`${list}: ${rank.toLocaleString('en')} dependencies`)
    }
    await flushShelf()
  }
  await rows.end()
  report.say('indexes')
  await sql`alter table sets add primary key (term_id, list, part)`
  await sql`vacuum analyze sets`
  report.say('dependencies')
  const ranks = Array.from({ length: terms }, (_, index) => index + 1)
  for (const batch of batchesOf(ranks, 100_000)) {
    const lines = batch.map((rank) =>
      writeRow([
        ...[rank, nameOf(rank), nameOf(rank).toUpperCase(), 'package.json', 'active'],
        ...[states.users, states.repositories].flatMap(({ counts, areShelved }) => [
          counts[rank] ?? 0,
          areShelved[rank] === 1,
        ]),
      ]),
    )
    await sql.begin((tx) =>
      copyInto(
        tx,
        `dependencies (
          id, name, name_key, file, status, users_count, users_on_shelf, repositories_count, repositories_on_shelf
        )`,
        lines,
      ),
    )
  }
  await sql`vacuum analyze dependencies`
  await sql`update dataset set last_user_id = ${users}, last_repository_id = ${repositories}, users_count = ${users}, repositories_count = ${repositories}`
  return totals
}

/** The numbers of ids of sets, and which are on shelves, by rank. */
function createStates(terms: number) {
  return { counts: new Uint32Array(terms + 1), areShelved: new Uint8Array(terms + 1) }
}

interface RowWriter {
  add(
    row: readonly [
      term: number,
      list: string,
      part: number,
      width: number,
      cardinality: number,
      bytes: Uint8Array,
    ],
  ): Promise<void>
  end(): Promise<void>
}

/** Writes rows of `sets` in PostgreSQL's binary format. */
async function createRows(stream: Writable): Promise<RowWriter> {
  const size = 1 << 20
  let buffer = Buffer.allocUnsafe(size)
  let length = buffer.write('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
  const send = async () => {
    if (!stream.write(buffer.subarray(0, length))) await once(stream, 'drain')
    buffer = Buffer.allocUnsafe(size)
    length = 0
  }
  const integer = (value: number, bytes: 2 | 4) => {
    length = buffer.writeInt32BE(bytes, length)
    length = bytes === 2 ? buffer.writeInt16BE(value, length) : buffer.writeInt32BE(value, length)
  }
  return {
    async add([term, list, part, width, cardinality, bytes]) {
      if (length + bytes.length + 100 > size) await send()
      length = buffer.writeInt16BE(6, length)
      integer(term, 4)
      length = buffer.writeInt32BE(list.length, length)
      length += buffer.write(list, length, 'latin1')
      integer(part, 4)
      integer(width, 2)
      integer(cardinality, 4)
      length = buffer.writeInt32BE(bytes.length, length)
      buffer.set(bytes, length)
      length += bytes.length
    },
    async end() {
      if (length + 2 > size) await send()
      length = buffer.writeInt16BE(-1, length)
      await send()
      stream.end()
      await once(stream, 'finish')
    },
  }
}

async function measureBytes(report: Report, sql: Sql): Promise<void> {
  const rows = await sql<{ list: string; parts: number; members: number; bytes: number }[]>`
    select list::text, count(*) as parts, sum(cardinality::bigint) as members, sum(length(bytes)::bigint) as bytes
    from sets group by list order by list`
  const [size] = await sql<{ heap: number; indexes: number }[]>`
    select pg_table_size('sets') as heap, pg_indexes_size('sets') as indexes`
  printTable([
    ['list', 'parts', 'members', 'bytes of ids', 'bytes a member'],
    ...rows.map((row) => [
      row.list,
      ...[row.parts, row.members, row.bytes].map((value) => Number(value).toLocaleString('en')),
      (Number(row.bytes) / Number(row.members)).toFixed(2),
    ]),
  ])
  const sum = (name: 'members' | 'bytes') => rows.reduce((total, row) => total + Number(row[name]), 0)
  const bar = { bar: 'sets', goal: null }
  report.note({ ...bar, against: 'table', unit: 'GB' }, (size?.heap ?? 0) / 1e9)
  report.note({ ...bar, against: 'index', unit: 'GB' }, (size?.indexes ?? 0) / 1e9)
  report.note({ ...bar, against: 'members', unit: 'ids' }, sum('members'))
  report.note({ ...bar, against: 'each member', unit: 'bytes' }, sum('bytes') / sum('members'))
}

/** Some users and repositories lose two dependencies each, and gain two. */
async function measureChange(
  report: Report,
  sql: Sql,
  { users, repositories, terms, changed }: Sizes,
): Promise<void> {
  report.say('drawing changes')
  // Terms are drawn as often as items have them. Whether an item had the dependency before doesn't change the work.
  await sql`
    create table drawn_changes as
    select least(${terms}::integer, exp(random() * ln(${terms}::float8))::integer) as term_id, list, id, place <= 2 as is_gained
    from (
      select 'users'::list_name as list, 1 + (random() * (${users}::float8 - 1))::integer as id from generate_series(1, ${Math.ceil((users * changed) / 100)}::integer)
      union all
      select 'repositories', 1 + (random() * (${repositories}::float8 - 1))::integer from generate_series(1, ${Math.ceil((repositories * changed) / 100)}::integer)
    ) changed, generate_series(1, 4) place`
  const [drawn] = await sql<{ changes: number }[]>`select count(*) as changes from drawn_changes`
  const readLogPosition = async () => {
    const [row] = await sql<{ bytes: string }[]>`select (pg_current_wal_lsn() - '0/0')::text as bytes`
    return Number(row?.bytes)
  }
  await sql`checkpoint`
  const [before, began] = [await readLogPosition(), performance.now()]
  await changeDataset(sql, {}, async ({ tx }) => {
    await tx`
      insert into set_changes
      select list, id, coalesce(array_agg(term_id) filter (where not is_gained), '{}'),
        coalesce(array_agg(term_id) filter (where is_gained), '{}')
      from drawn_changes group by list, id`
  })
  const seconds = (performance.now() - began) / 1_000
  const gigabytes = ((await readLogPosition()) - before) / 1e9
  const bar = { bar: 'a load that changes sets', goal: null }
  report.note({ ...bar, against: 'changes', unit: 'ids' }, Number(drawn?.changes))
  report.note({ ...bar, against: 'time', unit: 's' }, seconds)
  report.note({ ...bar, against: 'write-ahead log', unit: 'GB' }, gigabytes)
}
