/**
 * The statements that read a page, for pgbench: alone, and together with what settles its request.
 *
 * @module
 */
import { createFilter, hashFilter, type ListName } from '../../api/catalog/filter.ts'
import { writeRequest } from '../pgbench.ts'
import { type CountedList, lastFullPage, pageSize } from './requests.ts'

/** Writes a script for each list. It reads random full pages, and settles a request for each if `isCharged`. */
export function writePageScripts(
  lists: readonly CountedList[],
  { isCharged }: { isCharged: boolean },
): string[] {
  return lists.map((list) => {
    const statement = isCharged
      ? writeRequest({ found: selectPage(list), path: `'${list.path}'` })
      : `${selectPage(list)};`
    return `\\set page random(1, ${lastFullPage(list)})\n${statement}\n`
  })
}

/** SQL: a page's `total`, `count` and `items`. */
function selectPage(list: CountedList): string {
  const [, owner, name, kind] = /^\/repos\/(.+)\/(.+)\/(commits|dependencies)$/.exec(list.path) ?? []
  const repository = `(
    select * from repositories where full_name_key = upper('${owner}/${name}') order by id desc limit 1
  ) repository`
  if (kind === 'commits') return selectCommits(repository)
  if (kind === 'dependencies') return selectDependencies(repository)
  const listName = list.path === '/users' ? 'users' : 'repositories'
  return Object.keys(list.query).length === 0 ? selectRange(listName) : selectListed(listName, list)
}

/** The columns of a page, rendered. */
function render(item: string, order = ''): string {
  return `count(*)::integer as count, coalesce(string_agg(${item}, ','${order}), '') as items`
}

const itemOf: Record<ListName, string> = {
  users: 'document',
  repositories: `'{"internal_id":' || id || ',' || members || ',"dependencies":' || dependencies || '}'`,
}

function selectRange(list: ListName): string {
  return `select dataset.${list}_count as total, found.count, found.items
from dataset, lateral (
  select ${render(itemOf[list])} from (
    select * from ${list}
    where id > (:page - 1) * ${pageSize} and id <= least(:page * ${pageSize}, dataset.${list}_count)
    order by id limit 100
  ) page
) found`
}

/** A stored list's page, as api/catalog/stored-lists.ts reads it. */
function selectListed(list: ListName, { query }: CountedList): string {
  const toList = (values: string | readonly string[] = []) => [values].flat()
  const split = (values: string | readonly string[] | undefined) =>
    toList(values).flatMap((text) => text.split(','))
  const status = toList(query.dependency_status)[0]
  const filter = createFilter({
    locations: toList(query.location),
    dependencyNames: split(query.dependency_names),
    dependencyFiles: split(query.dependency_files),
    dependencyStatus: status === 'active' || status === 'removed' ? status : undefined,
  })
  return `select stored_list.total, found.count, found.items
from (
  select l.total, array(
    select id from stored_list_chunks c, unnest(c.ids) as id
    where c.stored_list_id = l.id
      and c.chunk between (:page - 1) * ${pageSize} / 120 and (:page - 1) * ${pageSize} / 120 + 1
    order by id limit ${pageSize} offset (:page - 1) * ${pageSize} % 120
  ) as ids
  from dataset d join stored_lists l on l.version = d.version
    and l.filter_hash = '\\x${hashFilter(list, filter).toString('hex')}'
) stored_list, lateral (
  select ${render(itemOf[list])} from (
    select * from ${list} where id = any(stored_list.ids) order by id limit 100
  ) page
) found`
}

function selectCommits(repository: string): string {
  return `select counted.total, found.count, found.items
from dataset, ${repository}, lateral (
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
from dataset, ${repository}, lateral (
  select ${render('value::text', ' order by ordinality')}
  from json_array_elements(repository.dependencies::json) with ordinality
  where ordinality > (:page - 1) * ${pageSize} and ordinality <= :page * ${pageSize}
) found`
}
