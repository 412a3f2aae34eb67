-- Compatible since: 1
--
-- The schema of version 0.1.0. Every later change, of a function too, is a numbered migration in this folder; a released
-- file never changes. While instances are upgraded one by one, those of the version before use the new schema. A migration
-- that leaves their statements working says so in its first line: it names the newest migration of the oldest version that can
-- run on its schema. Another migration names its own number there.

-- 1. API keys ---------------------------------------------------------------------------------------------------------

create table api_keys (
  id integer primary key generated always as identity,
  name text,
  role text not null check (role in ('user', 'admin')),
  -- An admin key with metrics:read may read metrics alone.
  scopes text[] not null check (
    scopes <@ array['users:read', 'repos:read'] or role = 'admin' and scopes = array['metrics:read']
  ),
  -- Both null: no rate limit.
  rate_limit_requests integer check (rate_limit_requests > 0),
  rate_limit_seconds integer check (rate_limit_seconds > 0),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  deleted_at timestamptz, -- the row stays, because its ledger must still add up
  last_used_at timestamptz, -- exact to a minute
  noted_position bigint not null default 0, -- of the newest ledger entry then; a ledger that ends earlier has lost entries
  check ((rate_limit_requests is null) = (rate_limit_seconds is null))
) with (fillfactor = 90);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '%', tg_argv[0];
end
$$;

-- Instances cache role and scopes, and a settlement does not read them again.
create trigger refuse_permission_change before update on api_keys for each row
  when (old.role is distinct from new.role or old.scopes is distinct from new.scopes)
  execute function refuse_change('role and scopes of a key never change: make another key');

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

-- Requests charged under an Idempotency-Key. As long as a payment counts, a repetition costs only what is not paid yet.
create table idempotency_keys (
  api_key_id integer not null,
  idempotency_key uuid not null, -- digest
  request uuid not null, -- digest of the request's path and query
  created_at timestamptz not null, -- of the first payment
  paid_version bigint not null, -- of the dataset, at the first payment
  paid bigint not null, -- credits, by all payments
  primary key (api_key_id, idempotency_key)
);
create index on idempotency_keys (created_at);

-- Whether what was paid under an idempotency key counts: for 24 hours from the first payment, but once the dataset has
-- changed since then, only for one hour. If the clock was set back, a payment may be from the future. It counts for as
-- long before its time as after it: a retry then costs nothing more, and no payment counts for years.
create function payment_counts(payment idempotency_keys, moment timestamptz, current_version bigint) returns boolean
language sql immutable as $$
  select greatest(moment - payment.created_at, payment.created_at - moment)
    < case when payment.paid_version = current_version then interval '24 hours' else interval '1 hour' end
$$;

-- 2. Ledger -----------------------------------------------------------------------------------------------------------

-- One entry for each change of a balance. Entries of a key are numbered 1, 2, 3, … without a gap, and their times never
-- decrease. The newest entry holds the balance, sum(granted) - sum(cost): a charge adds a row and updates none, so it
-- never has to pass old versions of a row, which stay for as long as any transaction is open. There is no foreign key:
-- the key's row is locked when an entry is added, and is never deleted.
--
-- `devdata ledger prune` replaces a key's oldest entries with one of kind `balance`, at the position of the last one.
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
create function recent_days(key_id integer) returns setof ledger_days language sql stable as $$
  select key_id, (created_at at time zone 'UTC')::date as day, endpoint, count(*), coalesce(sum(items), 0),
    sum(cost)::bigint, min(position), max(position)
  from ledger where api_key_id = key_id and position > summed_position(key_id)
  group by day, endpoint
$$;

-- The sums of all entries.
create function usage_days(key_id integer) returns setof ledger_days language sql stable as $$
  select key_id, day, endpoint, coalesce(d.entries, 0) + coalesce(r.entries, 0),
    coalesce(d.items, 0) + coalesce(r.items, 0), coalesce(d.cost, 0) + coalesce(r.cost, 0),
    least(d.first_position, r.first_position), greatest(d.last_position, r.last_position)
  from (select * from ledger_days where api_key_id = key_id) d full join recent_days(key_id) r using (day, endpoint)
$$;

