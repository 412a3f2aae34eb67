-- Compatible since: 1
--
-- The commits that added and removed what a repository declares, as far as they are known: a JSON object of files, then of names,
-- with [hash, hash] (api/catalog/stored-documents.ts). Null: none is. A load of an older version leaves it as it is.
alter table repositories
  add column dependency_commits text,
  add column dependency_commits_version bigint; -- of the dataset, when they last changed, if nothing else of the repository did
create index on repositories (dependency_commits_version) where dependency_commits_version is not null;
