import type { Fragment } from '../database/connect.ts'
import { type DatasetChange, selectDeclarations } from './pending-change.ts'

/**
 * Updates the authors of repositories, with the dates of their first and last commits there. Adds users whose
 * dependencies may have changed to `affected_users`. `repositories` selects ids, and `commits` the commits of those
 * repositories.
 */
export async function updateAuthors(
  { tx }: DatasetChange,
  repositories: Fragment,
  commits = tx`select repository_id, author_identity, author_date from commits where repository_id in (${repositories})`,
): Promise<void> {
  // One unknown date makes both unknown: that commit may be the first or the last.
  await tx`
    create temporary table authors on commit drop as
    select a.*, c.identity is null as is_new, c.first_date as old_first_date, c.last_date as old_last_date,
      (c.first_date, c.last_date) is distinct from (a.first_date, a.last_date) as has_other_dates
    from (
      select repository_id, author_identity as identity,
        case when count(author_date) = count(*) then min(author_date) end as first_date,
        case when count(author_date) = count(*) then max(author_date) end as last_date
      from (${commits}) m
      where author_identity is not null
      group by repository_id, author_identity
    ) a
    left join contributions c
      on c.identity = a.identity and c.repository_id = a.repository_id and c.kind = 'author'`
  await tx`analyze authors`
  // Most new dates affect nobody, because the repository has added and removed no dependency between the old date and
  // the new one. Each date is compared on its own, because the other one may come from another identity of the user.
  await tx`
    with lost as (
      delete from contributions c
      where kind = 'author' and repository_id in (${repositories}) and not exists (
        select from authors a where a.repository_id = c.repository_id and a.identity = c.identity
      )
      returning identity
    ), written as (
      insert into contributions (identity, repository_id, kind, first_date, last_date)
      select identity, repository_id, 'author', first_date, last_date from authors where is_new or has_other_dates
      on conflict (identity, repository_id, kind)
        do update set first_date = excluded.first_date, last_date = excluded.last_date
    )
    insert into affected_users
    select user_id from identities
    where identity in (
      select identity from lost
      union
      select identity from authors a
      where is_new or has_other_dates and exists (
        select from ${selectDeclarations(tx)} p
        where p.repository_id = a.repository_id and (
          ((p.first_use_date > a.last_date) is true) <> ((p.first_use_date > a.old_last_date) is true)
          or ((p.last_use_date < a.first_date) is true) <> ((p.last_use_date < a.old_first_date) is true)
        )
      )
    )
    on conflict do nothing`
  await tx`drop table authors`
}