-- Adds what ledger_days lacks for a key. The caller holds the lock of the key's row.
create function sum_up_days(key_id integer) returns void language sql as $$
  insert into ledger_days as d select * from recent_days(key_id)
  on conflict (api_key_id, day, endpoint) do update set entries = d.entries + excluded.entries,
    items = d.items + excluded.items, cost = d.cost + excluded.cost, last_position = excluded.last_position
$$;

-- 4. Grants -----------------------------------------------------------------------------------------------------------

-- What operators call their grants, so that a grant can be repeated without a second effect. A row stays when the
-- ledger's entry is folded.
create table grant_references (
  api_key_id integer not null references api_keys,
  reference text not null,
  position bigint not null, -- of the ledger's entry
  granted bigint not null, -- credits, as the entry has or had them
  primary key (api_key_id, reference),
  unique (api_key_id, position)
);

-- The decision about a grant. Only `granted` changes anything. Other outcomes:
--   repeated: this many credits were granted under the reference before; conflict: another number was;
--   out_of_range: the balance would leave the range from 0 to 2^53 - 1; unknown_key: the key is deleted or missing.
create type grant_decision as (
  outcome text,
  granted bigint -- credits that were granted under the reference, now or before; null: none
);

-- Adds credits to a key, or withdraws them. Under a reference, does so once.
create function grant_credits(key_id integer, amount bigint, grant_reference text default null) returns grant_decision
language plpgsql as $$
declare
  earlier bigint; -- credits
  newest ledger;
  next bigint;
begin
  perform from api_keys where id = key_id and deleted_at is null for no key update;
  if not found then return row('unknown_key', null)::grant_decision; end if;
  select granted into earlier from grant_references where api_key_id = key_id and reference = grant_reference;
  if found then
    return row(case earlier when amount then 'repeated' else 'conflict' end, earlier)::grant_decision;
  end if;
  select * into newest from ledger where api_key_id = key_id order by position desc limit 1;
  if coalesce(newest.balance, 0) + amount not between 0 and 9007199254740991 then
    return row('out_of_range', null)::grant_decision;
  end if;
  next := coalesce(newest.position, 0) + 1;
  insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, endpoint)
  values (key_id, next, greatest(newest.created_at, clock_timestamp()), 'grant', amount, 0,
    coalesce(newest.balance, 0) + amount, '');
  if grant_reference is not null then
    insert into grant_references values (key_id, grant_reference, next, amount);
  end if;
  if next % 1000 = 0 then perform sum_up_days(key_id); end if;
  return row('granted', amount)::grant_decision;
end
$$;

-- 5. Catalog ----------------------------------------------------------------------------------------------------------

-- Imports are the only writers, and check once for a whole load what foreign keys would check. Responses are stored as
-- JSON text; the columns beside it are searched. api/names/case-folding.ts writes the columns that end in _key.

-- The current version of the data. Readers select it in the same statement as the data, so that a response never mixes
-- two versions.
create table dataset (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0,
  updated_at timestamptz not null default now(),
  -- Of this state of the data. After a failover or a restore, another state may have the same version, but not the same
  -- edition.
  edition uuid not null default gen_random_uuid(),
  users_count integer not null default 0,
  repositories_count integer not null default 0,
  commits_count bigint not null default 0,
  last_user_id integer not null default 0, -- the highest id that was ever used
  last_repository_id integer not null default 0,
  changes_since bigint not null default 0, -- the earliest version after which all changes and removals are known
  user_rules text not null default '' -- what users were classified by (api/dataset/user-rules.ts)
);
insert into dataset default values;

-- Ids of terms: of what a filter can ask for. Dependencies, locations, attributes and versions are terms. The upper half of
-- the ids is for trigrams.
create sequence term_ids as integer maxvalue 1073741823;

-- When each version began, so that changes_since can follow CHANGES_KEPT_DAYS. Earlier versions are deleted.
create table dataset_versions (
  version bigint primary key,
  term_id integer not null default nextval('term_ids'), -- its sets have what the version added or changed
  applied_at timestamptz not null default now()
);
insert into dataset_versions values (0);

-- What the dataset covers, as its last change computed it (api/catalog/coverage.ts). No row: nothing was ever loaded.
create table coverage (
  only_row boolean primary key default true check (only_row),
  summary json not null
);

