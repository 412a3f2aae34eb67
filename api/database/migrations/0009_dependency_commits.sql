-- Compatible since: 1
--
-- The commits that added and removed what a repository declares, as far as they are known: a JSON object of files, then of names,
-- with [hash, hash] (api/catalog/stored-documents.ts). Null: none is. A load of an older version leaves it as it is.
alter table repositories add column dependency_commits text;

-- The version of the dataset in which these commits last changed, and nothing else of the repository. An index on a column of
-- repositories would read all their rows, while requests wait.
create table dependency_commit_changes (
  repository_id integer primary key,
  version bigint not null
);
create index on dependency_commit_changes (version);
