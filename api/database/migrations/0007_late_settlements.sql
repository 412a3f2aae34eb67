-- A settlement must not be committed after whoever asked for it has given up waiting. Sessions have a limit of time, but
-- not where poolers refuse it; so what settles is passed through this, which ends it when that took longer than so many
-- seconds; null: however long.
create function in_time(settled json, seconds integer) returns json language plpgsql as $$
begin
  -- The transaction is the statement's own, and begins when the server has all or the first part of it.
  if clock_timestamp() > now() + make_interval(secs => seconds) then
    raise exception 'a settlement took longer than % seconds', seconds using errcode = 'query_canceled';
  end if;
  return settled;
end
$$;
