-- What PostgreSQL alone can do: authentication, look-up and debit with its entry, in one prepared statement.
\set key random(1, :keys)
\set user random(1, :users)
with key as (
  select k.id from api_key_secrets s join peers.api_keys k on k.id = s.api_key_id
  where s.hash = sha256(('00000000-0000-4000-8000-' || lpad(:key::text, 12, '0'))::bytea)
    and k.deleted_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    and (s.expires_at is null or s.expires_at > now())
), found as (
  select document from users
  where login_key = 'USER' || :user::text and id <= (select users_count from dataset)
  order by id desc limit 1
), debit as (
  update peers.api_keys k
  set credits = credits - 1, last_position = last_position + 1, last_used_at = now(), last_entry_at = now()
  from key where k.id = key.id and k.credits >= 1
  returning k.id, k.credits, k.last_position, k.last_entry_at
), entry as (
  insert into peers.ledger (api_key_id, position, created_at, kind, granted, cost, balance, items, request_id, path)
  select id, last_position, last_entry_at, 'charge', 0, 1, credits, 1, gen_random_uuid(), '/users/user' || :user::text
  from debit
)
select debit.credits, found.document from debit left join found on true;
