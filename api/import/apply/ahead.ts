/**
 * Adds what is new in a load before the load is applied, in short transactions, where no reader sees it: with ids
 * beyond the dataset's counts. What is left for the last transaction is what changes, and moving the counts.
 *
 * Only the embedded database needs this. It has one session, so readers wait for whatever runs; a server has
 * snapshots for them, and there the one transaction is simpler.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fragment, Sql, SqlOrTransaction } from '../../database/connect.ts'
import { ImportError } from '../import-error.ts'
import { stagingTable } from '../staging.ts'
import type { ApplyStep } from './apply.ts'
import { applyCommits } from './commits.ts'
import { applyRepositories } from './repositories.ts'
import { refreshStatistics } from './statistics.ts'
import { type Change, isOfStep, type Step } from './step.ts'
import { refreshUserDependencies } from './user-dependencies.ts'
import { applyUsers } from './users.ts'

/** What a step does, and how many staged rows it does it to: some hundred milliseconds' worth. */
const stages = {
  users: {
    kind: 'users',
    rows: 1_500,
    apply: applyUsers,
    isThere: isUserThere,
  },
  repositories: {
    kind: 'repos',
    rows: 300,
    apply: applyRepositories,
    isThere: isRepositoryThere,
  },
  commits: {
    kind: 'commits',
    rows: 3_000,
    apply: applyCommits,
    isThere: isCommitThere,
  },
} as const
const usersPerRefresh = 400
/** A load that has shown no sign of life for so long is dead, in seconds: longer than any step takes. */
const deadAfterSeconds = 60

/** How many things were added. */
export type Added = Record<keyof typeof stages, number>

/** Adds what is new under `importId`. The load must then be applied, or what was added cleared away. */
export async function addAhead(
  sql: Sql,
  importId: number,
  onStep: (step: ApplyStep) => void = () => {},
): Promise<Added> {
  await waitForTurn(sql, importId, () => onStep('waiting for another load'))
  onStep('applying')
  await sql.begin(clearAhead)
  const added: Added = { users: 0, repositories: 0, commits: 0 }
  for (const [name, { kind, rows, apply, isThere }] of Object.entries(stages)) {
    const table = stagingTable(kind, importId)
    for await (const step of cutIntoSteps(sql, importId, table, rows)) {
      const change: Change = await sql.begin(async (tx) => {
        await keepTurn(tx, importId)
        const applied = await apply(tx, step)
        await tx`delete from ${tx(table)} s where ${isOfStep(tx, step)} and ${isThere(tx)}`
        return applied
      })
      added[name as keyof Added] += change.added
    }
    if (added[name as keyof Added] > rows) await refreshStatistics(sql) // the next steps build on many rows
  }
  await refreshNewUsers(sql, importId)
  return added
}

/** SQL: what the staged row `s` says is there already, since this step or before: nothing is left to do for it. */
function isUserThere(tx: SqlOrTransaction): Fragment {
  return tx`exists (select from users u where u.forge_rest_id = s.forge_rest_id and u.document = s.document)`
}

function isRepositoryThere(tx: SqlOrTransaction): Fragment {
  return tx`exists (
    select from repositories r
    where r.forge_rest_id = s.forge_rest_id and r.members = s.members
      and (s.dependencies is null or r.dependencies = s.dependencies)
  )`
}

function isCommitThere(tx: SqlOrTransaction): Fragment {
  return tx`exists (
    select from commits c
    where c.repository_id = (select max(id) from repositories r where r.url_key = s.url_key)
      and c.commit_hash = s.commit_hash and c.document = s.document
  )`
}

/** Only one load at a time may take ids. */
async function waitForTurn(sql: Sql, importId: number, onWait: () => void): Promise<void> {
  for (;;) {
    const [turn] = await sql`
      update imports set applying = true, touched_at = now()
      where id = ${importId} and not exists (
        select from imports other
        where other.applying and other.id <> ${importId}
          and other.touched_at > now() - make_interval(secs => ${deadAfterSeconds})
      )
      returning id`
    if (turn !== undefined) break
    onWait()
    await sleep(200)
  }
  await sql`update imports set applying = false where applying and id <> ${importId}`
}

/** A load that was taken for dead has lost its turn, and with it what it added. Throws `ImportError` then. */
export async function keepTurn(tx: SqlOrTransaction, importId: number): Promise<void> {
  const [kept] = await tx`
    update imports set touched_at = now() where id = ${importId} and applying returning id`
  if (kept === undefined) {
    throw new ImportError('Another load took this one for dead; load again; nothing was changed')
  }
}

/** Clears away what a failed load added, unless it has lost its turn: then the next one did that. */
export async function giveUp(sql: Sql, importId: number): Promise<void> {
  await sql.begin(async (tx) => {
    const [holder] = await tx`select 1 from imports where id = ${importId} and applying for update`
    if (holder !== undefined) await clearAhead(tx)
  })
}

async function* cutIntoSteps(sql: Sql, importId: number, table: string, rows: number): AsyncGenerator<Step> {
  let after = -1
  for (;;) {
    const [next] = await sql<{ upTo: number | null }[]>`
      select max(position) as "upTo" from (
        select position from ${sql(table)} where position > ${after}
        order by position limit ${rows}
      ) step`
    if (next === undefined || next.upTo === null) return
    yield { importId, after, upTo: next.upTo, isLarge: false, onlyNew: true, passesNewUsers: true }
    after = next.upTo
  }
}

/** The postings of users whom no reader sees yet; those whom the load affects beside them are left for its end. */
async function refreshNewUsers(sql: Sql, importId: number): Promise<void> {
  const [range] = await sql<{ first: number; last: number }[]>`
    select users_count + 1 as first, (select coalesce(max(id), 0) from users) as last from dataset`
  for (let id = range?.first ?? 1; id <= (range?.last ?? 0); id += usersPerRefresh) {
    await sql.begin(async (tx) => {
      await keepTurn(tx, importId)
      await refreshUserDependencies(
        tx,
        tx`select id from users where id >= ${id} and id < ${id + usersPerRefresh}`,
      )
    })
  }
}

/** Clears away what a load added that was never applied. */
async function clearAhead(sql: SqlOrTransaction): Promise<void> {
  const [left] = await sql`
    select 1 from dataset
    where users_count < (select coalesce(max(id), 0) from users)
      or repositories_count < (select coalesce(max(id), 0) from repositories)`
  if (left === undefined) return
  for (const table of ['dependency_users', 'location_users', 'identities']) {
    await sql`delete from ${sql(table)} where user_id > (select users_count from dataset)`
  }
  for (const table of ['dependency_repositories', 'contributions', 'commits']) {
    await sql`delete from ${sql(table)} where repository_id > (select repositories_count from dataset)`
  }
  await sql`delete from users where id > (select users_count from dataset)`
  await sql`delete from repositories where id > (select repositories_count from dataset)`
}
