/**
 * What PostgreSQL alone can do: the statements that read a page, as pgbench runs them.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFilter, hashFilter, type ListName } from '../../api/catalog/filter.ts'
import { type CountedList, lastFullPage, pageSize } from './requests.ts'

/** Writes a script for each list that reads random full pages of it, and tells their paths. */
export async function writeScripts(folder: string, lists: readonly CountedList[]): Promise<string[]> {
  const paths: string[] = []
  for (const [index, list] of lists.entries()) {
    const path = join(folder, `page-${index}.sql`)
    await writeFile(path, createScript(list))
    paths.push(path)
  }
  return paths
}

function createScript(list: CountedList): string {
  const kind = list.path === '/users' ? 'users' : 'repositories'
  return `\\set page random(1, ${lastFullPage(list)})
${Object.keys(list.query).length === 0 ? selectRange(kind) : selectListed(kind, list)};
`
}

/** The columns of a page, rendered. */
function render(kind: ListName): string {
  const item =
    kind === 'users'
      ? 'document'
      : `'{"internal_id":' || id || ',' || members || ',"dependencies":' || dependencies || '}'`
  return `count(*)::integer as count, coalesce(string_agg(${item}, ','), '') as items`
}

function selectRange(kind: ListName): string {
  return `select dataset.${kind}_count as total, found.count, found.items
from dataset, lateral (
  select ${render(kind)} from (
    select * from ${kind}
    where id > (:page - 1) * ${pageSize} and id <= least(:page * ${pageSize}, dataset.${kind}_count)
    order by id limit 100
  ) page
) found`
}

/** The look-up of a stored list's page, as api/catalog/stored-lists.ts has it. */
function selectListed(kind: ListName, { query }: CountedList): string {
  const list = (values: string | readonly string[] = []) => [values].flat()
  const split = (values: string | readonly string[] | undefined) =>
    list(values).flatMap((text) => text.split(','))
  const status = list(query.dependency_status)[0]
  const filter = createFilter({
    locations: list(query.location),
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
    and l.filter_hash = '\\x${hashFilter(kind, filter).toString('hex')}'
) stored_list, lateral (
  select ${render(kind)} from (select * from ${kind} where id = any(stored_list.ids) order by id limit 100) page
) found`
}
