-- The schema of devdata, in parts:
--   1. API keys       2. Ledger       3. Usage by day       4. Catalog
--   5. Stored lists   6. Imports      7. Settling requests
--
-- Until version 0.1.0 is released, this file changes in place, and a database made by an earlier state of it is refused.
-- From 0.1.0 on it never changes. Every later change, of a function too, is a numbered migration in this folder. While
-- instances are upgraded one by one, those of the version before use the new schema: a migration must leave their
-- statements working.


-- 1. API keys ---------------------------------------------------------------------------------------------------------

create table api_keys (
  id integer primary key generated always as identity,
  name text,
  role text not null check (role in ('user', 'admin')),
  scopes text[] not null check (scopes <@ array['users:read', 'repos:read']),
  -- Both null: no rate limit.
  rate_limit_requests integer check (rate_limit_requests > 0),
  rate_limit_seconds integer check (rate_limit_seconds > 0),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  deleted_at timestamptz, -- the row stays, because its ledger must still add up
  -- Both are written once a minute at most. `devdata ledger verify` notices by the position that newer entries are lost.
  last_used_at timestamptz,
  noted_position bigint not null default 0, -- of the newest ledger entry at last_used_at
  check ((rate_limit_requests is null) = (rate_limit_seconds is null))
) with (fillfactor = 90);

-- Instances cache role and scopes, and a settlement does not read them again.
create function refuse_permission_change() returns trigger language plpgsql as $$
begin
  raise exception 'role and scopes of a key never change: make another key';
end
$$;
create trigger refuse_permission_change before update on api_keys for each row
  when (old.role is distinct from new.role or old.scopes is distinct from new.scopes)
  execute function refuse_permission_change();

-- Only the SHA-256 of a secret is stored. A rotated key has several secrets until the grace period ends.
create table api_key_secrets (
  hash bytea primary key check (length(hash) = 32),
  api_key_id integer not null references api_keys,
  expires_at timestamptz
);
create index on api_key_secrets (api_key_id);

-- The current window of each key that has a rate limit. Each counted request replaces the row with another one; the
-- newest is the last in the index, so a reader passes no dead versions. No row: no window has begun.
create table rate_limit_windows (
  api_key_id integer not null,
  started_at timestamptz not null,
  requests integer not null,
  primary key (api_key_id, started_at, requests)
);

-- Requests charged under an Idempotency-Key. A repetition within 24 hours costs only what is not paid yet.
create table idempotency_keys (
  api_key_id integer not null,
  idempotency_key uuid not null, -- digest
  request uuid not null, -- digest of the request's path and query
  created_at timestamptz not null,
  paid bigint not null, -- credits
  primary key (api_key_id, idempotency_key)
);
create index on idempotency_keys (created_at);


-- 2. Ledger -----------------------------------------------------------------------------------------------------------

-- One entry for each change of a balance. Entries of a key are numbered 1, 2, 3, … without a gap, and their times never
-- decrease. The newest entry holds the balance: a charge adds a row and updates none, so it never has to pass old
-- versions of a row, which stay for as long as any transaction is open.
--
-- At every moment, the balance is sum(granted) - sum(cost). `devdata ledger prune` replaces a key's oldest entries with
-- one of kind `balance`, at the position of the last one. There is no foreign key: the key's row is locked when an
-- entry is added, and is never deleted.
create table ledger (
  api_key_id integer not null,
  position bigint not null,
  created_at timestamptz not null,
  kind text not null check (kind in ('grant', 'charge', 'balance')),
  granted bigint not null check (kind <> 'charge' or granted = 0), -- credits; negative when they were withdrawn
  cost bigint not null check (case kind when 'charge' then cost > 0 when 'grant' then cost = 0 else cost >= 0 end), -- credits
  balance bigint not null check (balance >= 0), -- credits, after this entry
  items integer, -- in the response
  request_id uuid,
  path text, -- of the request, without the query
  endpoint text, -- the route's pattern; '' for grants
  primary key (api_key_id, position)
);