-- Every load, even if it has changed nothing. They stay when CHANGES_KEPT_DAYS are over. They are public, so they name
-- neither people nor paths.
create table loads (
  id bigint primary key generated always as identity,
  command text not null,
  source text not null, -- kinds of records, the number of clones, or the forge's host
  started_at timestamptz not null, -- of the command
  applied_at timestamptz not null default clock_timestamp(),
  covers_all boolean not null, -- it looked at everything that the dataset had
  version bigint not null, -- of the dataset, after the load
  changes json not null -- rows that were added, updated and removed, by kind
);
create index on loads (id) where covers_all;

-- users.id and repositories.id are given in the order of loading, and never used again.
create table users (
  id integer primary key,
  forge_rest_id bigint not null unique,
  login_key text not null,
  is_bot boolean not null, -- a program, which uses nothing by authorship (api/names/automation-accounts.ts)
  term_ids integer[] not null, -- of its location and its attributes
  version bigint not null, -- of the dataset, when the document last changed
  document text not null,
  digest bigint generated always as (hashtextextended(document, 0)) stored -- for entity tags
);
create index on users (login_key);
create index on users (version);
create index on users (id) where is_bot; -- few

create table repositories (
  id integer primary key,
  forge_rest_id bigint not null unique,
  full_name_key text not null,
  url_key text not null, -- the same for all spellings of a URL (api/names/repository-url.ts)
  pushed_at bigint,
  term_ids integer[] not null, -- of its attributes
  version bigint not null, -- of the dataset, when the members or the dependencies last changed
  members text not null, -- JSON object without its braces, internal_id and dependencies: a list puts others around them
  dependencies text not null default '[]', -- JSON array of repository dependencies, by name, then file
  dependencies_count integer not null default 0,
  digest bigint generated always as (hashtextextended(members, 0) # hashtextextended(dependencies, 1)) stored
);
create index on repositories (full_name_key);
create index on repositories (url_key);
create index on repositories (pushed_at);
create index on repositories (version);

-- Repositories that import github has found on the forge.
create table forge_repositories (
  forge_rest_id bigint primary key,
  missing_since timestamptz -- when the forge first said that it doesn't have the repository; null: it has it
);

-- Users and repositories that were removed, or have another forge_rest_id now.
create table removals (
  id bigint primary key generated always as identity, -- ascends with the version
  kind text not null check (kind in ('user', 'repository')),
  forge_rest_id bigint not null,
  version bigint not null, -- of the dataset, after the removal
  exists_again boolean not null default false, -- an export that follows has it nevertheless: its commits are gone
  unique (kind, forge_rest_id)
);
create index on removals (version);

-- People who were forgotten, and their identities (see identities) as keyed hashes: loads leave them out. A dump that is
-- given to others must leave out the key, or the hashes could be guessed.
create table forgotten_people (
  id integer primary key generated always as identity,
  forgotten_at timestamptz not null default now(),
  keeps_repositories boolean not null
);
create table forgotten_identities (
  hash bytea primary key check (length(hash) = 32), -- HMAC-SHA-256
  of_hash boolean not null, -- of the SHA-256 of an address, as deletion lists have it; who has no other wasn't found yet
  person_id integer not null references forgotten_people on delete cascade
);
create index on forgotten_identities (person_id);
create table forgotten_identities_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null check (length(key) = 32)
);

-- position counts a repository's commits from the oldest (1) to the newest, so any page of them is a range.
create table commits (
  repository_id integer not null,
  commit_hash text collate "C" not null,
  committer_date bigint,
  author_date bigint,
  author_identity text collate "C", -- see identities; null when the author can't be identified
  coauthor_identities text[] collate "C", -- of the trailers in the message; null: none
  position integer not null,
  version bigint not null, -- of the dataset, when the commit or its repository's URL last changed
  members text not null, -- JSON object without its braces and repo_url: readers add the URL that the repository has
  primary key (repository_id, commit_hash)
);
create index on commits (repository_id, position);

create table locations (
  id integer primary key default nextval('term_ids'),
  location text not null, -- as the first user of several has it
  location_key text not null, -- what it is compared by
  country text, -- ISO 3166-1 alpha-2, that the text names; null: none, or several (api/names/places/country.ts)
  users_count integer not null default 0,
  users_on_shelf boolean not null default true -- whether its set shares a row: see sets
);
create unique index on locations (md5(location_key)); -- a location may be longer than an index entry
create index on locations (users_count) where users_count >= 3; -- those that clients may find

