import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { type DatasetChange, selectDeclarations } from './pending-change.ts'

/**
 * Updates the authors of repositories, with the dates of their first and last commits there. Adds users whose
 * dependencies may have changed to `affected_users` or `affected_uses`, and those whose last commit may be another one
 * to `active_users`. `repositories` selects ids, and `commits` the commits of those repositories.
 */
export async function updateAuthors(
  change: DatasetChange,
  repositories: Fragment,
  commits = change.tx`
    select repository_id, author_identity, coauthor_identities, author_date from commits
    where repository_id in (${repositories})`,
): Promise<void> {
  const { tx } = change
  await createAuthors(tx, commits)
  await noteContributions(
    change,
    tx`select user_id, repository_id from authors join identities using (identity) where is_new`,
  )
  // Most new dates affect nobody, because the repository has added and removed no dependency between the old date and
  // the new one. Each date is compared on its own, because the other one may come from another identity of the user.
  // With another first date, uses begin at another time. Wider dates only add uses, and earlier begins; but with an
  // unknown date, begins are unknown.
  await tx`
    with lost as (
      delete from contributions c
      where kind = 'author' and repository_id in (${repositories}) and not exists (
        select from authors a where a.repository_id = c.repository_id and a.identity = c.identity
      )
      returning identity
    ), added as (
      insert into contributions (identity, repository_id, kind, first_date, last_date, excludes_nothing)
      select identity, repository_id, 'author', first_date, last_date, excludes_nothing
      from authors where is_new order by identity, repository_id
    ), updated as (
      update contributions c set
        first_date = a.first_date, last_date = a.last_date, excludes_nothing = a.excludes_nothing
      from authors a
      where not a.is_new and a.has_other_dates
        and c.identity = a.identity and c.repository_id = a.repository_id and c.kind = 'author'
    ), active as (
      insert into active_users
      select user_id from identities
      where identity in (select identity from lost union select identity from authors where is_new or has_other_dates)
    ), changed as (
      select identity, repository_id, not excludes_nothing and (
          is_new or first_date <= old_first_date and last_date >= old_last_date
        ) is true as is_gaining
      from authors a
      where is_new or has_other_dates and exists (
        select from ${selectDeclarations(tx)} p
        where p.repository_id = a.repository_id and (
          a.old_first_date is distinct from case when not a.excludes_nothing then a.first_date end
          or ((p.first_use_date > a.last_date and not a.excludes_nothing) is true)
            <> ((p.first_use_date > a.old_last_date) is true)
          or ((p.last_use_date < a.first_date and not a.excludes_nothing) is true)
            <> ((p.last_use_date < a.old_first_date) is true)
        )
      )
    ), gaining as (
      insert into affected_uses (user_id, repository_id)
      select user_id, repository_id from changed join identities i using (identity)
      where is_gaining and not exists (select from affected_users a where a.user_id = i.user_id)
    )
    insert into affected_users
    select user_id from identities
    where identity in (select identity from lost union select identity from changed where not is_gaining)
    on conflict do nothing`
  await tx`drop table authors`
}

/** Finds the authors of commits, with their dates in each repository, and what `contributions` has of them. */
async function createAuthors(tx: SqlOrTransaction, commits: Fragment): Promise<void> {
  // A commit with an unknown date may be the first or the last one.
  await tx`
    create temporary table authors on commit drop as
    select a.*, c.identity is null as is_new,
      case when not c.excludes_nothing then c.first_date end as old_first_date,
      case when not c.excludes_nothing then c.last_date end as old_last_date,
      (c.first_date, c.last_date, c.excludes_nothing)
        is distinct from (a.first_date, a.last_date, a.excludes_nothing) as has_other_dates
    from (
      select repository_id, identity, min(author_date) as first_date, max(author_date) as last_date,
        count(author_date) < count(*) as excludes_nothing
      from (
        select repository_id, p.identity, author_date
        from (${commits}) m, unnest(array_append(coauthor_identities, author_identity)) as p(identity)
      ) by_person
      where identity is not null
      group by repository_id, identity
    ) a
    left join contributions c
      on c.identity = a.identity and c.repository_id = a.repository_id and c.kind = 'author'`
  await tx`analyze authors`
}

/**
 * Notes the contributions that users get with identities, as `noteGained` does. `identities` selects `user_id` and
 * `identity`, before the table has them.
 */
export function noteIdentities(change: DatasetChange, identities: Fragment): Promise<void> {
  const { tx } = change
  return noteContributions(
    change,
    tx`
      select user_id, repository_id
      from (
        select * from (${identities}) g
        where not exists (select from identities i where i.identity = g.identity and i.user_id = g.user_id)
      ) given join contributions using (identity)
      where kind = 'author'`,
  )
}

/** Notes users and repositories as `noteGained` does, unless the users are authors in the repositories already. */
async function noteContributions(
  { tx, version, versionTerms }: DatasetChange,
  pairs: Fragment,
): Promise<void> {
  if (version === 1) return // all of them have it
  const isOther = tx`version <> ${version} and id in`
  await tx`
    with added as materialized (
      select user_id, repository_id from (${pairs}) pair where not exists (
        select from identities i join contributions c using (identity)
        where i.user_id = pair.user_id and c.repository_id = pair.repository_id and c.kind = 'author'
      )
    )
    insert into set_changes
    select list, id, '{}', array[${versionTerms.gained}::integer]
    from (
      select 'users'::list_name as list, id from users where ${isOther} (select user_id from added)
      union all
      select 'repositories', id from repositories where ${isOther} (select repository_id from added)
    ) gaining`
}
