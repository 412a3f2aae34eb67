-- Compatible since: 1
--
-- When users began to use what they depend on, and when their last use ended, parallel to dependency_ids. `begins` has Unix
-- seconds doubled; an odd number says that the use began at that time or later, and that it is unknown when. Null: unknown.
-- `ends` has Unix seconds; null: unknown, or never for what is active. An earlier version that changes a row leaves its dates as they
-- were, so they count only while derived_terms of the dataset has `use_dates`.
alter table user_dependencies add column begins bigint[], add column ends bigint[];

-- When users and repositories began to use each dependency, and when that ended, ordered by dependency, then by user or repository,
-- in chunks (api/sets/use-chunks.ts). Filters by the time of a use read those of a few dependencies, so they read no rows of items.
create table use_dates (
  list list_name not null check (list in ('users', 'repositories')),
  term_id integer not null, -- the dependency of the first use in the chunk
  item_id integer not null, -- the user or repository of the first use
  bytes bytea not null,
  primary key (list, term_id, item_id)
) with (toast_tuple_target = 8160);
alter table use_dates alter bytes set storage main; -- in the row, as in sets
