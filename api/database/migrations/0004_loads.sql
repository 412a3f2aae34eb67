-- Each load has tables of its own for what it stages (api/import/staging.ts), made when it begins and dropped when it
-- ends: no load waits for another's, and none leaves dead rows behind. They are not logged: a crash empties them, and
-- `staged` tells.
drop table import_users, import_repositories, import_commits, import_affected_users;
delete from imports;
alter table imports add staged bigint; -- rows, once all are there

-- The newest position of a repository's commits says how many there are.
alter table repositories drop commits_count;
