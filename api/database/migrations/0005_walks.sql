-- A walk through a filtered list goes on behind the id that it has come to (api/catalog/stored-list.ts).
create index on stored_list_chunks (stored_list_id, (ids[1]));

-- A load makes the stored lists that were asked for last anew, for the version that it publishes: so it has to know of what.
delete from stored_lists;
alter table stored_lists
  add list text not null check (list in ('users', 'repositories')),
  add filter json not null;