create view balances as
select k.id as api_key_id, coalesce(l.balance, 0) as credits, coalesce(l.position, 0) as last_position
from api_keys k left join lateral (
  select balance, position from ledger where api_key_id = k.id order by position desc limit 1
) l on true;


-- 3. Usage by day -----------------------------------------------------------------------------------------------------

-- Spending by key, day (UTC) and endpoint. It lags behind the ledger, is updated once per 1,000 entries of a key, and
-- survives pruning. Entries of a day are the range from the lowest first_position to the highest last_position.
create table ledger_days (
  api_key_id integer not null,
  day date not null,
  endpoint text not null, -- the route's pattern; '' for grants
  entries bigint not null,
  items bigint not null,
  cost bigint not null, -- credits
  first_position bigint not null,
  last_position bigint not null,
  primary key (api_key_id, day, endpoint)
) with (fillfactor = 50);

-- The position of the newest entry that ledger_days includes.
create function summed_position(key_id integer) returns bigint language sql stable as $$
  select coalesce(max(last_position), 0) from ledger_days
  where api_key_id = key_id and day = (select max(day) from ledger_days where api_key_id = key_id)
$$;

-- The sums of the entries that ledger_days does not include yet.
create function recent_days(key_id integer) returns table (
  day date, endpoint text, entries bigint, items bigint, cost bigint, first_position bigint, last_position bigint
) language sql stable as $$
  select (created_at at time zone 'UTC')::date, endpoint, count(*), coalesce(sum(items), 0), sum(cost)::bigint,
    min(position), max(position)
  from ledger where api_key_id = key_id and position > summed_position(key_id)
  group by 1, 2
$$;

-- The sums of all entries.
create function usage_days(key_id integer) returns table (
  day date, endpoint text, entries bigint, items bigint, cost bigint, first_position bigint, last_position bigint
) language sql stable as $$
  with recent as materialized (select * from recent_days(key_id))
  select d.day, d.endpoint, d.entries + coalesce(r.entries, 0), d.items + coalesce(r.items, 0),
    d.cost + coalesce(r.cost, 0), d.first_position, coalesce(r.last_position, d.last_position)
  from ledger_days d left join recent r on r.day = d.day and r.endpoint = d.endpoint
  where d.api_key_id = key_id
  union all
  select * from recent r where not exists (
    select from ledger_days d where d.api_key_id = key_id and d.day = r.day and d.endpoint = r.endpoint
  )
$$;

-- Adds what ledger_days lacks for a key. The caller holds the lock of the key's row.
create function sum_up_days(key_id integer) returns void language sql as $$
  insert into ledger_days as d select key_id, * from recent_days(key_id)
  on conflict (api_key_id, day, endpoint) do update set entries = d.entries + excluded.entries,
    items = d.items + excluded.items, cost = d.cost + excluded.cost, last_position = excluded.last_position
$$;

-- Adds credits to a key, or withdraws them. Returns false when the key is deleted or missing, or when the balance would
-- leave the range from 0 to 2^53 - 1.
create function grant_credits(key_id integer, amount bigint) returns boolean language plpgsql as $$
declare
  newest ledger;
  next bigint;
begin
  perform from api_keys where id = key_id and deleted_at is null for no key update;
  if not found then return false; end if;
  select * into newest from ledger where api_key_id = key_id order by position desc limit 1;
  if coalesce(newest.balance, 0) + amount not between 0 and 9007199254740991 then return false; end if;
  next := coalesce(newest.position, 0) + 1;
  insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, endpoint)
  values (key_id, next, greatest(newest.created_at, clock_timestamp()), 'grant', amount, 0,
    coalesce(newest.balance, 0) + amount, '');
  if next % 1000 = 0 then perform sum_up_days(key_id); end if;
  return true;
end
$$;


-- 4. Catalog ----------------------------------------------------------------------------------------------------------