-- The terms of the trigrams of a text: of any three characters in a row (api/catalog/location-search.ts). Two trigrams may
-- have the same term.
create function trigram_terms(location_key text) returns integer[]
language sql immutable strict parallel safe
return array(
  select distinct (
    ((codes[place]::bigint * 1021 + codes[place + 1]) * 1021 + codes[place + 2]) % 1073741824 + 1073741824
  )::integer
  from (
    select array(
      select ascii(character)
      from unnest(string_to_array(location_key, null)) with ordinality as characters(character, place)
      order by place
    ) as codes
    offset 0 -- so that they are found once, not for each place: a location may be long
  ) c, generate_series(1, cardinality(codes) - 2) as place
);

-- What users or repositories are like: `type` is `ORGANIZATION`, `stars` is `12` (api/catalog/attributes.ts).
create table attributes (
  id integer primary key default nextval('term_ids'),
  name text collate "C" not null,
  value text collate "C" not null,
  spelling text, -- of the value, as the first item has it; null: users and repositories have no field of that name
  number bigint generated always as (case when value ~ '^-?[0-9]{1,18}$' then value::bigint end) stored,
  items_count integer not null default 0,
  on_shelf boolean not null default true, -- whether its set shares a row: see sets
  unique (name, value)
);
create index on attributes (name, number);

-- A dependency with one status: one that repositories declare, and others have removed, has two rows. The row with an
-- empty name, which no dependency has, stands for all dependencies of that file and status.
create table dependencies (
  id integer primary key default nextval('term_ids'),
  name text collate "C" not null,
  name_key text collate "C" not null, -- spelled by the rules of the file's ecosystem (api/names/dependency-names.ts)
  file text collate "C" not null,
  status text collate "C", -- active, removed; null: unknown
  file_dependency_id integer, -- the row with an empty name that this one belongs to; null: it is that row
  users_count integer not null default 0,
  repositories_count integer not null default 0,
  users_on_shelf boolean not null default true, -- whether its sets share rows: see sets
  repositories_on_shelf boolean not null default true,
  unique nulls not distinct (name, file, status)
) with (fillfactor = 60); -- each load changes many counts: in the same page, no index changes with them
create index on dependencies (name_key, file);
-- What loads know of each repository and of each user. Null dates are unknown, and exclude nothing; last_use_date is null
-- as long as the dependency is declared, too. Dependencies with an empty name have no dates.
create table repository_dependencies (
  repository_id integer primary key,
  dependency_ids integer[] not null, -- ascending
  first_use_dates bigint[] not null,
  last_use_dates bigint[] not null
);
create table user_dependencies (
  user_id integer primary key,
  dependency_ids integer[] not null -- ascending
);

-- An identity is how a commit or a repository names a person: `email:…`, `id:…` (of the forge) or `login:…`. A user has
-- the dependencies that repositories declared while one of the user's identities contributed to them: owners always do,
-- authors from the author date of their first commit to that of their last.
create table identities (
  identity text collate "C" not null,
  user_id integer not null,
  is_further boolean not null default false, -- from user_addresses; the others are from the user's record
  primary key (identity, user_id, is_further)
);
create index on identities (user_id);
-- Further addresses of users, under which they commit. Never served.
create table user_addresses (
  user_id integer primary key,
  version bigint not null, -- of the dataset, when the document last changed
  document text not null -- with no address once all were taken away: an export that follows has it nevertheless
);
create index on user_addresses (version);
create table contributions (
  identity text collate "C" not null,
  repository_id integer not null,
  kind text not null check (kind in ('owner', 'author')),
  first_date bigint, -- of the commits whose author date is known; null: none is, or it is the owner
  last_date bigint,
  excludes_nothing boolean not null, -- it is the owner, or the date of a commit is unknown
  primary key (identity, repository_id, kind)
);
create index on contributions (repository_id);
-- When users last authored a commit, as far as author dates are known.
create table user_activity (
  user_id integer primary key,
  last_date bigint not null,
  term_id integer not null -- of the attribute with its day
);
create index on user_activity (last_date);

