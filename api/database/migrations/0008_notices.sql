-- Compatible since: 1
--
-- Notices: what a webhook tells the operator's programs about keys and loads. They are written with what they are about, and sent later
-- (api/webhooks/).
create table notices (
  id bigint primary key generated always as identity, -- those of a key are in the order of its ledger, because its row is locked
  message_id uuid not null default gen_random_uuid(), -- the same in each attempt
  kind text not null check (kind in ('key.low', 'key.exhausted', 'load.applied')),
  api_key_id integer, -- null: it is about a load
  created_at timestamptz not null default clock_timestamp(),
  data json not null,
  attempts integer not null default 0 check (attempts >= 0), -- that have begun
  next_attempt_at timestamptz not null default now(), -- during an attempt: when another one may begin
  outcome text check (outcome in ('delivered', 'given_up')), -- null: it waits
  last_error text,
  check ((kind = 'load.applied') = (api_key_id is null))
);
create index on notices (coalesce(api_key_id, 0), id) where outcome is null;

-- Writes the notices of charges: a balance has fallen below the key's notify_below, or to 0. Prunes the oldest ones: those
-- of 8 days ago, when none waits anymore, and any if there are 100,000 newer ones.
create function write_notices(entries ledger[]) returns void language plpgsql as $$
begin
  insert into notices (kind, api_key_id, data)
  select n.kind, k.id, json_build_object('key_id', k.id, 'key_name', k.name, 'remaining_credits', e.balance,
    'notify_below', k.notify_below, 'entry', e.position)
  from unnest(entries) e join api_keys k on k.id = e.api_key_id, lateral (
    values (1, 'key.low', e.balance < k.notify_below and e.balance + e.cost >= k.notify_below),
      (2, 'key.exhausted', e.balance = 0)
  ) n (place, kind, is_due)
  where is_due order by k.id, e.position, place;
  if not found then return; end if;
  delete from notices where id in (
    select id from (select * from notices order by id limit 100) oldest
    where created_at < now() - interval '8 days' or id < (select max(id) from notices) - 100000
    for update skip locked
  );
end
$$;

-- As in 0001, but for the notices.
create or replace function write_settlements(
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
    perform write_notices(entries);
  end if;
end
$$;
