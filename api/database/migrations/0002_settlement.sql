-- The ledger settles requests in groups, and every entry of a key has a position, so that any page of it is a range.

alter table api_keys
  add last_position bigint not null default 0, -- of the key's newest entry in the ledger
  add last_entry_at timestamptz not null default '-infinity'; -- when that was made: entries of a key never go back in time
alter table api_keys set (fillfactor = 50); -- each settlement updates its row: room to do that in place

-- What a key may do never changes: instances remember it, and a settlement need not look again.
create function keep_permissions() returns trigger language plpgsql as $$
begin
  raise exception 'role and scopes of a key never change: make another key';
end
$$;
create trigger permissions_stay before update on api_keys for each row
  when (old.role is distinct from new.role or old.scopes is distinct from new.scopes)
  execute function keep_permissions();

-- One entry for each change of a balance: api_keys.credits = sum(granted) - sum(cost) at every moment. Entries of a key
-- are numbered 1, 2, 3, … When old ones are folded (devdata ledger prune), one of kind `balance` stands for them, at the
-- position of the last. No foreign key: the locked row of the key is there whenever an entry is made, and stays.
alter table ledger rename to ledger_before;
create table ledger (
  api_key_id integer not null,
  position bigint not null,
  created_at timestamptz not null,
  kind text not null check (kind in ('grant', 'charge', 'balance')),
  granted bigint not null check (kind <> 'charge' or granted = 0), -- credits; negative when they were taken away
  cost bigint not null check (case kind when 'charge' then cost > 0 when 'grant' then cost = 0 else cost >= 0 end), -- credits
  balance bigint not null check (balance >= 0), -- after it, in credits
  items integer, -- in the answer that was charged for
  request_id uuid,
  path text, -- of that request, without the query
  primary key (api_key_id, position)
);
insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, items, request_id, path)
select api_key_id, row_number() over (partition by api_key_id order by id),
  max(created_at) over (partition by api_key_id order by id), kind,
  case kind when 'grant' then credits else 0 end, case kind when 'charge' then -credits else 0 end, balance,
  case kind when 'charge' then -credits end, request_id, split_part(endpoint, ' ', 2)
from ledger_before;
drop table ledger_before;
update api_keys k set last_position = l.position, last_entry_at = l.created_at
from (select distinct on (api_key_id) * from ledger order by api_key_id, position desc) l where l.api_key_id = k.id;

-- What each key spent, by day (UTC) and endpoint. It stays when the entries are folded. Entries of a day stand together:
-- they are those from the least first_position to the greatest last_position.
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
insert into ledger_days
select api_key_id, (created_at at time zone 'UTC')::date,
  case
    when kind = 'grant' then ''
    when path ~ '^/users/' then '/users/{login}'
    when path ~ '/commits$' then '/repos/{owner}/{name}/commits'
    when path ~ '/dependencies$' then '/repos/{owner}/{name}/dependencies'
    when path ~ '^/repos/' then '/repos/{owner}/{name}'
    else path
  end, count(*), coalesce(sum(items), 0), sum(cost), min(position), max(position)
from ledger group by 1, 2, 3;

-- Requests that were charged under an Idempotency-Key, for as long as a repetition is free. Both are known by digest.
create table idempotency_keys (
  api_key_id integer not null,
  idempotency_key uuid not null,
  request uuid not null,
  created_at timestamptz not null,
  primary key (api_key_id, idempotency_key)
);
create index on idempotency_keys (created_at);

-- What a request asks of the ledger.
create type claim as (
  n integer, -- place in its group
  key_id integer,
  secret bytea, -- SHA-256
  counts boolean, -- against the rate limit
  cost bigint, -- credits
  most bigint, -- credits that it may cost; null: any
  items integer,
  request_id uuid,
  path text,
  endpoint text,
  idempotency_key uuid, -- null: none
  request uuid -- what the idempotency key was sent with
);

-- Settles a group of requests, each for itself, those of a key in their order. For each: may its key be used, does its
-- rate limit let it pass, was it paid already, can the key pay? Returns a JSON array of {n, outcome, charged, balance,
-- quota, window, used, reset}, credits and seconds. Outcomes: settled, replayed, unusable, throttled, over_most,
-- insufficient, conflict; and busy, when somebody else holds the key's row and the caller is not patient: a group must
-- not wait for one key. Nothing was changed for a request that is busy.
create function settle(requests json, patient boolean) returns json language plpgsql
-- Plans are made once for a session, maybe while the tables are still small.
set enable_seqscan = off
set lock_timeout = '5s'
as $$
#variable_conflict use_column
declare
  claims claim[] := array(select r from json_populate_recordset(null::claim, requests) r order by key_id, n);
  locked integer[];
  moment timestamptz;
  key api_keys;
  asked record;
  limited boolean;
  outcome text;
  due bigint;
  results json[] := '{}';
  changed api_keys[] := '{}';
  entries ledger[] := '{}';
  endpoints text[] := '{}';