-- Imports are the only writers, and check once for a whole load what foreign keys would check. Responses are stored as
-- JSON text; the columns beside it are searched. Columns that end in _key are folded by api/catalog/case-folding.ts, so that
-- comparison without case does not depend on the server's locale.

-- The current version of the data. Readers select it in the same statement as the data, so that a response never mixes
-- two versions.
create table dataset (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0,
  updated_at timestamptz not null default now(),
  users_count integer not null default 0,
  repositories_count integer not null default 0
);
insert into dataset default values;

-- users.id and repositories.id are 1, 2, 3, … without a gap. An id is also the rank in the unfiltered list, so any page
-- of it is a range.
create table users (
  id integer primary key,
  forge_rest_id bigint not null unique,
  login_key text not null,
  location_id integer,
  document text not null
);
create index on users (login_key);

create table repositories (
  id integer primary key,
  forge_rest_id bigint not null unique,
  full_name_key text not null,
  url_key text not null,
  members text not null, -- JSON object without its braces, internal_id and dependencies: a list puts others around them
  dependencies text not null default '[]', -- JSON array of repository dependencies, by name, then file
  dependencies_count integer not null default 0
);
create index on repositories (full_name_key);
create index on repositories (url_key);

create function refuse_removal() returns trigger language plpgsql as $$
begin
  raise exception '% rows are never deleted: their ids are ranks without gaps', tg_table_name;
end
$$;
create trigger refuse_delete before delete on users for each row execute function refuse_removal();
create trigger refuse_truncate before truncate on users execute function refuse_removal();
create trigger refuse_delete before delete on repositories for each row execute function refuse_removal();
create trigger refuse_truncate before truncate on repositories execute function refuse_removal();

-- position counts a repository's commits from the oldest (1) to the newest, so any page of them is a range.
create table commits (
  repository_id integer not null,
  commit_hash text collate "C" not null,
  committer_date bigint,
  author_identity text collate "C", -- see identities; null when the author can't be identified
  position integer not null,
  document text not null,
  primary key (repository_id, commit_hash)
);
create index on commits (repository_id, position);

-- Filters and their postings: the matching ids, in the order in which a filter reads them.
create table locations (
  id integer primary key generated always as identity,
  location_key text not null
);
create unique index on locations (md5(location_key)); -- a location may be longer than an index entry
create table location_users (
  location_id integer not null,
  user_id integer not null,
  primary key (location_id, user_id)
);

-- The row with an empty name, which no dependency has, stands for all dependencies of that file.
create table dependencies (
  id integer primary key generated always as identity,
  name text collate "C" not null,
  name_key text collate "C" not null, -- spelled by the rules of the file's ecosystem (api/catalog/dependency-name.ts)
  file text collate "C" not null,
  unique (name, file)
);
create index on dependencies (name_key, file);
create table dependency_repositories (
  dependency_id integer not null,
  repository_id integer not null,
  primary key (dependency_id, repository_id)
);
create index on dependency_repositories (repository_id, dependency_id);
create table dependency_users (
  dependency_id integer not null,
  user_id integer not null,
  primary key (dependency_id, user_id)
);
create index on dependency_users (user_id, dependency_id);

-- An identity is how a commit or a repository names a person: `email:…`, `id:…` (of the forge) or `login:…`. A user has
-- the dependencies of all repositories to which one of their identities contributes.
create table identities (
  identity text collate "C" not null,
  user_id integer not null,
  primary key (identity, user_id)
);
create index on identities (user_id);
create table contributions (
  identity text collate "C" not null,
  repository_id integer not null,
  kind text not null check (kind in ('owner', 'author')),
  primary key (identity, repository_id, kind)
);
create index on contributions (repository_id);


-- 5. Stored lists -----------------------------------------------------------------------------------------------------

