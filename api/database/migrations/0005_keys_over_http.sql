-- Compatible since: 1
--
-- Keys over HTTP. Commands and the service change keys with the same functions. The service calls those whose names have `user`,
-- which touch user keys alone, and which have the rights of their owner (roles.sql says who may call them).

-- An admin key with keys:write makes and changes user keys over HTTP, and does nothing else.
do $$
begin
  execute format('alter table api_keys drop constraint %I', (
    select conname from pg_constraint
    where conrelid = 'api_keys'::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%metrics:read%'
  ));
end
$$;
alter table api_keys add constraint api_keys_scopes_check check (
  scopes <@ array['users:read', 'repos:read']
  or role = 'admin' and scopes in (array['metrics:read'], array['keys:write'])
);

alter table api_keys add column notify_below bigint check (notify_below > 0); -- credits; null: no notice of a low balance

-- What admin keys called the keys that they made, so that a request can be repeated without a second key.
create table key_references (
  made_by integer not null references api_keys,
  reference text not null,
  request_digest bytea not null check (length(request_digest) = 32), -- SHA-256 of what was asked for
  api_key_id integer not null unique references api_keys,
  primary key (made_by, reference)
);

-- A rotation may have a reference, so that a request that is repeated, or that arrives late, ends no secret that somebody got.
alter table api_key_secrets
  add column rotation_reference text,
  add column rotation_grace_seconds integer check (rotation_grace_seconds >= 0), -- of the secret before
  add check ((rotation_reference is null) = (rotation_grace_seconds is null));

-- Creates a key, and returns its id. `key` has members of api_keys, and `credits`.
create function create_key(key jsonb, secret_hash bytea) returns integer language plpgsql as $$
declare
  new_id integer;
begin
  insert into api_keys (role, scopes, rate_limit_requests, rate_limit_seconds, expires_at, name, notify_below)
  select role, scopes, rate_limit_requests, rate_limit_seconds, expires_at, name, notify_below
  from jsonb_populate_record(null::api_keys, key)
  returning id into new_id;
  insert into api_key_secrets (hash, api_key_id) values (secret_hash, new_id);
  if (select outcome <> 'granted' from grant_credits(new_id, (key->>'credits')::bigint)) then
    raise exception 'a balance must be from 0 to 2^53 - 1';
  end if;
  return new_id;
end
$$;

-- Changes the members of a key that `change` has: those of api_keys, or `is_revoked`. Returns false if there is no such key.
create function change_key(key_id integer, change jsonb) returns boolean language plpgsql as $$
begin
  update api_keys k set (name, rate_limit_requests, rate_limit_seconds, notify_below, revoked_at) = (
    select name, rate_limit_requests, rate_limit_seconds, notify_below,
      case change->>'is_revoked' when 'true' then coalesce(k.revoked_at, now()) when 'false' then null else k.revoked_at end
    from jsonb_populate_record(k, change)
  )
  where id = key_id and deleted_at is null;
  if not found then return false; end if;
  if change ? 'rate_limit_requests' then -- the key's row is locked: nobody adds a window
    delete from rate_limit_windows where api_key_id = key_id;
  end if;
  return true;
end
$$;

-- Gives a key a new secret. The old ones work for another `grace_seconds`. Outcomes:
--   rotated; repeated: it was, under the reference, before; conflict: it was, with another grace; unknown_key
create function rotate_key(key_id integer, secret_hash bytea, grace_seconds integer, reference text default null)
returns text language plpgsql as $$
declare
  earlier integer;
begin
  perform from api_keys where id = key_id and deleted_at is null for update; -- of two concurrent rotations the later one wins
  if not found then return 'unknown_key'; end if;
  select rotation_grace_seconds into earlier from api_key_secrets where api_key_id = key_id and rotation_reference = reference;
  if found then return case earlier when grace_seconds then 'repeated' else 'conflict' end; end if;
  update api_key_secrets set expires_at = least(expires_at, now() + make_interval(secs => grace_seconds))
  where api_key_id = key_id;
  insert into api_key_secrets (hash, api_key_id, rotation_reference, rotation_grace_seconds)
  values (secret_hash, key_id, reference, case when reference is not null then grace_seconds end);
  return 'rotated';
end
$$;

create function is_user_key(key_id integer) returns boolean language sql stable as $$
  select exists (select from api_keys where id = key_id and role = 'user')
$$;

-- The decision about a new key. Outcomes:
--   created; repeated: the same was asked for under the reference before; conflict: something else was; expired: the key would be.
create type key_creation as (
  outcome text,
  key_id integer -- of the key that has the reference
);

create function create_user_key(maker integer, maker_reference text, digest bytea, key jsonb, secret_hash bytea)
returns key_creation language plpgsql as $$
declare
  earlier key_references;
  new_id integer;
begin
  perform pg_advisory_xact_lock(maker, hashtext(maker_reference)); -- a concurrent repetition waits
  select * into earlier from key_references where made_by = maker and reference = maker_reference;
  if found then
    return row(case earlier.request_digest when digest then 'repeated' else 'conflict' end, earlier.api_key_id)::key_creation;
  end if;
  if (key->>'expires_at')::timestamptz <= now() then return row('expired', null)::key_creation; end if;
  new_id := create_key(key || '{"role": "user"}', secret_hash);
  insert into key_references values (maker, maker_reference, digest, new_id);
  return row('created', new_id)::key_creation;
end
$$;

create function change_user_key(key_id integer, change jsonb) returns boolean language sql as $$
  select case when is_user_key(key_id) then change_key(key_id, change) else false end
$$;

create function rotate_user_key(key_id integer, secret_hash bytea, grace_seconds integer, reference text default null)
returns text language sql as $$
  select case when is_user_key(key_id) then rotate_key(key_id, secret_hash, grace_seconds, reference) else 'unknown_key' end
$$;

create function grant_user_credits(key_id integer, amount bigint, grant_reference text) returns grant_decision language sql as $$
  select case when is_user_key(key_id) then grant_credits(key_id, amount, grant_reference)
    else row('unknown_key', null)::grant_decision end
$$;

-- These have the rights of their owner, as settle() has (0001).
do $$
declare
  name regproc;
begin
  foreach name in array '{create_user_key,change_user_key,rotate_user_key,grant_user_credits}'::regproc[] loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', name, current_schema());
    execute format('revoke execute on function %s from public', name);
  end loop;
end
$$;