-- 6. Sets -------------------------------------------------------------------------------------------------------------

-- The users and the repositories of each term, as sets of ids in parts (api/catalog/set-encoding.ts). Term 0 has all. A
-- set without ids has no row. Small sets are on shelves, whose rows have negative term ids. The terms of trigrams have
-- locations.
create type list_name as enum ('users', 'repositories', 'locations');
create table sets (
  term_id integer not null,
  list list_name not null,
  part integer not null, -- has the ids from part * 2^width to (part + 1) * 2^width - 1
  width smallint not null, -- the same for all parts of a set
  cardinality integer not null check (cardinality > 0),
  bytes bytea not null,
  primary key (term_id, list, part)
) with (toast_tuple_target = 8160);
alter table sets alter bytes set storage main; -- in the row: a page of a table has several parts

-- 7. Imports ----------------------------------------------------------------------------------------------------------

-- Loads in progress. Each stages its rows in unlogged tables of its own (api/dataset/staging.ts).
create table imports (
  id bigint primary key generated always as identity,
  schema_name text not null default current_schema(), -- of its staging tables: roles may have schemas of their own
  staged bigint -- number of rows, once all are staged: reveals that a crash of the server has emptied the tables
);

-- Loads update the planner's statistics, which only the owner of a table may do.
create function analyze_table(name regclass) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  execute format('analyze %s', name);
end
$$;
revoke execute on function analyze_table(regclass) from public;

-- Drops a staging table that a killed load of another role has left. Only its owner and the owner of its schema may. This
-- function has the rights of its own owner, to whom the schemas belong after roles.sql. Returns whether it was dropped.
create function drop_staging_table(id oid) returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  name text := (
    select c.oid::regclass from pg_class c
    where c.oid = drop_staging_table.id and relkind = 'r' and relpersistence = 'u' and relname ~ '^import_[a-z]+_\d+$'
  );
begin
  if name is null then return false; end if;
  execute format('drop table %s', name);
  return true;
exception
  when insufficient_privilege then return false;
end
$$;
revoke execute on function drop_staging_table(oid) from public;

-- 8. Settling requests ------------------------------------------------------------------------------------------------

-- What a request asks of the ledger.
create type settle_request as (
  place integer, -- in its group, from 1
  key_id integer,
  secret_hash bytea, -- SHA-256
  version bigint, -- that the dataset must have; null: any
  is_counted boolean, -- against the rate limit
  price bigint, -- credits; null: one for each item that is found
  max_credits bigint, -- that the client is ready to pay; null: any
  items integer, -- null: as many as the price
  request_id uuid,
  path text,
  endpoint text,
  idempotency_key uuid, -- null: none
  request uuid -- digest of the request that the idempotency key was sent with
);

-- The decision about a request. Outcomes:
--   settled, replayed (paid before, at least in part), unusable, throttled, over_max_credits, insufficient, conflict;
--   stale: the dataset has another version; locked: another session has locked the key's row.
--   Neither changes anything.
create type settlement as (
  place integer,
  outcome text,
  due bigint, -- credits: the price, or what is not paid yet under the idempotency key
  charged bigint, -- credits: `due`, or 0 when the request is refused
  balance bigint, -- credits
  rate_limit_requests integer,
  rate_limit_seconds integer,
  used integer, -- requests in the rate-limit window
  reset_seconds numeric -- until the window ends
);

-- Locks the rows of keys and returns their ids. Rows are locked in the order of ids, so that two groups never deadlock.
-- With `wait_for_locks`, waits for locked rows. Without, skips them, and locks only those that a request may write for.
create function lock_keys(requests settle_request[], wait_for_locks boolean) returns integer[] language plpgsql as $$
begin
  if wait_for_locks then
    return array(
      select id from api_keys where id in (select key_id from unnest(requests)) order by id for no key update);
  end if;
  return array(
    select id from api_keys
    where id in (select key_id from unnest(requests)) and (
      rate_limit_requests is not null or last_used_at > now() - interval '1 minute' is not true
      or role = 'user' and id in (select key_id from unnest(requests) where coalesce(price, 1) > 0 or idempotency_key is not null)
    )
    order by id for no key update skip locked);
end
$$;

