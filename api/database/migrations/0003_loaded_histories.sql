-- Compatible since: 1
--
-- Up to where the histories of repositories were read from clones, and what the dataset had of them then. While the dataset has that,
-- loads read only what is new (api/dataset/loaded-histories.ts).
create table loaded_histories (
  repository_id integer primary key,
  branch text, -- null: HEAD was detached
  head text not null, -- hash of the newest commit that was read
  read_by text not null, -- version and commit of the service: other parsers may find other dependencies
  all_manifests boolean not null, -- those of tests and fixtures, too
  is_complete boolean not null, -- commits that the branch didn't reach were removed
  can_continue boolean not null, -- from the newest commit, without those before it
  members_digest bigint not null,
  dependencies_digest bigint not null,
  commits bigint not null, -- of the repository
  commits_version bigint not null -- the highest of these commits: any later change has a higher one
);
