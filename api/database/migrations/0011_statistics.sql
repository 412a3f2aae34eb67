-- Compatible since: 1
--
-- No plan depends on statistics of these columns, and sampling long texts and arrays was most of the time in which large loads and
-- autovacuum refreshed those of their tables. No request waits for the locks of these statements.
-- A column that has samples already stays as it is: with `statistics 0`, analyze would never replace them, and they may name people who
-- are forgotten later.
do $$
declare
  found record;
begin
  for found in
    select * from (values
      ('users', 'document'), ('users', 'term_ids'), ('user_addresses', 'document'),
      ('repositories', 'members'), ('repositories', 'dependencies'), ('repositories', 'dependency_commits'), ('repositories', 'term_ids'),
      ('repository_dependencies', 'dependency_ids'), ('repository_dependencies', 'first_use_dates'),
      ('repository_dependencies', 'last_use_dates'),
      ('user_dependencies', 'dependency_ids'), ('user_dependencies', 'begins'), ('user_dependencies', 'ends'),
      ('sets', 'bytes'), ('use_dates', 'bytes'), ('commits', 'members'), ('commits', 'coauthor_identities')
    ) as listed(of_table, of_column)
    where not exists (
      select from pg_stats
      where schemaname = current_schema() and tablename = listed.of_table and attname = listed.of_column
    )
  loop
    begin
      execute format('alter table %I alter %I set statistics 0', found.of_table, found.of_column);
    exception
      when feature_not_supported then null; -- commits are distributed over a cluster already
    end;
  end loop;
end
$$;

-- Each load changes many counts: in the same page, no index changes with them.
alter table attributes set (fillfactor = 60);
