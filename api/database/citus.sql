-- Distributes the commits of a database over the workers of a Citus cluster (docs: Scaling). Run this file on the coordinator,
-- once, after the workers were added with citus_add_node, while no instance and no load runs. If it fails before its last
-- statement, nothing has changed.
--
--   psql "$DATABASE_URL" --set=ON_ERROR_STOP=1 --file api/database/citus.sql

begin;

-- What a worker has shows which version of the dataset it has.
select create_reference_table('dataset_versions');
-- The number of shards is the largest number of workers.
select create_distributed_table('commits', 'repository_id', shard_count => 64);

commit;

-- Empties what is left on the coordinator, where nothing reads it any more.
select truncate_local_data_after_distributing_table('commits');