-- The newest window of a key with a rate limit, and its row. If it has ended, the next one starts at `moment`. A window
-- that starts in the future has ended too: the clock was set back.
create function current_window(key api_keys, moment timestamptz)
returns table (window_row tid, started_at timestamptz, used integer) language sql stable as $$
  select ctid, case when is_open then started_at else moment end, case when is_open then requests else 0 end
  from (
    select *, ctid, started_at <= moment
      and started_at + make_interval(secs => key.rate_limit_seconds) > moment as is_open
    from rate_limit_windows
    where key.rate_limit_requests is not null and api_key_id = key.id
    order by api_key_id desc, started_at desc, requests desc limit 1
  ) newest
$$;

-- Each key of a group, as it is at `moment`, and its requests in their order. This function and the one above cost
-- nothing, because the planner inlines them.
create function load_keys(all_requests settle_request[], locked_ids integer[], moment timestamptz) returns table (
  id integer, -- null: a backup from before the key was made was restored
  is_locked boolean,
  is_charged boolean,
  is_use_noted boolean, -- within the last minute
  valid_hashes bytea[], -- of its secrets, those that the requests were sent with; none if the key is unusable
  rate_limit_requests integer,
  rate_limit_seconds integer,
  window_row tid,
  window_started_at timestamptz,
  used integer, -- requests in the window
  reset_seconds numeric, -- until the window ends
  balance bigint,
  last_position bigint, -- in the ledger
  entry_at timestamptz, -- time for the next one
  requests settle_request[]
) language sql stable as $$
  select k.id, k.id in (select unnest(locked_ids)), role = 'user', last_used_at > moment - interval '1 minute' is true,
    array(
      select hash from api_key_secrets s
      where s.hash = any(hashes) and s.api_key_id = k.id and (s.expires_at is null or s.expires_at > moment)
        and deleted_at is null and revoked_at is null and (k.expires_at is null or k.expires_at > moment)
    ),
    rate_limit_requests, rate_limit_seconds, window_row, coalesce(w.started_at, moment), coalesce(w.used, 0),
    coalesce(extract(epoch from w.started_at - moment), 0) + rate_limit_seconds,
    coalesce(l.balance, 0), coalesce(l.position, 0), greatest(l.created_at, moment), own_requests
  from (
    select key_id, array_agg(r order by place) as own_requests, array_agg(distinct secret_hash) as hashes
    from unnest(all_requests) r group by key_id
  ) r
    left join api_keys k on k.id = r.key_id
    left join lateral current_window(k, moment) w on true
    left join lateral (
      select position, balance, created_at from ledger where api_key_id = k.id order by position desc limit 1
    ) l on true
$$;

-- Writes what a group changed: ledger entries, the last state of rate-limit windows in the place of the rows
-- `old_windows`, and the last use of keys.
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
    insert into rate_limit_windows
    select api_key_id, started_at, max(requests) from unnest(windows) group by api_key_id, started_at;
  end if;
  if entries <> '{}' then
    insert into ledger select * from unnest(entries);
    perform sum_up_days(api_key_id) from unnest(entries) where position % 1000 = 0;
  end if;
end
$$;

-- Deletes idempotency keys that no longer count, at most the `max_keys` oldest. The oldest are the first that no longer
-- count: of two payments, the younger one was made at the same version or at a later one.
create function sweep_idempotency_keys(max_keys integer) returns void language sql as $$
  delete from idempotency_keys where (api_key_id, idempotency_key) in (
    select api_key_id, idempotency_key from idempotency_keys p
    where created_at <= coalesce(
        (select created_at from idempotency_keys order by created_at offset max_keys - 1 limit 1), 'infinity')
      and not payment_counts(p, now(), (select version from dataset))
    order by created_at limit max_keys
    for update skip locked
  )
$$;

