-- What was paid under an idempotency key is stored with it: a repetition costs the difference to its current cost.
-- For keys that are in use already, a repetition stays free as it was promised.
alter table idempotency_keys add paid bigint not null default 9007199254740991; -- credits
alter table idempotency_keys alter paid drop default;

-- Settles a group of requests, each on its own, those of a key in their order. For each it decides: is the key usable,
-- does its rate limit allow the request, what was paid for it before, and can the key pay the rest? Returns a JSON array
-- of {n, outcome, cost, charged, balance, quota, window, used, reset} in credits and seconds. `cost` is what the request
-- costs; for a repetition under an idempotency key, what was not yet paid under that key. `charged` is 0 when the request
-- is refused. Outcomes: settled, replayed (paid before, at least in part), unusable, throttled, over_most, insufficient,
-- conflict; and busy, when another session has locked the key's row and the caller is not patient: a group must not wait
-- for one key. Nothing is changed for a busy request. `absent` are the look-ups that found nothing: each costs its
-- cost_if_absent and has no items; one that is free is not a repetition.
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
  paid_before bigint;
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
      window_started_at := asked.started_at;
      window_requests := coalesce(asked.requests, 0);
      -- A window that begins in the future has ended too: the clock was set back.
      if window_started_at > moment
        or window_started_at + make_interval(secs => asked.rate_limit_seconds) <= moment
      then
        window_started_at := null;
        window_requests := 0;
      end if;
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
    elsif limited and window_requests >= asked.rate_limit_requests then
      outcome := 'throttled';
    else
      outcome := 'settled';
      if limited then
        window_started_at := coalesce(window_started_at, moment);
        window_requests := window_requests + 1;
        if not has_counted then
          has_counted := true;
          past_windows := past_windows || asked.place;
          windows := windows || null::rate_limit_windows;
        end if;
        windows[cardinality(windows)] := row(current, window_started_at, window_requests)::rate_limit_windows;
      end if;
      paid_before := 0;
      if asked.idempotency_key is not null then
        select case when request = asked.request then 'replayed' else 'conflict' end, paid into outcome, paid_before
        from idempotency_keys
        where api_key_id = current and idempotency_key = asked.idempotency_key
          and created_at > moment - interval '24 hours';
        outcome := coalesce(outcome, 'settled');
      end if;
      if outcome <> 'conflict' and asked.role = 'user' then
        due := greatest(0, asked.cost - coalesce(paid_before, 0));
        if due > asked.most then
          outcome := 'over_most';
        elsif due > balance then
          outcome := 'insufficient';
        elsif due > 0 then
          balance := balance - due;
          newest := newest + 1;
          entries := entries || row(current, newest, greatest(asked.newest_at, moment), 'charge', 0, due, balance,
            asked.items, asked.request_id, asked.path, asked.endpoint)::ledger;
          if newest % 1000 = 0 then thousands := thousands || current; end if;
          if outcome = 'replayed' then -- the 24 hours count from the first use
            update idempotency_keys set paid = paid + due
            where api_key_id = current and idempotency_key = asked.idempotency_key;
          elsif asked.idempotency_key is not null then
            insert into idempotency_keys values (current, asked.idempotency_key, asked.request, moment, due)
            on conflict (api_key_id, idempotency_key)
              do update set request = excluded.request, created_at = excluded.created_at, paid = excluded.paid;
          end if;
        end if;
      end if;
    end if;
    results := results || json_build_object('n', asked.n, 'outcome', outcome, 'cost', due,
      'charged', case when outcome in ('settled', 'replayed') then due else 0 end, 'balance', balance, 'quota',
      asked.rate_limit_requests, 'window', asked.rate_limit_seconds, 'used', window_requests, 'reset',
      extract(epoch from coalesce(window_started_at, moment) - moment) + asked.rate_limit_seconds);
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
