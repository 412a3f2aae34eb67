/** Records with all fields in order are checked in a way of their own (api/staging/complete-records.ts). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseItem } from '../../../api/staging/records.ts'
import { createCommit, createDependency, createRepository, createUser } from '../../support/records.ts'

const url = 'https://forge.example/r/1'
const records = {
  users: createUser(1, { name: 'Ada', email: 'ada@example.org', followers: 3 }),
  identities: { forge_rest_id: 1, addresses: ['ada@example.org', 'ada@example.com'] },
  repos: { internal_id: 7, ...createRepository(1, 'ada', ['left', 'right']), license: 'MIT' },
  commits: createCommit(1, url, 'ada@example.org', 1),
  removals: { forge_rest_id: 1, kind: 'user', version: 5 },
}
const kinds = ['users', 'identities', 'repos', 'commits', 'removals'] as const
const use = createDependency(url, 'left')

/** What fields may get: the values of all fields, and hostile ones. */
const values = fc.oneof(
  fc.constantFrom(...Object.values(records).flatMap((record) => Object.values(record))),
  fc.constantFrom([use, use], [{ ...use, url: 'http://forge.example/r/1/' }], [{ ...use, status: 'gone' }]),
  fc.constantFrom(
    [[]],
    [null],
    {},
    [],
    '',
    '\0',
    '\ud800',
    ' ',
    'HTTPS://A/b/c',
    'https://a:b@c/d/e',
    'ada/',
    '.',
  ),
  fc.constantFrom(
    -1,
    -0,
    0.5,
    2 ** 53,
    1e308,
    253_402_300_800,
    '2024-02-30T00:00:00Z',
    'removed',
    'repository',
  ),
  fc.jsonValue(),
)

function read(kind: (typeof kinds)[number], fields: [string, unknown][]): string {
  try {
    return JSON.stringify(parseItem(kind, JSON.stringify(Object.fromEntries(fields))))
  } catch (error) {
    return String(error)
  }
}

test('a record becomes the same, or is refused with the same reason, in whatever order its fields are', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.array(fc.tuple(fc.nat(), fc.option(values, { freq: 3, nil: undefined })), { maxLength: 2 }),
      fc.option(fc.tuple(fc.constantFrom('nickname', '__proto__', 'toString', 'constructor'), values), {
        freq: 8,
      }),
      (kind, changes, further) => {
        const fields = Object.entries({ ...records[kind] }).map(([name, value]): [string, unknown] => [
          name,
          value,
        ])
        for (const [place, value] of changes) {
          const field = fields[place % fields.length]
          if (field !== undefined) field[1] = value // undefined: the line lacks it
        }
        if (further !== null) fields.push([further[0], further[1]])
        expect(read(kind, fields)).toBe(read(kind, fields.toReversed()))
      },
    ),
    { numRuns: 3_000 },
  )
})

test('a complete record is kept as it is', () => {
  for (const kind of kinds) {
    expect(parseItem(kind, JSON.stringify(records[kind])).record).toEqual(records[kind])
  }
})
