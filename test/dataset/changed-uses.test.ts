/** What users use is the same, whatever is compared, and however few declarations at a time. */
import { expect, test } from 'vitest'
import type { SqlOrTransaction } from '../../api/database/connect.ts'
import { type ChangedUses, findChangedUses, maxLost } from '../../api/dataset/changed-uses.ts'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { describeOnEachDatabase, describeOnOneDatabase, useService } from '../support/service.ts'

/** Users are of four kinds, by their ids. */
const kindOf = (userId: number) => (['new', 'same', 'gaining', 'losing'] as const)[userId % 4]

/** Makes rows wrong, and notes what is to be compared. */
async function spoil(tx: SqlOrTransaction): Promise<void> {
  await tx`create temporary table affected_users (user_id integer primary key) on commit drop`
  await tx`insert into affected_users select id from users where id % 4 < 2`
  await tx`
    create temporary table affected_uses (user_id integer, repository_id integer, dependency_id integer) on commit drop`
  await tx`delete from user_dependencies where user_id % 4 = 0`
  await tx`
    create temporary table spoiled on commit drop as
    select user_id, (
      select min(d.id) from dependencies d
      where file_dependency_id is not null and (d.id = any (dependency_ids)) = (user_id % 4 = 2)
    ) as term
    from user_dependencies where user_id % 4 >= 2 and dependency_ids <> '{}'`
  await tx`
    update user_dependencies u set (dependency_ids, begins, ends) = (
      select array_agg(id order by id), array_agg(begun order by id), array_agg(ended order by id)
      from (
        select * from unnest(dependency_ids, begins, ends) as d(id, begun, ended) where id <> term
        union all select term, null, null where u.user_id % 4 = 3
      ) d
    )
    from spoiled s where s.user_id = u.user_id`
  await tx`
    insert into affected_uses
    select user_id, repository_id, null
    from spoiled join identities using (user_id) join contributions using (identity)
      join repository_dependencies using (repository_id)
    where user_id % 4 = 2 and term = any (dependency_ids)
    union all
    select user_id, null, term from spoiled where user_id % 4 = 3`
}

/** Ends a transaction without a trace. */
const rollback = new Error('rolled back')
function ignoreRollback(error: unknown): void {
  if (error !== rollback) throw error
}

describeOnEachDatabase('the changed uses of users', (kind) => {
  const service = useService(kind)

  test.each([1, 50, undefined])(
    'are those that are stored, with parts of %s declarations',
    async (maxSize) => {
      const { sql } = service
      const stored = await sql<{ row: { user_id: number; dependency_ids: number[] } }[]>`
        select to_json(u) as row from user_dependencies u where dependency_ids <> '{}' order by user_id`
      const found = new Map<number, ChangedUses>()
      const spoiled = new Map<number, number>()
      let parts = 0
      await sql
        .begin(async (tx) => {
          await spoil(tx)
          for (const { id, term } of await tx<{ id: number; term: number }[]>`
            select user_id as id, term from spoiled`)
            spoiled.set(id, term)
          for await (const { updated, added } of findChangedUses(tx, maxSize)) {
            parts++
            await tx`select 1` // other statements may run between parts
            for (const user of [...updated, ...added]) found.set(user.userId, user)
          }
          throw rollback
        })
        .catch(ignoreRollback)
      const counts = Map.groupBy(stored, ({ row }) => kindOf(row.user_id))
      for (const users of counts.values()) expect(users.length).toBeGreaterThan(20)
      for (const { row } of stored) {
        const term = spoiled.get(row.user_id) ?? 0
        const changes = {
          new: { lost: [], gained: row.dependency_ids, differing: null, isRedated: false },
          same: undefined,
          gaining: { lost: [], gained: [term], differing: { terms: [term] }, isRedated: false },
          losing: { lost: [term], gained: [], differing: { terms: [] }, isRedated: false },
        }
        const { user_id: userId, dependency_ids: terms, ...dates } = row
        const change = changes[kindOf(userId) ?? 'same']
        const user = found.get(userId)
        if (change === undefined) expect(user).toBeUndefined()
        else expect(user).toMatchObject({ userId, uses: { terms, ...dates }, ...change })
        found.delete(userId)
      }
      expect([...found.values()]).toEqual([])
      expect(parts > 1).toBe(maxSize !== undefined)
    },
  )
})

describeOnOneDatabase('a user', (kind) => {
  const service = useService(kind, { data: 'empty' })

  // A search of all that the user gained, for each repository, took 40 seconds.
  test('may gain 100,000 repositories, and is compared within seconds', async () => {
    await service.sql
      .begin(async (tx) => {
        await tx`set local statement_timeout = '15s'`
        await tx`create temporary table affected_users (user_id integer primary key) on commit drop`
        await tx`
          create temporary table affected_uses (user_id integer, repository_id integer, dependency_id integer)
          on commit drop`
        await tx`
          insert into users (id, forge_rest_id, login_key, is_bot, term_ids, version, document)
          values (1, 1, 'ada', false, '{}', 1, '{}')`
        await tx`insert into identities values ('login:ada', 1)`
        await tx`
          insert into contributions
          select 'login:ada', number, 'owner', null, null, true from generate_series(1, 100000) as number`
        await tx`insert into affected_uses select 1, repository_id, null from contributions`
        await tx`insert into repository_dependencies values (100000, '{1}', '{1}', '{null}')`
        await tx`
          insert into dependencies (id, name, name_key, file, file_dependency_id) values (1, 'a', 'a', 'package.json', 2)`
        const found: ChangedUses[] = []
        for await (const { added } of findChangedUses(tx)) found.push(...added)
        expect(found).toMatchObject([{ userId: 1, gained: [1, 2] }])
        throw rollback
      })
      .catch(ignoreRollback)
  })

  test.each([maxLost, maxLost + 1])(
    'uses what is left and what is new when a repository has dropped %i dependencies',
    async (dropped) => {
      const { sql } = service
      const login = `owner-${dropped}`
      const listNames = (first: number, count: number) =>
        Array.from({ length: count }, (_, index) => `${login}-${first + index}`)
      const create = (names: readonly string[]) => createRepository(dropped, login, [...names])
      const other = createRepository(1_000 + dropped, login, listNames(0, 2))
      const commit = createCommit(dropped, other.url, `${login}@example.org`, 1_700_000_000)
      await loadRecords(sql, {
        users: [createUser(dropped, { login })],
        repos: [create(listNames(0, dropped + 5)), other],
        commits: [commit],
      })
      await loadRecords(sql, { repos: [create(listNames(dropped, 10))] })
      const used = await sql<{ name: string }[]>`
        select name
        from users u join user_dependencies on user_id = u.id join dependencies d on d.id = any (dependency_ids)
        where u.forge_rest_id = ${dropped} and name <> ''`
      expect(used.map(({ name }) => name).sort()).toEqual(
        [...listNames(0, 2), ...listNames(dropped, 10)].sort(),
      )
      expect((await verifySets(sql, 'all')).faults).toEqual([])
    },
  )
})
