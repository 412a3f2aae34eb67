/**
 * Clusters: a server with the extension Citus, on which `citus.sql` has distributed the commits over other servers, the
 * workers. Each commit is on the worker of its repository. All else is on the coordinator, which this program connects
 * to.
 *
 * A change of the dataset is committed on the coordinator, and some milliseconds later on each worker. In between, a
 * worker has the version before. Which one it has is in its copy of `dataset_versions`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../errors.ts'
import type { Sql, SqlOrTransaction } from './connect.ts'
import { beginLong } from './long-transaction.ts'

/** Whether the commits are distributed over a cluster. */
export async function isCluster(sql: SqlOrTransaction): Promise<boolean> {
  const [citus] = await sql<{ exists: boolean }[]>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null as exists`
  if (citus?.exists !== true) return false
  const [table] = await sql`select from pg_dist_partition where logicalrelid = 'commits'::regclass`
  return table !== undefined
}

/**
 * Makes a transaction use one connection to each worker. What it changes there is then committed together, and what it
 * reads is of one snapshot. No effect without Citus.
 */
export async function useOneConnection(tx: SqlOrTransaction): Promise<void> {
  await tx`set local citus.max_adaptive_executor_pool_size = 1`
}

const recovery = 'run on the coordinator: select recover_prepared_transactions()'

/**
 * Says what keeps a cluster from its promises, and what to do. Empty for a healthy one; undefined without a cluster.
 */
export async function findClusterFaults(sql: SqlOrTransaction): Promise<string[] | undefined> {
  if (!(await isCluster(sql))) return undefined
  const [state] = await sql<
    { isReplicated: boolean; onCoordinator: number; version: number; table: string }[]
  >`
    select
      exists (
        select from pg_dist_partition where logicalrelid = 'dataset_versions'::regclass and partmethod = 'n'
      ) as "isReplicated",
      (
        select count(*) from pg_dist_shard join pg_dist_placement using (shardid)
        where logicalrelid = 'commits'::regclass and groupid = 0
      ) as "onCoordinator",
      version, format('%I.dataset_versions', current_schema()) as table
    from dataset`
  if (state === undefined) throw new Error('the dataset row is missing')
  if (!state.isReplicated) {
    return [
      "workers don't have the table dataset_versions; run: select create_reference_table('dataset_versions')",
    ]
  }
  const workers = await sql<{ worker: string; hasAnswered: boolean; result: string }[]>`
    select nodename || ':' || nodeport as worker, success as "hasAnswered", result
    from run_command_on_workers(${`select max(version) from ${state.table}`})`
  const faults = workers.flatMap(({ worker, hasAnswered, result }) => {
    if (!hasAnswered) return [`the worker ${worker} didn't answer: ${result}`]
    if (Number(result) === state.version) return []
    return [`the worker ${worker} has not committed the last load; ${recovery}`]
  })
  if (state.onCoordinator > 0) {
    faults.push(
      `the coordinator has ${state.onCoordinator} shards of commits; run on it: ` +
        'select citus_drain_node(nodename, nodeport) from pg_dist_node where groupid = 0',
    )
  }
  return faults
}

/** Throws `OperatorError` if the dataset can't be changed on this cluster without breaking a promise. */
export async function assertHealthyCluster(tx: SqlOrTransaction): Promise<void> {
  const [fault] = (await findClusterFaults(tx)) ?? []
  if (fault !== undefined) throw new OperatorError(`The cluster can't take changes: ${fault}`)
}

/** Attempts to read one version from all workers, some of which may be committing a load. */
const maxAttempts = 10

/**
 * Runs `work` in a long transaction that sees one version of the dataset, on all workers of a cluster, too. Throws
 * `OperatorError` if a worker has not committed the last load.
 */
export async function readOneVersion<Result>(
  sql: Sql,
  work: (tx: SqlOrTransaction) => Promise<Result>,
  { readOnly = true }: { readOnly?: boolean } = {},
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const result = await beginLong(
      sql,
      async (tx) => ((await hasOneVersion(tx)) ? { done: await work(tx) } : undefined),
      readOnly ? 'repeatable read read only' : 'repeatable read',
    )
    if (result !== undefined) return result.done
    if (attempt === maxAttempts) {
      throw new OperatorError(`A worker of the cluster has not committed the last load; ${recovery}`)
    }
    await sleep(attempt * 100)
  }
}

/** Whether all workers have the version of the coordinator. The snapshots of the transaction begin here. */
async function hasOneVersion(tx: SqlOrTransaction): Promise<boolean> {
  if (!(await isCluster(tx))) return true
  await useOneConnection(tx)
  await tx`set local plan_cache_mode = auto` // values decide which workers are asked
  const [dataset] = await tx<{ version: number }[]>`select version from dataset`
  // For each worker with commits, the id of a repository that would be there.
  const places = await tx<{ id: number | null }[]>`
    select min(id) as id
    from pg_dist_shard join pg_dist_placement using (shardid) left join (
      select id, get_shard_id_for_distribution_column('commits', id) as shardid from generate_series(1, 10000) id
    ) there using (shardid)
    where logicalrelid = 'commits'::regclass group by groupid`
  for (const { id } of places) {
    if (id === null) throw new Error('a worker has too few shards to be found')
    // The whole statement goes to that worker.
    const [worker] = await tx<{ version: number }[]>`
      select max(version) as version from dataset_versions
      where not exists (select from commits where repository_id = ${tx.unsafe(String(id))} and position < 0)`
    if (worker?.version !== dataset?.version) return false
  }
  return true
}
