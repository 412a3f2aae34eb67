import type { Fragment } from '../../database/connect.ts'
import type { DatasetChange } from './dataset-change.ts'

/**
 * Updates the authors of repositories, with the dates of their first and last commits there. Users for whom that makes a
 * difference become `affected_users`. `repositories` selects ids, and `commits` their commits.
 */
export async function updateAuthors(
  { tx }: DatasetChange,
  repositories: Fragment,
  commits = tx`select repository_id, author_identity, author_date from commits where repository_id in (${repositories})`,
): Promise<void> {
  // One unknown date makes both unknown: that commit may be the first or the last.
  await tx`
    create temporary table authors on commit drop as
    select repository_id, author_identity as identity,
      case when count(author_date) = count(*) then min(author_date) end as first_date,
      case when count(author_date) = count(*) then max(author_date) end as last_date
    from (${commits}) c
    where author_identity is not null
    group by repository_id, author_identity`
  await tx`analyze authors`
  await tx`
    with lost as (
      delete from contributions c
      where kind = 'author' and repository_id in (${repositories}) and not exists (
        select from authors a where a.repository_id = c.repository_id and a.identity = c.identity
      )
      returning identity
    ), changed as (
      insert into contributions (identity, repository_id, kind, first_date, last_date)
      select identity, repository_id, 'author', first_date, last_date from authors a
      where not exists (
        select from contributions c
        where c.identity = a.identity and c.repository_id = a.repository_id and c.kind = 'author'
          and c.first_date is not distinct from a.first_date and c.last_date is not distinct from a.last_date
      )
      on conflict (identity, repository_id, kind)
        do update set first_date = excluded.first_date, last_date = excluded.last_date
      returning identity
    )
    insert into affected_users
    select user_id from identities
    where identity in (select identity from lost union select identity from changed)
    on conflict do nothing`
  await tx`drop table authors`
}