-- A stored list is the result of a filter at a dataset version: its exact total, and the matching ids in order, in
-- chunks. It is computed when it is first requested. A load computes the most recently used ones for its new version.
create table stored_lists (
  id bigint primary key generated always as identity,
  filter_hash bytea not null, -- SHA-256 of the list's name and the filter
  version bigint not null,
  total integer not null,
  list text not null check (list in ('users', 'repositories')),
  filter json not null,
  used_at timestamptz not null default now(), -- exact to a minute; the least recently used list is deleted first
  unique (filter_hash, version)
);
create table stored_list_chunks (
  stored_list_id bigint not null references stored_lists on delete cascade,
  chunk integer not null, -- from 0
  ids integer[] not null, -- the same number in each chunk but the last
  primary key (stored_list_id, chunk)
);
create index on stored_list_chunks (stored_list_id, (ids[1])); -- finds the chunk where the page after an id begins


-- 6. Imports ----------------------------------------------------------------------------------------------------------

-- Loads in progress. Each stages its rows in unlogged tables of its own (api/import/staging.ts). A crash of the server
-- empties these, which `staged` reveals.
create table imports (
  id bigint primary key generated always as identity,
  staged bigint -- number of rows, once all are staged
);

-- Loads update the planner's statistics, which only the owner of a table may do.
create function analyze_table(name regclass) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  execute format('analyze %s', name);
end
$$;
revoke execute on function analyze_table(regclass) from public;


-- 7. Settling requests ------------------------------------------------------------------------------------------------

-- What a request asks of the ledger.
create type charge_request as (
  n integer, -- place in its group
  key_id integer,
  secret_hash bytea, -- SHA-256
  is_counted boolean, -- against the rate limit
  cost bigint, -- credits
  max_credits bigint, -- that the client is ready to pay; null: any
  items integer,
  request_id uuid,
  path text,
  endpoint text,
  idempotency_key uuid, -- null: none
  request uuid, -- digest of the request that the idempotency key was sent with
  cost_if_absent bigint -- credits; null when the request is not a look-up
);

-- Locks the rows of keys and returns them, always in the order of ids, so that two groups never deadlock. With
-- `wait_for_locks`, waits for locked rows. Without, skips them, and locks only the rows of keys whose requests write.
create function lock_keys(requests charge_request[], wait_for_locks boolean) returns api_keys[] language plpgsql as $$
begin
  if wait_for_locks then
    return array(
      select k from api_keys k where id in (select key_id from unnest(requests)) order by id for no key update);
  end if;
  return array(
    select k from api_keys k
    where id in (select key_id from unnest(requests)) and (
      rate_limit_requests is not null or last_used_at > now() - interval '1 minute' is not true
      or role = 'user' and id in (select key_id from unnest(requests) where cost > 0 or idempotency_key is not null)
    )
    order by id for no key update skip locked);
end
$$;

-- Writes what a group changed: ledger entries, rate-limit windows in the place of those at `old_windows`, and the last
-- use of keys.
create function write_settlements(
  entries ledger[], windows rate_limit_windows[], old_windows tid[], used_keys integer[], used_at timestamptz
) returns void language plpgsql as $$
begin
  if used_keys <> '{}' then
    update api_keys k set last_used_at = used_at, noted_position = b.last_position
    from balances b where k.id = any(used_keys) and b.api_key_id = k.id;
  end if;
  if windows <> '{}' then
    delete from rate_limit_windows where ctid = any(old_windows);
    insert into rate_limit_windows select * from unnest(windows);
  end if;
  if entries <> '{}' then
    insert into ledger select * from unnest(entries);
    perform sum_up_days(api_key_id) from unnest(entries) where position % 1000 = 0;
  end if;
end
$$;

