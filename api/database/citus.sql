-- Distributes the commits of a database over the workers of a Citus cluster (docs: Scaling). The owner of the tables runs this
-- file on the coordinator, once, after the workers were added with citus_add_node. Loads and reads of commits wait until
-- it is done. It is one transaction: if it fails, nothing has changed.
--
--   psql "$OWNER" --set=ON_ERROR_STOP=1 --file api/database/citus.sql

begin;

-- What a worker has shows which version of the dataset it has.
select create_reference_table('dataset_versions');
-- The number of shards is the largest number of workers.
select create_distributed_table('commits', 'repository_id', shard_count => 64);

commit;

-- Empties what is left on the coordinator, where nothing reads it any more.
select truncate_local_data_after_distributing_table('commits');
