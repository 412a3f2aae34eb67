/**
 * A cluster with Citus that `TEST_CLUSTER_URL` names: a superuser's URL of a database on its coordinator, which has the
 * extension, and workers. With it, tests that would run on PostgreSQL run there. Each gets a schema of its own.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import postgres from 'postgres'
import { openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { loadSampleData } from '../../api/runtime/trial.ts'
import { testPool } from './databases.ts'

/** The URL, if there is a cluster. */
export const clusterUrl = process.env.TEST_CLUSTER_URL || undefined

/** The file that distributes the commits, with fewer shards. */
async function readDistribution(): Promise<string> {
  const text = await readFile(resolve(import.meta.dirname, '../../api/database/citus.sql'), 'utf8')
  if (!text.includes('shard_count => 64')) throw new Error('citus.sql has another number of shards')
  return text.replace('shard_count => 64', 'shard_count => 4')
}

/** Creates a schema with distributed commits. */
export async function createOnCluster(data: 'empty' | 'sample') {
  if (clusterUrl === undefined) throw new Error('TEST_CLUSTER_URL is not set')
  const schema = `test_${randomUUID().replaceAll('-', '').slice(0, 12)}`
  const admin = postgres(clusterUrl, { max: 1, onnotice: () => {} })
  await admin`create schema ${admin(schema)}`
  const url = new URL(clusterUrl)
  url.searchParams.set('search_path', schema)
  const location = { databaseUrl: url.href, dataDirectory: '' }
  const database = await openDatabase({ ...testPool, ...location })
  await migrate(database.sql)
  await admin`set search_path = ${admin(schema)}`
  await admin.unsafe(await readDistribution())
  if (data === 'sample') await loadSampleData(database.sql)
  await database.close()
  return {
    location,
    async remove() {
      await admin`drop schema ${admin(schema)} cascade`
      await admin.end()
    },
  }
}