-- Settles a group of requests, each on its own, those of a key in their order. It decides for each request: is the key
-- valid, does its rate limit allow the request, what was paid for it before, and can the key pay the rest?
--
-- `requests` is a JSON array of charge_request. `absent` are the places of look-ups that found nothing: each costs its
-- cost_if_absent and has no items; a free one is not a repetition. If the statement takes longer than `max_seconds`,
-- nothing is charged, because the caller no longer waits; null: no limit.
--
-- Returns a JSON array of {n, outcome, cost, charged, balance, quota, window, used, reset}, in credits and seconds.
-- `cost` is what the request costs; for a repetition, what is not paid yet under its idempotency key. `charged` is 0 when
-- the request is refused. Outcomes:
--   settled, replayed (paid before, at least in part), unusable, throttled, over_max_credits, insufficient, conflict;
--   locked: another session has locked the key's row, and `wait_for_locks` is false. Nothing changes for this request.
create function settle(
  requests json, wait_for_locks boolean, absent integer[] default '{}', max_seconds integer default null
) returns json language plpgsql
-- Plans are made once per session, perhaps while the tables are still small. They must not depend on that.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set lock_timeout = '5s'
as $$
#variable_conflict use_column
declare
  asked charge_request[] := array(
    select r from json_populate_recordset(null::charge_request, requests) r order by key_id, n);
  keys api_keys[]; -- those that are locked, and then the others
  locked_ids integer[];
  moment timestamptz;
  r record; -- the request at hand, its key, and the state of that key before the group
  -- The key at hand, and its state after the requests so far:
  current_id integer;
  balance bigint;
  newest bigint; -- position in the ledger
  window_started_at timestamptz;
  window_requests integer;
  has_new_window boolean;
  -- The decision about the request at hand:
  is_limited boolean;
  outcome text;
  due bigint;
  paid_before bigint;
  -- What to write and to return:
  results json[] := '{}';
  entries ledger[] := '{}';
  windows rate_limit_windows[] := '{}';
  old_windows tid[] := '{}';
  used_keys integer[] := '{}';
