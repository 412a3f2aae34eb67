-- A key's row has a version for each settlement, and all of them stay while somebody's transaction is open: a load, a
-- dump. To find the newest one PostgreSQL passes all others: so each row is looked for once, where it is locked, and no
-- longer when it is read and when it is written.
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
  locked integer[];
  held api_keys[]; -- the rows that are locked
  places tid[]; -- where each of them is
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
    select array_agg(id), array_agg(key), array_agg(place) into locked, held, places from (
      select id, k as key, k.ctid as place from api_keys k
      where id in (select key_id from unnest(claims)) order by id for no key update) l;
  else
    select array_agg(id), array_agg(key), array_agg(place) into locked, held, places from (
      select id, k as key, k.ctid as place from api_keys k
      where id in (select key_id from unnest(claims)) and (
        rate_limit_requests is not null or last_used_at > now() - interval '1 minute' is not true
        or role = 'user' and id in (select key_id from unnest(claims) where cost > 0 or idempotency_key is not null)
      )
      order by id for no key update skip locked) l;
  end if;
  moment := clock_timestamp();

  if absent <> '{}' then
    claims := array(
      select row(n, key_id, secret, counts, case when n = any(absent) then cost_if_absent else cost end, most,
        case when n = any(absent) then 0 else items end, request_id, path, endpoint,
        case when n <> all(absent) or cost_if_absent > 0 then idempotency_key end, request,
        cost_if_absent)::claim
      from unnest(claims) with ordinality c order by c.ordinality);
  end if;

  for asked in
    select c.*, h.id is not null as is_locked, case when h.id is null then k else h end as key, exists (
      select from api_key_secrets s
      where s.hash = c.secret and s.api_key_id = c.key_id and (s.expires_at is null or s.expires_at > moment)
    ) as has_secret
    from unnest(claims) with ordinality c
      left join unnest(held) h on h.id = c.key_id
      left join api_keys k on k.id = case when h.id is null then c.key_id end
    where h.id is not null or k.id is not null
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
  from unnest(changed) c join unnest(locked, places) as l(id, place) on l.id = c.id
  where k.ctid = l.place and k.id = c.id;
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
