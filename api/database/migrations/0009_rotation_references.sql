-- Compatible since: 1
--
-- A rotation may have a reference, so that a request that is repeated, or that arrives late, ends no secret that somebody got.
alter table api_key_secrets add column rotation_reference text, add column rotation_grace_seconds integer;

drop function rotate_user_key(integer, bytea, integer);
drop function rotate_key(integer, bytea, integer);

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
  values (secret_hash, key_id, reference, grace_seconds);
  return 'rotated';
end
$$;

create function rotate_user_key(key_id integer, secret_hash bytea, grace_seconds integer, reference text default null)
returns text language sql as $$
  select case when is_user_key(key_id) then rotate_key(key_id, secret_hash, grace_seconds, reference) else 'unknown_key' end
$$;

-- It has the rights of its owner, as in 0005.
do $$
begin
  execute format('alter function rotate_user_key security definer set search_path = %I, pg_temp', current_schema());
  revoke execute on function rotate_user_key from public;
end
$$;
