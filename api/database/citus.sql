-- Distributes the commits of a database over the workers of a Citus cluster (docs: Poolers, replicas and clusters). Run this file on the coordinator,
-- once, after the workers were added with citus_add_node, while no instance and no load runs. If it fails before its last
-- statement, nothing has changed.
--
--   psql "$DATABASE_URL" --set=ON_ERROR_STOP=1 --file api/database/citus.sql

begin;

-- All other tables stay on the coordinator: a settlement writes keys' balances, the ledger and notices in one statement.
-- Each worker gets a copy, which shows the version of the dataset that the worker has.
select create_reference_table('dataset_versions');
-- There can be at most as many workers as shards.
select create_distributed_table('commits', 'repository_id', shard_count => 64);

commit;

-- Deletes the rows that are left on the coordinator, where nothing reads them any more.
select truncate_local_data_after_distributing_table('commits');
