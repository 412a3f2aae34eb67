-- Rights for a database with three roles (docs: Database roles):
--   devdata_owner     owns the schema and migrates it
--   devdata_operator  creates keys, loads data, and forgets people
--   devdata_server    is the service: it reads, and charges only through settle()
-- The owner runs this file with psql after each "devdata migrate" that applied something. Running it again changes nothing. With
-- `-v keys_over_http=on`, the service may make and change user keys; without, it may not.

\if :{?keys_over_http}
\else
  \set keys_over_http off
\endif

begin;

-- The schema is the first one in the owner's search_path, usually public.
do $$
begin
  execute format('grant usage on schema %I to devdata_operator, devdata_server', current_schema());
  execute format('grant select on all tables in schema %I to devdata_operator, devdata_server', current_schema());
end
$$;

-- A load creates its staging tables in the schema named after the role, which is first in the default search_path. The
-- owner has the schema, and so may drop what a killed load leaves there.
create schema if not exists devdata_operator;
grant usage, create on schema devdata_operator to devdata_operator;

grant insert, update on api_keys, api_key_secrets to devdata_operator;
grant delete on rate_limit_windows to devdata_operator;
grant insert on ledger, grant_references, loads to devdata_operator;
grant insert, delete on notices to devdata_operator;
grant insert, update on ledger_days to devdata_operator;
grant update on dataset to devdata_operator;
grant insert, update, delete on
  users, repositories, forge_repositories, loaded_histories, dependency_commit_changes, commits, locations, companies, attributes,
  dependencies, repository_dependencies, user_dependencies, user_activity, identities, user_addresses, contributions, imports, sets,
  use_dates, coverage, dataset_versions,
  removals, forgotten_people, forgotten_identities, forgotten_identities_key
  to devdata_operator;
grant update (path) on ledger to devdata_operator; -- to forget people
grant delete on connections to devdata_operator;
grant usage on sequence imports_id_seq, term_ids to devdata_operator;
grant execute on function analyze_table, drop_staging_table to devdata_operator;

-- With the key, forgotten people could be guessed.
revoke select on forgotten_people, forgotten_identities, forgotten_identities_key from devdata_server;
revoke select on user_addresses from devdata_server; -- never served
grant execute on function settle, sweep_idempotency_keys to devdata_server;
grant update (attempts, next_attempt_at, outcome, last_error) on notices to devdata_server;
grant insert, delete, update (used_at) on connectors to devdata_server;
grant insert, delete on connections to devdata_server; -- only settle() changes what they have spent
grant update (access_hash, refresh_hash, previous_access_hash, previous_refresh_hash, refresh_salt, refreshed_at,
  access_expires_at, expires_at)
  on connections to devdata_server;

-- A restored dump lacks what the migrations revoke: these functions have the rights of the owner.
revoke execute on function
  settle, sweep_idempotency_keys, analyze_table, drop_staging_table,
  create_user_key, change_user_key, rotate_user_key, grant_user_credits
  from public;

\if :keys_over_http
  grant execute on function create_user_key, change_user_key, rotate_user_key, grant_user_credits to devdata_server;
\else
  revoke execute on function create_user_key, change_user_key, rotate_user_key, grant_user_credits from devdata_server;
\endif

commit;