-- Settles a group of requests, each on its own, those of a key in their order.
--
-- `requests` is a JSON array of settle_request, and the result one of settlement. `found_items` has the number of items
-- that the statement has found for each place. If it is null, there is no such resource: a request without a price then
-- has no settlement. If the statement takes longer than `max_seconds` (null: no limit), nothing is charged, because the
-- caller no longer waits.
create function settle(
  requests json, wait_for_locks boolean, dataset_version bigint default null, found_items integer[] default '{}',
  max_seconds integer default null
) returns json language plpgsql
-- A session plans each statement once, perhaps while the tables are still small. Plans must not depend on that.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set lock_timeout = '5s'
as $$
#variable_conflict use_column
declare
  asked settle_request[] := array(select json_populate_recordset(null::settle_request, requests));
  locked integer[] := lock_keys(asked, wait_for_locks);
  moment timestamptz := clock_timestamp();
  key record; -- of load_keys, after the requests so far
  request settle_request;
  is_limited boolean;
  payment idempotency_keys; -- before, under the request's idempotency key
  due bigint;
  charged bigint;
  outcome text;
  settlements settlement[] := '{}';
  entries ledger[] := '{}';
  windows rate_limit_windows[] := '{}';
  old_windows tid[] := '{}';
  used_keys integer[] := '{}';
begin
  for key in select * from load_keys(asked, locked, moment) loop
    if key.is_locked and not key.is_use_noted then used_keys := used_keys || key.id; end if;

    foreach request in array key.requests loop
      request.price := coalesce(request.price, found_items[request.place]);
      continue when request.price is null;
      payment := null;
      if request.idempotency_key is not null then
        select * into payment from idempotency_keys p
        where api_key_id = key.id and idempotency_key = request.idempotency_key
          and payment_counts(p, moment, dataset_version);
      end if;
      is_limited := request.is_counted and key.rate_limit_requests is not null;
      due := case when key.is_charged then greatest(0, request.price - coalesce(payment.paid, 0)) else 0 end;
      outcome := case
        when request.version <> dataset_version then 'stale'
        when not key.is_locked and (
          is_limited or key.is_charged and (request.price > 0 or request.idempotency_key is not null)
        ) then 'locked'
        when request.secret_hash <> all(key.valid_hashes) then 'unusable'
        when is_limited and key.used >= key.rate_limit_requests then 'throttled'
        when payment.request <> request.request then 'conflict'
        when due > request.max_credits then 'over_max_credits'
        when due > key.balance then 'insufficient'
        when payment.paid is null then 'settled'
        else 'replayed'
      end;
      charged := case when outcome in ('settled', 'replayed') then due else 0 end;

      if is_limited and outcome not in ('stale', 'locked', 'unusable', 'throttled') then
        key.used := key.used + 1;
        windows := windows || row(key.id, key.window_started_at, key.used)::rate_limit_windows;
        old_windows := old_windows || key.window_row;
      end if;
      if charged > 0 then
        key.balance := key.balance - charged;
        key.last_position := key.last_position + 1;
        entries := entries || row(key.id, key.last_position, key.entry_at, 'charge', 0, charged, key.balance,
          coalesce(request.items, request.price), request.request_id, request.path, request.endpoint)::ledger;
        if request.idempotency_key is not null then -- its time and version stay those of the first payment
          insert into idempotency_keys values (key.id, request.idempotency_key, request.request,
            coalesce(payment.created_at, moment), coalesce(payment.paid_version, dataset_version),
            coalesce(payment.paid, 0) + charged)
          on conflict (api_key_id, idempotency_key) do update set request = excluded.request,
            created_at = excluded.created_at, paid_version = excluded.paid_version, paid = excluded.paid;
        end if;
      end if;
      settlements := settlements || row(request.place, outcome, due, charged, key.balance, key.rate_limit_requests,
        key.rate_limit_seconds, key.used, key.reset_seconds)::settlement;
    end loop;
  end loop;

  perform write_settlements(entries, windows, old_windows, used_keys, moment);
  -- Poolers may refuse a session's statement_timeout. The transaction begins with this statement.
  if clock_timestamp() > now() + make_interval(secs => max_seconds) then
    raise exception 'settling took longer than % seconds', max_seconds using errcode = 'query_canceled';
  end if;
  return array_to_json(settlements);
end
$$;

-- A role that may call these functions needs no right to write to the ledger and to idempotency keys: they have their
-- owner's rights. Their path has only this schema and, last, the caller's temporary tables, which can't stand in for the
-- real ones. `create or replace` resets both: a migration that replaces one of them has to repeat this.
do $$
declare
  name regproc;
begin
  foreach name in array '{settle,sweep_idempotency_keys}'::regproc[] loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', name, current_schema());
    execute format('revoke execute on function %s from public', name);
  end loop;
end
$$;
