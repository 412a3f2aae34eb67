/**
 * Clusters: a server with the extension Citus, on which `citus.sql` has distributed the commits over other servers, the
 * workers. Each commit is on the worker of its repository. All else is on the coordinator, which this program connects to.
 *
 * A change of the dataset is committed on the coordinator, and some milliseconds later on each worker. In between, a worker
 * has the version before. Which one it has is in its copy of `dataset_versions`.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../errors.ts'
import { isEmbedded, type Sql, type SqlOrTransaction } from './connect.ts'

/** Whether the commits are distributed over a cluster. */
export async function isCluster(sql: SqlOrTransaction | Sql): Promise<boolean> {
  if ('options' in sql && isEmbedded(sql)) return false
  const [citus] = await sql<{ exists: boolean }[]>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null as exists`
  if (citus?.exists !== true) return false
  const [table] = await sql`select from pg_dist_partition where logicalrelid = 'commits'::regclass`
  return table !== undefined
}

/**
 * Has a transaction use one connection to each worker, which then commits all that the transaction has changed there at once, and
 * reads in one snapshot. It has no effect on a server without Citus.
 */
export async function useOneConnection(tx: SqlOrTransaction): Promise<void> {
  await tx`set local citus.max_adaptive_executor_pool_size = 1`
}

/** Age of a prepared transaction that a worker has not committed, in seconds. Citus repeats the commit once a minute. */
const maxPreparedSeconds = 120

/** Says what keeps a cluster from the promises of `docs/scaling`, and what to do. Empty for a server that is none. */
export async function findClusterFaults(sql: SqlOrTransaction): Promise<string[]> {
  if (!(await isCluster(sql))) return []
  const [state] = await sql<{ isReplicated: boolean; onCoordinator: number }[]>`
    select
      exists (
        select from pg_dist_partition where logicalrelid = 'dataset_versions'::regclass and partmethod = 'n'
      ) as "isReplicated",
      (
        select count(*) from pg_dist_shard join pg_dist_placement using (shardid)
        where logicalrelid = 'commits'::regclass and groupid = 0
      ) as "onCoordinator"`
  const workers = await sql<{ worker: string; isReachable: boolean; prepared: string }[]>`
    select nodename || ':' || nodeport as worker, success as "isReachable", result as prepared
    from run_command_on_workers(${`
      select count(*) from pg_prepared_xacts
      where database = current_database() and gid like 'citus_%'
        and prepared < now() - interval '${maxPreparedSeconds} seconds'`})`
  return [
    ...(state?.isReplicated === true
      ? []
      : [
          "workers don't have the table dataset_versions; run: select create_reference_table('dataset_versions')",
        ]),
    ...((state?.onCoordinator ?? 0) === 0
      ? []
      : [
          `the coordinator has ${state?.onCoordinator} shards of commits; run on it: ` +
            "select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) from pg_dist_node " +
            'where groupid = 0; select citus_drain_node(nodename, nodeport) from pg_dist_node where groupid = 0',
        ]),
    ...workers.flatMap(({ worker, isReachable, prepared }) =>
      isReachable
        ? prepared === '0'
          ? []
          : [
              `the worker ${worker} has not committed ${prepared} prepared transactions; run on the coordinator: ` +
                'select recover_prepared_transactions()',
            ]
        : [`the worker ${worker} can't be reached: ${prepared}`],
    ),
  ]
}

/** Throws `OperatorError` if the dataset can't be changed on this cluster without breaking a promise. */
export async function assertHealthyCluster(sql: SqlOrTransaction): Promise<void> {
  const [fault] = await findClusterFaults(sql)
  if (fault !== undefined) throw new OperatorError(`The cluster can't take changes: ${fault}`)
}

/** Attempts to read one version from all workers: a load is committed there within seconds, or a worker is unavailable. */
const maxAttempts = 10

/**
 * Runs `work` in a transaction that sees one version of the dataset, on all workers of a cluster, too. Throws `OperatorError` if
 * a worker has not committed the last load.
 */
export async function readSnapshot<Result>(
  sql: Sql,
  work: (tx: SqlOrTransaction) => Promise<Result>,
  { readOnly = true }: { readOnly?: boolean } = {},
): Promise<Result> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    let result: { done: Result } | undefined
    await sql.begin(`isolation level repeatable read${readOnly ? ' read only' : ''}`, async (tx) => {
      await useOneConnection(tx)
      await tx`set local plan_cache_mode = auto` // values decide which workers are asked
      if (await hasOneVersion(tx)) result = { done: await work(tx) }
    })
    if (result !== undefined) return result.done
    await sleep(attempt * 100)
  }
  throw new OperatorError(
    'A worker of the cluster has not committed the last load; run on the coordinator: select recover_prepared_transactions()',
  )
}

/** Whether all workers have the version of the coordinator. The snapshots of the transaction begin here. */
async function hasOneVersion(tx: SqlOrTransaction): Promise<boolean> {
  if (!(await isCluster(tx))) return true
  const [dataset] = await tx<{ version: number }[]>`select version from dataset`
  // For each worker, the id of a repository that would be there.
  const places = await tx<{ id: number }[]>`
    select distinct on (groupid) id
    from generate_series(1, 10 * (select count(*) from pg_dist_shard where logicalrelid = 'commits'::regclass)::integer) id
      join pg_dist_placement on shardid = get_shard_id_for_distribution_column('commits', id)
    order by groupid`
  for (const { id } of places) {
    // The whole statement goes to that worker.
    const [worker] = await tx<{ version: number }[]>`
      select max(version) as version from dataset_versions
      where not exists (select from commits where repository_id = ${tx.unsafe(String(id))} and position < 0)`
    if (worker?.version !== dataset?.version) return false
  }
  return true
}