begin
  -- Lock
  keys := lock_keys(asked, wait_for_locks);
  locked_ids := array(select id from unnest(keys));
  moment := clock_timestamp();

  -- Load
  keys := keys || array(
    select k from api_keys k where id in (select key_id from unnest(asked) where key_id <> all(locked_ids)));
  if absent <> '{}' then
    asked := array(
      select row(n, key_id, secret_hash, is_counted, case when n = any(absent) then cost_if_absent else cost end,
        max_credits, case when n = any(absent) then 0 else items end, request_id, path, endpoint,
        case when n <> all(absent) or cost_if_absent > 0 then idempotency_key end, request,
        cost_if_absent)::charge_request
      from unnest(asked) with ordinality a order by a.ordinality);
  end if;
  for r in
    with key_states as materialized (
      select k.*, id = any(locked_ids) as is_locked, l.position as newest, l.balance, l.created_at as newest_at,
        w.started_at, w.requests, w.row_id
      from unnest(keys) k
        left join lateral (
          select position, balance, created_at from ledger where api_key_id = k.id order by position desc limit 1
        ) l on true
        left join lateral (
          select started_at, requests, ctid as row_id from rate_limit_windows
          where k.rate_limit_requests is not null and api_key_id = k.id
          order by api_key_id desc, started_at desc, requests desc limit 1
        ) w on true
    )
    select a.*, k.*, exists (
      select from api_key_secrets s
      where s.hash = a.secret_hash and s.api_key_id = a.key_id and (s.expires_at is null or s.expires_at > moment)
    ) as has_secret
    from unnest(asked) with ordinality a
      left join key_states k on k.id = a.key_id -- none: a backup from before the key was restored
    order by a.ordinality
  loop
    if r.key_id is distinct from current_id then
      current_id := r.key_id;
      balance := coalesce(r.balance, 0);
      newest := coalesce(r.newest, 0);
      window_started_at := r.started_at;
      window_requests := coalesce(r.requests, 0);
      -- A window that begins in the future has ended too: the clock was set back.
      if window_started_at > moment
        or window_started_at + make_interval(secs => r.rate_limit_seconds) <= moment
      then
        window_started_at := null;
        window_requests := 0;
      end if;
      has_new_window := false;
      if r.is_locked and r.last_used_at > moment - interval '1 minute' is not true then
        used_keys := used_keys || current_id;
      end if;
    end if;

    -- Decide about one request
    is_limited := r.is_counted and r.rate_limit_requests is not null;
    due := 0;
    if not r.is_locked and (is_limited or r.role = 'user' and (r.cost > 0 or r.idempotency_key is not null)) then
      outcome := 'locked';
    elsif not r.has_secret or r.deleted_at is not null or r.revoked_at is not null or r.expires_at <= moment then
      outcome := 'unusable';
    elsif is_limited and window_requests >= r.rate_limit_requests then
      outcome := 'throttled';
    else
      outcome := 'settled';
      if is_limited then
        window_started_at := coalesce(window_started_at, moment);
        window_requests := window_requests + 1;
        if not has_new_window then
          has_new_window := true;
          old_windows := old_windows || r.row_id;
          windows := windows || null::rate_limit_windows;
        end if;
        windows[cardinality(windows)] := row(current_id, window_started_at, window_requests)::rate_limit_windows;
      end if;
      paid_before := 0;
      if r.idempotency_key is not null then
        select case when request = r.request then 'replayed' else 'conflict' end, paid into outcome, paid_before
        from idempotency_keys
        where api_key_id = current_id and idempotency_key = r.idempotency_key
          and created_at > moment - interval '24 hours';
        outcome := coalesce(outcome, 'settled');
      end if;
      if outcome <> 'conflict' and r.role = 'user' then
        due := greatest(0, r.cost - coalesce(paid_before, 0));
        if due > r.max_credits then
          outcome := 'over_max_credits';
        elsif due > balance then
          outcome := 'insufficient';
        elsif due > 0 then
          balance := balance - due;
          newest := newest + 1;
          entries := entries || row(current_id, newest, greatest(r.newest_at, moment), 'charge', 0, due, balance,
            r.items, r.request_id, r.path, r.endpoint)::ledger;
          if outcome = 'replayed' then -- the 24 hours count from the first use
            update idempotency_keys set paid = paid + due
            where api_key_id = current_id and idempotency_key = r.idempotency_key;
          elsif r.idempotency_key is not null then
            insert into idempotency_keys values (current_id, r.idempotency_key, r.request, moment, due)
            on conflict (api_key_id, idempotency_key)
              do update set request = excluded.request, created_at = excluded.created_at, paid = excluded.paid;
          end if;
        end if;
      end if;
    end if;
    results := results || json_build_object('n', r.n, 'outcome', outcome, 'cost', due,
      'charged', case when outcome in ('settled', 'replayed') then due else 0 end, 'balance', balance, 'quota',
      r.rate_limit_requests, 'window', r.rate_limit_seconds, 'used', window_requests, 'reset',
      extract(epoch from coalesce(window_started_at, moment) - moment) + r.rate_limit_seconds);
  end loop;

  -- Write
  perform write_settlements(entries, windows, old_windows, used_keys, moment);
  -- Poolers may refuse a session's statement_timeout. The transaction begins with this statement.
  if clock_timestamp() > now() + make_interval(secs => max_seconds) then
    raise exception 'settling took longer than % seconds', max_seconds using errcode = 'query_canceled';
  end if;
  return array_to_json(results);
end
$$;

-- A role that may call settle() needs no right to write to the ledger: the function has its owner's rights. Its path has
-- only this schema and, last, the caller's temporary tables, which can't stand in for the real ones. `create or replace`
-- resets both: a migration that replaces settle() has to repeat this block.
do $$
declare
  settle regprocedure := 'settle(json, boolean, integer[], integer)';
begin
  execute format('alter function %s security definer set search_path = %I, pg_temp', settle, current_schema());
  execute format('revoke execute on function %s from public', settle);
end
$$;
