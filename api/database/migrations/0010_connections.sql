-- Compatible since: 1
--
-- The sign-in for /mcp (api/sign-in/). A connector gets a connection in place of a key: it is charged to the key, within limits.

-- Connectors that have registered themselves. Those with a document at a URL need no row.
create table connectors (
  id uuid primary key default gen_random_uuid(),
  name text not null, -- what it calls itself
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  created_at timestamptz not null default now(),
  used_at timestamptz -- when somebody last connected it; null: nobody has
);
create index on connectors (used_at desc nulls last, created_at desc);

-- One row for each connection that hasn't ended. To end it is to delete it. Of its code and its tokens only the SHA-256 is here.
-- All of them begin with the same bytes, the handle, so a token that was replaced is recognized without keeping it.
create table connections (
  id integer primary key generated always as identity,
  handle_hash bytea not null unique check (length(handle_hash) = 32),
  api_key_id integer not null references api_keys,
  secret_hash bytea not null references api_key_secrets, -- that was entered: the connection ends with it
  client_id text not null, -- of the connector: in connectors, or the URL of its document
  client_name text not null,
  redirect_uri text not null,
  code_challenge text not null, -- SHA-256 of what the connector shows with the code, in Base64url
  code_hash bytea not null check (length(code_hash) = 32), -- stays, so that a second use is recognized
  access_hash bytea check (length(access_hash) = 32), -- null: the code wasn't used yet
  refresh_hash bytea check (length(refresh_hash) = 32),
  -- Works for a minute longer, for requests under way and a lost response. Null: none was replaced, or it had expired.
  previous_access_hash bytea check (length(previous_access_hash) = 32),
  previous_refresh_hash bytea check (length(previous_refresh_hash) = 32), -- null: no token was replaced yet
  -- Of the newest tokens, which are made of the previous refresh token: it gets the same ones again.
  refresh_salt bytea check (length(refresh_salt) = 16),
  refreshed_at timestamptz, -- when the newest tokens were made, of the code too
  access_expires_at timestamptz,
  max_credits_per_call bigint check (max_credits_per_call > 0), -- null: no limit
  credit_limit bigint not null check (credit_limit > 0), -- in all
  spent bigint not null default 0 check (spent between 0 and credit_limit), -- credits
  lifetime_days integer not null check (lifetime_days > 0), -- from the use of the code
  created_at timestamptz not null default now(),
  expires_at timestamptz not null, -- until the code is used: when that expires
  check (num_nulls(access_hash, refresh_hash, refreshed_at, access_expires_at) in (0, 4)),
  check ((previous_refresh_hash is null) = (refresh_salt is null)),
  check (refresh_hash is not null or previous_refresh_hash is null),
  check (previous_refresh_hash is not null or previous_access_hash is null)
) with (fillfactor = 70);
create index on connections (api_key_id);
create index on connections (expires_at);

-- Whether a connection may be used with an access token.
create function accepts_token(c connections, token_hash bytea, moment timestamptz) returns boolean language sql stable as $$
  select coalesce(c.expires_at > moment and (
    c.access_hash = token_hash and c.access_expires_at > moment
    or c.previous_access_hash = token_hash and c.refreshed_at > moment - interval '1 minute'
  ), false)
$$;

alter type settle_request add attribute connection_id integer; -- null: the request was sent with the key
alter type settle_request add attribute token_hash bytea;

-- As in 0001, but for connections: their balance is what the key and their limit allow.
create or replace function settle(
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
  connection connections; -- that the request was sent with; null: it was sent with the key
  available bigint; -- credits, to the key or the connection
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
      connection := null;
      if request.connection_id is not null then
        select * into connection from connections c
        where id = request.connection_id and api_key_id = key.id and accepts_token(c, request.token_hash, moment);
      end if;
      available := least(key.balance, connection.credit_limit - connection.spent);
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
        when request.secret_hash <> all(key.valid_hashes) or request.connection_id <> coalesce(connection.id, 0) then 'unusable'
        when is_limited and key.used >= key.rate_limit_requests then 'throttled'
        when payment.request <> request.request then 'conflict'
        when due > request.max_credits then 'over_max_credits'
        when due > available then 'insufficient'
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
        available := available - charged;
        if connection.id is not null then update connections set spent = spent + charged where id = connection.id; end if;
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
      settlements := settlements || row(request.place, outcome, due, charged, available, key.rate_limit_requests,
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

do $$
begin
  execute format('alter function settle security definer set search_path = %I, pg_temp', current_schema());
  revoke execute on function settle from public;
end
$$;
