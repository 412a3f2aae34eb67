/** Co-authors, whom the message of a commit names: they count as authors (decisions/0004-data.md). */
import { beforeEach, expect, test } from 'vitest'
import { listCoauthors } from '../../api/names/coauthors.ts'
import { identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson } from '../../api/people/forget.ts'
import { readListResponse } from '../support/list-response.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const ada = { name: 'Ada', address: 'ada@example.org' }

test.each([
  ['Fix\n\nCo-authored-by: Ada <ada@example.org>', [ada]],
  ['Fix\r\n\r\nco-AUTHORED-by : Ada <ada@example.org> \r\n', [ada]],
  ['Co-authored-by:<ada@example.org>', [{ ...ada, name: '' }]],
  [
    '* One\n\nCo-authored-by: Ada <ada@example.org>\n\n* Two\n\nCo-authored-by: Bob B. <b@x>\n\nSigned-off-by: C <c@x>',
    [ada, { name: 'Bob B.', address: 'b@x' }],
  ],
  ['Co-authored-by: A <a@x> <ada@example.org>', [{ ...ada, name: 'A' }]],
  ['The trailer Co-authored-by: Ada <ada@example.org>', []],
  ['> Co-authored-by: Ada <ada@example.org>', []],
  ['Co-authored-by: Ada ada@example.org', []],
  ['Co-authored-by: Ada <ada@example.org> and Bob', []],
  ['Co-authored-by: Ada <>', []],
  ['Co-authored-by: Ada <ada>', []],
  ['Fix\rCo-authored-by: Ada <ada@example.org>', []],
  ['Fix\u2028Co-authored-by: Ada <ada@example.org>', []],
  ['Co-authored-by:\nAda <ada@example.org>', []],
  // Folded, as git reads trailers.
  ['Fix\n\nCo-authored-by: Ada\n <ada@example.org>', [ada]],
  ['Fix\r\n\r\nCo-authored-by:\r\n\tAda\r\n\t<ada@example.org>\r\n', [ada]],
  [
    'Co-authored-by: Ada\n <ada@example.org>\n <b@x>\nCo-authored-by: B\n  <b@x>',
    [ada, { name: 'B', address: 'b@x' }],
  ],
  ['Co-authored-by: Ada <ada@example.org>\n  of Example', [ada]],
  ['Co-authored-by: Ada\n\n <ada@example.org>', []],
  ['Co-authored-by: Ada\n Reviewed-by: B <b@x>', []],
  [`Co-authored-by: Ada${'\n and'.repeat(10)}\n <ada@example.org>`, []],
])('the co-authors of %j are %j', (message, coauthors) => {
  expect(listCoauthors(message)).toEqual(coauthors)
})

test('a message without an end names at most 250, and is read to its end', () => {
  expect(listCoauthors('Co-authored-by: A <a@x>\n'.repeat(1_000))).toHaveLength(250)
  for (const part of ['<', '<a', '> ', ' ', '<a> ', ':', '<@', '@', '\n ', '\n a', '\nCo-authored-by:\n <']) {
    expect(listCoauthors(`Co-authored-by: ${part.repeat(500_000)}x`)).toEqual([])
  }
})

describeOnOneDatabase('a co-author', (kind) => {
  const [owner, author] = [createUser(1, { login: 'owner' }), createUser(2, { email: 'author@example.org' })]
  const coauthor = createUser(3, { login: 'ada', email: 'ada@example.org' })
  const tool = createRepository(4, 'owner', ['react'])
  const commit = {
    ...createCommit(5, tool.url, 'author@example.org', 1_700_000_000),
    message:
      'Pair\n\nCo-authored-by: Ada <ADA@example.org>\nCo-authored-by: Author <2+author@users.noreply.forge.example>',
  }
  const service = useService(kind, { each: true, key: { role: 'admin' }, data: 'empty' })
  beforeEach(async () => {
    await loadRecords(service.sql, { users: [owner, author, coauthor], repos: [tool], commits: [commit] })
  })

  async function list(query: string): Promise<unknown> {
    const response = await service.request(`/users?${query}`, { key: service.key })
    return readListResponse(response).data.map(({ forge_rest_id: id }) => id)
  }

  test('uses what the repository declared, and is active', async () => {
    expect(await list('dependency_names=react')).toEqual([1, 2, 3])
    expect(await list('active_since=1700000000')).toEqual([2, 3])
    expect(await list('active_since=1700000001')).toEqual([])
  })

  test('is none any more once the message names somebody else', async () => {
    await loadRecords(service.sql, {
      commits: [{ ...commit, message: 'Pair\n\nCo-authored-by: Bob <bob@example.org>' }],
    })
    expect(await list('dependency_names=react')).toEqual([1, 2])
    expect(await list('active_since=1700000000')).toEqual([2])
  })

  test('counts from the next load of the commit on if an older version did not see the name', async () => {
    const { sql } = service
    const [stored] = await sql<{ members: string }[]>`select members from commits`
    await loadRecords(sql, { commits: [{ ...commit, message: 'Pair' }] })
    expect(await list('dependency_names=react')).toEqual([1, 2])
    await sql`update commits set members = ${stored?.members ?? ''}`
    await loadRecords(sql, { commits: [commit] })
    expect(await list('dependency_names=react')).toEqual([1, 2, 3])
  })

  test('who is forgotten is in no commit, and its author stays one', async () => {
    await forgetPerson(service.sql, { identities: [identifyLogin('ada')], keepRepositories: true })
    expect(await list('dependency_names=react')).toEqual([1, 2])
    const [row] = await service.sql`
      select to_json(coauthor_identities) as others, members, (select count(*) from contributions) as contributions
      from commits`
    expect(row).toMatchObject({ others: ['id:2'], contributions: 3 })
    expect(row?.members).not.toMatch(/ada/i)
  })

  test('stays one whose commit loses its author, who is forgotten', async () => {
    await forgetPerson(service.sql, { identities: ['id:2'], keepRepositories: true })
    expect(await list('dependency_names=react')).toEqual([1, 3])
  })
})
