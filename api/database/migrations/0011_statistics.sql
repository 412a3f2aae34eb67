-- Compatible since: 1
--
-- No plan depends on statistics of these columns, and sampling long texts and arrays was most of the time in which large loads and
-- autovacuum refreshed those of their tables.
alter table users alter document set statistics 0, alter term_ids set statistics 0;
alter table user_addresses alter document set statistics 0;
alter table repositories
  alter members set statistics 0, alter dependencies set statistics 0, alter dependency_commits set statistics 0,
  alter term_ids set statistics 0;
alter table repository_dependencies
  alter dependency_ids set statistics 0, alter first_use_dates set statistics 0, alter last_use_dates set statistics 0;
alter table user_dependencies
  alter dependency_ids set statistics 0, alter begins set statistics 0, alter ends set statistics 0;
alter table sets alter bytes set statistics 0;
alter table use_dates alter bytes set statistics 0;
do $$
begin
  alter table commits alter members set statistics 0, alter coauthor_identities set statistics 0;
exception
  when feature_not_supported then null; -- they are distributed over a cluster already
end
$$;

-- Each load changes many counts: in the same page, no index changes with them.
alter table attributes set (fillfactor = 60);
