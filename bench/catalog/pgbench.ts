/** The statements that read a page, for pgbench: alone, and together with what settles its request. */
import { createFilter, type Filter } from '../../api/catalog/canonical-filter.ts'
import type { ListName } from '../../api/catalog/filters.ts'
import { computeMatches } from '../../api/catalog/matches.ts'
import type { Sql } from '../../api/database/connect.ts'
import { pickKey, writeRequest } from '../pgbench.ts'
import { type CountedList, type ListRequest, lastFullPage, pageSize } from './requests.ts'

/** Writes a script for each list. It reads random full pages, and settles a request for each if `isCharged`. */
export function writePageScripts(lists: readonly CountedList[], options: { isCharged: boolean }): string[] {
  return lists.map(
    (list) =>
      `\\set page random(1, ${lastFullPage(list)})\n${options.isCharged ? pickKey : ''}${writePageStatement(list, options)};\n`,
  )
}

/** Writes the statement that reads a page, the variable `page`, and settles its request if `isCharged`. */
export function writePageStatement(list: CountedList, { isCharged }: { isCharged: boolean }): string {
  return isCharged ? writeRequest({ found: selectPage(list), path: `'${list.path}'` }) : selectPage(list)
}

/** SQL: a page's `total`, `count` and `items`. */
function selectPage(list: CountedList): string {
  const [, owner, name, kind] = /^\/repos\/(.+)\/(.+)\/(commits|dependencies)$/.exec(list.path) ?? []
  const repository = `(
    select * from repositories where full_name_key = upper('${owner}/${name}') order by id desc limit 1
  ) repository`
  if (kind === 'commits') return selectCommits(repository)
  if (kind === 'dependencies') return selectDependencies(repository)
  const listName = listNameOf(list)
  return isFiltered(list) ? selectMatches(listName, list) : selectRange(listName)
}

/** The columns of a page, rendered. */
function render(item: string, order = ''): string {
  return `count(*)::integer as count, coalesce(string_agg(${item}, ','${order}), '') as items`
}

const itemOf: Record<ListName, string> = {
  users: 'document',
  repositories: `'{"internal_id":' || id || ',' || members || ',"dependencies":' || dependencies || '}'`,
}

/** `limit` is for the planner, which otherwise expects more rows than the one. */
const dataset = '(select * from dataset limit 1) dataset'

/** SQL: a page of all items. Their ids are the numbers from 1 on. */
function selectRange(list: ListName): string {
  return `select dataset.${list}_count as total, found.count, found.items
from ${dataset}, lateral (
  select ${render(itemOf[list])} from (
    select * from ${list} where id > (:page - 1) * ${pageSize} and id <= :page * ${pageSize} order by id limit ${pageSize}
  ) page
) found`
}

/** A page of a filter's matches, whose ids `storeMatches` has stored. */
function selectMatches(list: ListName, request: CountedList): string {
  return `select stored.total, found.count, found.items
from (
  select total, ids[(:page - 1) * ${pageSize} % 120 + 1 : (:page - 1) * ${pageSize} % 120 + ${pageSize}] as ids from bench_matches
  where list = '${nameOf(request)}' and chunk = (:page - 1) * ${pageSize} / 120
) stored, lateral (
  select ${render(itemOf[list])} from (
    select * from ${list} where id = any(stored.ids) order by id limit ${pageSize}
  ) page
) found`
}

/** Stores the matches of all filters in chunks of four pages, for the statements, instead of those of another run. */
export async function storeMatches(sql: Sql, lists: readonly CountedList[]): Promise<void> {
  await sql`drop table if exists bench_matches`
  await sql`
    create table bench_matches (list text, chunk integer, total integer, ids integer[], primary key (list, chunk))`
  for (const list of lists.filter(isFiltered)) {
    const matches = await computeMatches(sql, listNameOf(list), readFilter(list))
    if (matches === 'outdated') throw new Error('the dataset changed during the measurement')
    const { ids } = matches
    for (let first = 0; first < ids.total; first += 120_000) {
      await sql`
        insert into bench_matches
        select ${nameOf(list)}, (${first}::integer + place - 1) / 120, ${ids.total}, array_agg(id order by place)
        from unnest(${sql.typed.bigints(ids.select(first, 120_000))}) with ordinality as m(id, place) group by 2`
    }
  }
  await sql`vacuum analyze bench_matches`
}

const nameOf = ({ path, query }: ListRequest) => `${path} ${JSON.stringify(query)}`.replaceAll("'", '')
const listNameOf = ({ path }: ListRequest): ListName => (path === '/users' ? 'users' : 'repositories')
const isFiltered = ({ path, query }: ListRequest) =>
  (path === '/users' || path === '/repos') && Object.keys(query).length > 0

/** Reads the filter of a request. */
function readFilter({ query }: ListRequest): Filter {
  const toList = (values: string | readonly string[] = []) => [values].flat()
  const split = (values: string | readonly string[] | undefined) =>
    toList(values).flatMap((text) => text.split(','))
  const [status] = toList(query.dependency_status)
  const [owner] = toList(query.owner)
  return createFilter({
    location: toList(query.location),
    owner,
    dependency_names: split(query.dependency_names),
    dependency_files: split(query.dependency_files),
    dependency_status: status,
  })
}

function selectCommits(repository: string): string {
  return `select counted.total, found.count, found.items
from ${repository}, lateral (
  select to_json(('{' || repository.members || '}')::json ->> 'url')::text as json offset 0
) url, lateral (
  select max(position) as total from commits where repository_id = repository.id
) counted, lateral (
  select ${render(`'{' || members || ',"repo_url":' || url.json || '}'`, ' order by position desc')} from commits
  where repository_id = repository.id
    and position > counted.total - :page * ${pageSize} and position <= counted.total - (:page - 1) * ${pageSize}
) found`
}

function selectDependencies(repository: string): string {
  return `select repository.dependencies_count as total, found.count, found.items
from ${repository}, lateral (
  select ${render('value::text', ' order by ordinality')}
  from json_array_elements(repository.dependencies::json) with ordinality
  where ordinality > (:page - 1) * ${pageSize} and ordinality <= :page * ${pageSize}
) found`
}
