-- A key's balance is what its newest entry in the ledger says, and nothing else: a settlement locks the key's row, reads
-- that entry, and adds others. It changes no row that it must find again. Versions of a row that is changed stay while
-- anybody's transaction is open (a load, a dump, a forgotten session), and each settlement would pass all of them.

-- In the order in which a settlement of the version before takes them: those that are under way end first.
lock table api_keys, ledger, ledger_days in access exclusive mode;

do $$
declare
  wrong integer;
begin
  select k.id into wrong from api_keys k left join lateral (
    select position, balance from ledger where api_key_id = k.id order by position desc limit 1
  ) l on true
  where (k.last_position, k.credits) is distinct from (coalesce(l.position, 0), coalesce(l.balance, 0))
  order by k.id limit 1;
  if found then
    raise exception 'the balance of key % is not that of its newest entry in the ledger', wrong
      using hint = 'Run "devdata ledger verify" of the version before this one, and mend what it finds.';
  end if;
end
$$;

alter table ledger add endpoint text; -- the route's pattern; '' for grants; null where a day has it already

-- ledger_days lags behind: it sums up a key's entries up to a position, and is brought up to date each time when a
-- thousand more are there. `recent_days` sums up the others, `usage_days` all of them. Columns are those of ledger_days.
create function summed_position(key_id integer) returns bigint language sql stable as $$
  select coalesce(max(last_position), 0) from ledger_days
  where api_key_id = key_id and day = (select max(day) from ledger_days where api_key_id = key_id)
$$;

create function recent_days(key_id integer) returns table (
  day date, endpoint text, entries bigint, items bigint, cost bigint, first_position bigint, last_position bigint
) language sql stable as $$
  select (created_at at time zone 'UTC')::date, endpoint, count(*), coalesce(sum(items), 0), sum(cost)::bigint,
    min(position), max(position)
  from ledger where api_key_id = key_id and position > summed_position(key_id)
  group by 1, 2
$$;

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

-- Brings ledger_days up to date for a key. Whoever calls it holds the key's row.
create function sum_up_days(key_id integer) returns void language sql as $$
  insert into ledger_days as d select key_id, * from recent_days(key_id)
  on conflict (api_key_id, day, endpoint) do update set entries = d.entries + excluded.entries,
    items = d.items + excluded.items, cost = d.cost + excluded.cost, last_position = excluded.last_position
$$;

-- Where a key with a rate limit stands in its window: one row, which is replaced by another one with each request that
-- counts. The newest is the last in the index. None: no window has begun.
create table rate_limit_windows (
  api_key_id integer not null,
  started_at timestamptz not null,
  requests integer not null,
  primary key (api_key_id, started_at, requests)
);
insert into rate_limit_windows
select id, window_started_at, window_requests from api_keys
where rate_limit_requests is not null and window_started_at > '-infinity';

-- last_used_at is written once a minute at most, and with it the position of the newest entry then: `devdata ledger
-- verify` sees by it when the last entries of a key are lost.
alter table api_keys add noted_position bigint not null default 0;
update api_keys set noted_position = last_position;
alter table api_keys set (fillfactor = 90); -- was 50, when each settlement updated its row
alter table api_keys drop credits, drop last_position, drop last_entry_at, drop window_started_at,
  drop window_requests;

create view balances as
select k.id as api_key_id, coalesce(l.balance, 0) as credits, coalesce(l.position, 0) as last_position
from api_keys k left join lateral (
  select balance, position from ledger where api_key_id = k.id order by position desc limit 1
) l on true;

create or replace function grant_credits(key_id integer, amount bigint) returns boolean language plpgsql as $$
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

-- Settles a group of requests, each for itself, those of a key in their order. For each: may its key be used, does its
-- rate limit let it pass, was it paid already, can the key pay? Returns a JSON array of {n, outcome, charged, balance,
-- quota, window, used, reset}, credits and seconds. Outcomes: settled, replayed, unusable, throttled, over_most,
-- insufficient, conflict; and busy, when somebody else holds the key's row and the caller is not patient: a group must
-- not wait for one key. Nothing was changed for a request that is busy. `absent` are those that look something up that
-- is not there: each costs what it says for that case, and has no items; what is free then is no repetition either.
create or replace function settle(requests json, patient boolean, absent integer[] default '{}') returns json language plpgsql
-- Plans are made once for a session, maybe while the tables are still small.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set lock_timeout = '5s'
as $$
#variable_conflict use_column
declare
  claims claim[] := array(select r from json_populate_recordset(null::claim, requests) r order by key_id, n);
  keys api_keys[]; -- those that are locked, and then the others
  locked integer[];
  moment timestamptz;
  asked record;
  current integer; -- the key whose requests are settled, and how it stands
  balance bigint;
  newest bigint;
  window_started_at timestamptz;
  window_requests integer;
  has_counted boolean;
  limited boolean;
  outcome text;
  due bigint;
  results json[] := '{}';
  entries ledger[] := '{}';
  windows rate_limit_windows[] := '{}'; -- that take the place of those at past_windows
  past_windows tid[] := '{}';
  used integer[] := '{}'; -- keys whose use is to be noted, and where they stood
  noted bigint[] := '{}';
  thousands integer[] := '{}'; -- keys that have a thousand more entries
