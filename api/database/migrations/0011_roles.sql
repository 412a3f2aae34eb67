-- When a page of the stored list was last read, to a minute: the least recently used is cleared away first.
alter table stored_lists add used_at timestamptz not null default now();

-- Charges are made with the rights of the schema's owner, and in no other way: a role that may call `settle` needs no
-- right to write to the ledger. In its path nothing but this schema comes before PostgreSQL's own.
do $$
declare
  settle regprocedure;
begin
  for settle in select oid from pg_proc where proname = 'settle' and pronamespace = current_schema()::regnamespace loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', settle, current_schema());
    execute format('revoke execute on function %s from public', settle);
  end loop;
end
$$;

-- Loads have the planner learn what the tables are now, which only their owner may.
create function analyze_table(name regclass) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  execute format('analyze %s', name);
end
$$;
revoke execute on function analyze_table(regclass) from public;
