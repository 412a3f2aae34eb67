/** How long removals are kept: `CHANGES_KEPT_DAYS` (decisions/0004-data.md). */
import { beforeAll, expect, test } from 'vitest'
import { selectTime } from '../../api/database/connect.ts'
import { startServiceForCommands } from '../support/command-line.ts'
import { createRepository, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

describeOnOneDatabase('CHANGES_KEPT_DAYS', (kind) => {
  const started = useStarted(() => startServiceForCommands(kind))
  beforeAll(async () => {
    await loadRecords(started.service.sql, {
      repos: [1, 2, 3, 4, 5].map((id) => createRepository(id, 'own', [])),
    })
  })

  /** Removes a repository, with or without the setting. */
  async function remove(id: number, days?: number): Promise<void> {
    const result = await started.run(
      ['remove', 'repo', '--id', String(id)],
      days === undefined ? {} : { environment: { ...started.environment, CHANGES_KEPT_DAYS: String(days) } },
    )
    expect(result).toMatchObject({ code: 0, stderr: '' })
  }

  /** Lets time pass for everything that has happened so far. */
  async function wait(days: number): Promise<void> {
    const { sql } = started.service
    const versions = await sql<{ version: number; applied: string }[]>`
      select version, ${selectTime(sql, sql`applied_at - make_interval(days => ${days}::integer)`)} as applied from dataset_versions`
    // A cluster refuses an update that computes a time from the one before.
    for (const { version, applied } of versions) {
      await sql`update dataset_versions set applied_at = ${applied}::timestamptz where version = ${version}`
    }
  }

  async function readKept() {
    const { sql } = started.service
    const removals = await sql<{ id: number }[]>`select forge_rest_id as id from removals order by id`
    const [dataset] = await sql<{ version: number; changesSince: number }[]>`
      select version, changes_since as "changesSince" from dataset`
    return { ...dataset, removals: removals.map(({ id }) => id) }
  }

  test('is 90 unless it is set, and the next change forgets older removals', async () => {
    await remove(1)
    await wait(89)
    await remove(2)
    expect(await readKept()).toEqual({ version: 3, changesSince: 0, removals: [1, 2] })
    await wait(2) // 91 days after the first removal, 2 after the second
    await remove(3)
    // Clients that have version 2 can still ask what came after it.
    expect(await readKept()).toEqual({ version: 4, changesSince: 2, removals: [2, 3] })
  })

  test('counts for the change that is made with it, and never moves back', async () => {
    await wait(1)
    await remove(4, 2)
    expect(await readKept()).toEqual({ version: 5, changesSince: 3, removals: [3, 4] })
    await remove(5, 3650)
    expect(await readKept()).toEqual({ version: 6, changesSince: 3, removals: [3, 4, 5] })
  })
})