begin
  -- Only what will be written is locked, always in the order of ids, so that no two groups wait for each other.
  if patient then
    keys := array(
      select k from api_keys k where id in (select key_id from unnest(claims)) order by id for no key update);
  else
    keys := array(
      select k from api_keys k
      where id in (select key_id from unnest(claims)) and (
        rate_limit_requests is not null or last_used_at > now() - interval '1 minute' is not true
        or role = 'user' and id in (select key_id from unnest(claims) where cost > 0 or idempotency_key is not null)
      )
      order by id for no key update skip locked);
  end if;
  locked := array(select id from unnest(keys));
  moment := clock_timestamp();
  keys := keys || array(
    select k from api_keys k where id in (select key_id from unnest(claims) where key_id <> all(locked)));

  if absent <> '{}' then
    claims := array(
      select row(n, key_id, secret, counts, case when n = any(absent) then cost_if_absent else cost end, most,
        case when n = any(absent) then 0 else items end, request_id, path, endpoint,
        case when n <> all(absent) or cost_if_absent > 0 then idempotency_key end, request,
        cost_if_absent)::claim
      from unnest(claims) with ordinality c order by c.ordinality);
  end if;

  for asked in
    with k as materialized (
      select k.*, id = any(locked) as is_locked, l.position as newest, l.balance, l.created_at as newest_at, w.started_at,
        w.requests, w.place
      from unnest(keys) k
        left join lateral (
          select position, balance, created_at from ledger where api_key_id = k.id order by position desc limit 1
        ) l on true
        left join lateral (
          select started_at, requests, ctid as place from rate_limit_windows
          where k.rate_limit_requests is not null and api_key_id = k.id
          order by api_key_id desc, started_at desc, requests desc limit 1
        ) w on true
    )
    select c.*, k.*, exists (
      select from api_key_secrets s
      where s.hash = c.secret and s.api_key_id = c.key_id and (s.expires_at is null or s.expires_at > moment)
    ) as has_secret
    from unnest(claims) with ordinality c
      left join k on k.id = c.key_id -- none: a backup from before the key was restored under an instance that knows it
    order by c.ordinality
  loop
    if asked.key_id is distinct from current then
      current := asked.key_id;
      balance := coalesce(asked.balance, 0);
      newest := coalesce(asked.newest, 0);
      window_started_at := coalesce(asked.started_at, '-infinity');
      window_requests := coalesce(asked.requests, 0);
      has_counted := false;
      if asked.is_locked and asked.last_used_at > moment - interval '1 minute' is not true then
        used := used || current;
        noted := noted || newest;
      end if;
    end if;
    limited := asked.counts and asked.rate_limit_requests is not null;
    due := 0;
    if not asked.is_locked
      and (limited or asked.role = 'user' and (asked.cost > 0 or asked.idempotency_key is not null))
    then
      outcome := 'busy';
    elsif not asked.has_secret or asked.deleted_at is not null or asked.revoked_at is not null
      or asked.expires_at <= moment
    then
      outcome := 'unusable';
    elsif limited and window_requests >= asked.rate_limit_requests
      and window_started_at + make_interval(secs => asked.rate_limit_seconds) > moment
    then
      outcome := 'throttled';
    else
      outcome := 'settled';
      if limited then
        if window_started_at + make_interval(secs => asked.rate_limit_seconds) <= moment then
          window_started_at := moment;
          window_requests := 0;
        end if;
        window_requests := window_requests + 1;
        if not has_counted then
          has_counted := true;
          past_windows := past_windows || asked.place;
          windows := windows || null::rate_limit_windows;
        end if;
        windows[cardinality(windows)] := row(current, window_started_at, window_requests)::rate_limit_windows;
      end if;
      if asked.idempotency_key is not null then
        select case when request = asked.request then 'replayed' else 'conflict' end into outcome
        from idempotency_keys
        where api_key_id = current and idempotency_key = asked.idempotency_key
          and created_at > moment - interval '24 hours';
        outcome := coalesce(outcome, 'settled');
      end if;
      if outcome = 'settled' and asked.role = 'user' and asked.cost > 0 then
        if asked.cost > asked.most then
          outcome := 'over_most';
        elsif asked.cost > balance then
          outcome := 'insufficient';
        else
          due := asked.cost;
          balance := balance - due;
          newest := newest + 1;
          entries := entries || row(current, newest, greatest(asked.newest_at, moment), 'charge', 0, due, balance,
            asked.items, asked.request_id, asked.path, asked.endpoint)::ledger;
          if newest % 1000 = 0 then thousands := thousands || current; end if;
          if asked.idempotency_key is not null then
            insert into idempotency_keys values (current, asked.idempotency_key, asked.request, moment)
            on conflict (api_key_id, idempotency_key)
              do update set request = excluded.request, created_at = excluded.created_at;
          end if;
        end if;
      end if;
    end if;
    results := results || json_build_object('n', asked.n, 'outcome', outcome, 'charged', due, 'balance', balance,
      'quota', asked.rate_limit_requests, 'window', asked.rate_limit_seconds, 'used', window_requests,
      'reset', case when limited then
        extract(epoch from nullif(window_started_at, '-infinity') - moment) + asked.rate_limit_seconds
      end);
  end loop;

  if entries <> '{}' then insert into ledger select * from unnest(entries); end if;
  if windows <> '{}' then
    delete from rate_limit_windows where ctid = any(past_windows);
    insert into rate_limit_windows select * from unnest(windows);
  end if;
  if used <> '{}' then
    update api_keys k set last_used_at = moment, noted_position = u.position
    from unnest(used, noted) u(id, position) where k.id = u.id;
  end if;
  if thousands <> '{}' then perform sum_up_days(id) from unnest(thousands) id; end if;
  return array_to_json(results);
end
$$;
