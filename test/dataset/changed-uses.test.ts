/** What users use is the same, however few declarations are compared at a time. */
import { expect, test } from 'vitest'
import { replaceUses, TermFiles } from '../../api/dataset/changed-uses.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

describeOnEachDatabase('the changed uses of users', (kind) => {
  const service = useService(kind)

  test.each([1, 50, undefined])(
    'are those that are stored, with parts of %s declarations',
    async (maxSize) => {
      const { sql } = service
      const stored = await sql<{ row: object }[]>`
      select to_json(u) as row from user_dependencies u where dependency_ids <> '{}' order by user_id`
      expect(stored.length).toBeGreaterThan(100)
      const found: object[] = []
      let parts = 0
      await sql
        .begin(async (tx) => {
          await tx`create temporary table affected_users on commit drop as select id as user_id from users`
          await tx`delete from user_dependencies where user_id % 2 = 0`
          const [{ last } = { last: 0 }] = await tx<{ last: number }[]>`select max(id) as last from users`
          const range = { list: 'users', first: 1, last, size: last } as const
          for await (const users of replaceUses(tx, range, new TermFiles(tx), maxSize)) {
            parts++
            await tx`select 1` // other statements may run between parts
            for (const { change, ...row } of users) {
              const isNew = row.user_id % 2 === 0
              const gained = row.dependency_ids
              expect(change).toEqual(
                isNew ? { lost: [], gained, differing: null, isRedated: false } : undefined,
              )
              if (gained.length > 0) found.push(row)
            }
          }
          throw new Error('rolled back')
        })
        .catch((error: Error) => expect(error.message).toBe('rolled back'))
      expect(found.toSorted(byUser)).toEqual(stored.map(({ row }) => row))
      expect(parts > 1).toBe(maxSize !== undefined)
    },
  )
})

function byUser(a: object, b: object): number {
  return Number('user_id' in a && a.user_id) - Number('user_id' in b && b.user_id)
}