begin
  -- Only what will be written is locked, always in the order of ids, so that no two groups wait for each other.
  if patient then
    locked := array(
      select id from api_keys where id in (select key_id from unnest(claims)) order by id for no key update);
  else
    locked := array(
      select id from api_keys k
      where id in (select key_id from unnest(claims)) and (
        rate_limit_requests is not null or last_used_at > now() - interval '1 minute' is not true
        or role = 'user' and id in (select key_id from unnest(claims) where cost > 0 or idempotency_key is not null)
      )
      order by id for no key update skip locked);
  end if;
  moment := clock_timestamp();

  for asked in
    select c.*, k as key, k.id = any(locked) as is_locked, exists (
      select from api_key_secrets s
      where s.hash = c.secret and s.api_key_id = c.key_id and (s.expires_at is null or s.expires_at > moment)
    ) as has_secret
    from unnest(claims) with ordinality c join api_keys k on k.id = c.key_id
    order by c.ordinality
  loop
    if key.id is distinct from asked.key_id then
      if key.id = any(locked) then changed := changed || key; end if;
      key := asked.key;
      key.last_used_at := moment;
      key.last_entry_at := greatest(key.last_entry_at, moment);
    end if;
    limited := asked.counts and key.rate_limit_requests is not null;
    due := 0;
    if not asked.is_locked
      and (limited or key.role = 'user' and (asked.cost > 0 or asked.idempotency_key is not null))
    then
      outcome := 'busy';
    elsif not asked.has_secret or key.deleted_at is not null or key.revoked_at is not null or key.expires_at <= moment
    then
      outcome := 'unusable';
    elsif limited and key.window_requests >= key.rate_limit_requests
      and key.window_started_at + make_interval(secs => key.rate_limit_seconds) > moment
    then
      outcome := 'throttled';
    else
      outcome := 'settled';
      if limited and key.window_started_at + make_interval(secs => key.rate_limit_seconds) <= moment then
        key.window_started_at := moment;
        key.window_requests := 1;
      elsif limited then
        key.window_requests := key.window_requests + 1;
      end if;
      if asked.idempotency_key is not null then
        select case when request = asked.request then 'replayed' else 'conflict' end into outcome
        from idempotency_keys
        where api_key_id = key.id and idempotency_key = asked.idempotency_key
          and created_at > moment - interval '24 hours';
        outcome := coalesce(outcome, 'settled');
      end if;
      if outcome = 'settled' and key.role = 'user' and asked.cost > 0 then
        if asked.cost > asked.most then
          outcome := 'over_most';
        elsif asked.cost > key.credits then
          outcome := 'insufficient';
        else
          due := asked.cost;
          key.credits := key.credits - due;
          key.last_position := key.last_position + 1;
          entries := entries || row(key.id, key.last_position, key.last_entry_at, 'charge', 0, due, key.credits,
            asked.items, asked.request_id, asked.path)::ledger;
          endpoints := endpoints || asked.endpoint;
          if asked.idempotency_key is not null then
            insert into idempotency_keys values (key.id, asked.idempotency_key, asked.request, moment)
            on conflict (api_key_id, idempotency_key)
              do update set request = excluded.request, created_at = excluded.created_at;
          end if;
        end if;
      end if;
    end if;
    results := results || json_build_object('n', asked.n, 'outcome', outcome, 'charged', due, 'balance', key.credits,
      'quota', key.rate_limit_requests, 'window', key.rate_limit_seconds, 'used', key.window_requests,
      'reset', case when limited then extract(epoch from nullif(key.window_started_at, '-infinity') - moment) + key.rate_limit_seconds end);
  end loop;
  if key.id = any(locked) then changed := changed || key; end if;

  update api_keys k set credits = c.credits, last_position = c.last_position, last_used_at = c.last_used_at,
    last_entry_at = case when c.last_position > k.last_position then c.last_entry_at else k.last_entry_at end,
    window_started_at = c.window_started_at, window_requests = c.window_requests
  from unnest(changed) c where k.id = c.id;
  insert into ledger select * from unnest(entries);
  insert into ledger_days as d
  select api_key_id, (created_at at time zone 'UTC')::date, endpoint, count(*), sum(items), sum(cost), min(position),
    max(position)
  from unnest(entries, endpoints) e(api_key_id, position, created_at, kind, granted, cost, balance, items, request_id,
    path, endpoint)
  group by 1, 2, 3
  on conflict (api_key_id, day, endpoint) do update set entries = d.entries + excluded.entries,
    items = d.items + excluded.items, cost = d.cost + excluded.cost, last_position = excluded.last_position;
  return array_to_json(results);
end
$$;

-- Adds credits to a key, or takes them away. False, and nothing is changed, when the balance would leave its bounds.
create function grant_credits(key_id integer, amount bigint) returns boolean language plpgsql as $$
declare
  key api_keys;
begin
  update api_keys k set credits = credits + amount, last_position = last_position + 1,
    last_entry_at = greatest(last_entry_at, clock_timestamp())
  where id = key_id and deleted_at is null and credits + amount between 0 and 9007199254740991
  returning * into key;
  if key.id is null then return false; end if;
  insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance)
  values (key.id, key.last_position, key.last_entry_at, 'grant', amount, 0, key.credits);
  insert into ledger_days as d
  values (key.id, (key.last_entry_at at time zone 'UTC')::date, '', 1, 0, 0, key.last_position, key.last_position)
  on conflict (api_key_id, day, endpoint) do update set entries = d.entries + 1, last_position = excluded.last_position;
  return true;
end
$$;
