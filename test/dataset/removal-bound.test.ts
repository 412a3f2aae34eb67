import { expect, test } from 'vitest'
import { assertRemovalsBounded, removalBound } from '../../api/dataset/removal-bound.ts'
import { ImportError } from '../../api/staging/import-error.ts'

test.each([
  [0, 10],
  [10, 10],
  [109, 10],
  [110, 11],
  [200_000, 20_000],
])('of %i items of a kind, a load may remove %i', (stored, bound) => {
  expect(removalBound(stored)).toBe(bound)
})

const users = { kind: 'users', removed: 11, stored: 100 }
const repositories = { kind: 'repositories', removed: 1_200, stored: 1_500 }
const commits = { kind: 'commits', removed: 100, stored: 1_000 }

test('a load that removes too much says of which kinds, and what to do', () => {
  expect(() => assertRemovalsBounded([users, repositories, commits], undefined)).toThrow(
    new ImportError(
      'This load would remove 11 of 100 users and 1,200 of 1,500 repositories. Without --max-removals, a load may remove a ' +
        'tenth of the items of a kind, or 10 if that is more. Nothing was changed; to remove them nevertheless, use ' +
        '--max-removals 1200',
    ),
  )
  expect(() => assertRemovalsBounded([users, commits], 99)).toThrow(
    'This load would remove 100 of 1,000 commits. It may remove 99 of each kind (--max-removals).',
  )
})

test('a load may remove as much as the bound says', () => {
  assertRemovalsBounded([commits, { ...users, removed: 10 }], undefined)
  assertRemovalsBounded([users, repositories, commits], 1_200)
})
