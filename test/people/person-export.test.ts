/** What a person gets who asks for everything about them (decisions/0004-data.md). */
import { beforeEach, expect, test } from 'vitest'
import { identifyAddress, identifyForgeId, identifyLogin } from '../../api/names/forge-names.ts'
import { exportPerson } from '../../api/people/person-export.ts'
import { forgetZelda, hasAny, loadAll, names, others, own, toolUrl } from '../support/forgotten.ts'
import { load } from '../support/ndjson.ts'
import { createCommit, createDependency, createRepository } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('an export of a person', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  beforeEach(async () => {
    await loadAll(service.sql)
  })

  test('has all that forgetting would take out, whichever name is given', async () => {
    const [user] = own.users
    const [repository] = own.repos
    await load(service, { identities: [{ forge_rest_id: 4711, addresses: ['z@work.example'] }] })
    for (const identity of [
      identifyLogin('zelda-q'),
      identifyForgeId(4711),
      identifyAddress('z@work.example') ?? '',
    ]) {
      const exported = await exportPerson(service.sql, [identity])
      expect(exported).toMatchObject({
        dataset_version: 2,
        is_forgotten: false,
        users: [
          {
            record: user,
            further_addresses: ['z@work.example'],
            country: null,
            is_automation_account: false,
            last_commit: '1970-01-01T00:00:50.000Z',
            uses: [
              {
                name: 'hono',
                status: 'active',
                since: '1970-01-01T00:00:01.000Z',
                repositories: ['Zelda-Q/zelda-q'],
              },
              {
                name: 'zod',
                status: 'active',
                since: '1970-01-01T00:00:10.000Z',
                repositories: ['bob/tool'],
              },
            ],
            origin: {
              dataset_version: 1,
              load: { command: 'import ndjson', source: 'users, repos, commits' },
            },
          },
        ],
        repositories: [
          { record: { full_name: repository?.full_name, dependencies: [{ status: 'active' }] } },
        ],
        requests: { count: 0, first: null, last: null },
      })
      const roles = exported.commits.map(({ repository, person_is }) => [repository, ...person_is])
      expect(roles.sort()).toEqual([
        ['https://forge.example/Zelda-Q/zelda-q', 'author', 'committer'],
        [toolUrl, 'author', 'committer'],
        [toolUrl, 'author', 'committer'],
        [toolUrl, 'author', 'committer'],
        [toolUrl, 'co-author', 'named in the message'],
        [toolUrl, 'committer'],
      ])
    }
  })

  test('names the load that brought each record last, and none if another command changed it', async () => {
    const startedAt = new Date()
    await load(service, {
      repos: [createRepository(502, 'bob', ['zod'], { url: toolUrl, name: 'tool', description: 'new' })],
    })
    await load(service, { users: others.users }) // it changes nothing
    const { commits } = await exportPerson(service.sql, [identifyLogin('bob')])
    const { repositories } = await exportPerson(service.sql, [identifyLogin('bob')])
    expect(commits[0]?.origin.dataset_version).toBe(1)
    const [origin] = repositories.map(({ origin }) => origin)
    expect(origin).toMatchObject({ dataset_version: 2, load: { command: 'import ndjson' } })
    expect(Date.parse(origin?.load?.started_at ?? '')).toBeGreaterThanOrEqual(startedAt.getTime() - 1_000)
    await forgetZelda(service.sql)
    const carol = await exportPerson(service.sql, [identifyAddress('bob@example.com') ?? ''])
    const redacted = carol.commits.filter(({ origin }) => origin.load === undefined)
    expect(redacted.map(({ origin }) => origin)).toEqual([{ dataset_version: 3 }, { dataset_version: 3 }])
  })

  test('counts the requests that named the person', async () => {
    const { secret: key } = await service.createKey({ credits: 10 })
    for (const path of ['/users/ZELDA-Q', '/repos/zelda-q/zelda-q', '/users/bob', '/users?location=elm']) {
      expect((await service.request(path, { key })).status).toBe(200)
    }
    const { requests } = await exportPerson(service.sql, [identifyLogin('zelda-q')])
    expect(requests).toEqual({ count: 2, first: expect.any(String), last: expect.any(String) })
  })

  test('of somebody whom only commits name has these', async () => {
    await load(service, { commits: [createCommit(90, toolUrl, 'new@example.com', 90)] })
    const exported = await exportPerson(service.sql, [identifyAddress('NEW@example.com') ?? ''])
    expect(exported).toMatchObject({ users: [], repositories: [], commits: [{ repository: toolUrl }] })
  })

  test('says of a use that may have begun at any time that its time is unknown', async () => {
    const url = 'https://forge.example/carol/kit'
    const undated = { ...createDependency(url, 'zod'), first_use_date: null }
    await load(service, {
      repos: [
        createRepository(503, 'carol', [], {
          url,
          name: 'kit',
          dependencies: [undated, createDependency(url, 'hono')],
        }),
      ],
      commits: [createCommit(91, url, 'carol@example.com', 91)],
    })
    const { users } = await exportPerson(service.sql, [identifyLogin('carol')])
    const uses = users.flatMap(({ uses }) => uses).map(({ name, since }) => [name, since])
    expect(uses).toEqual([
      ['hono', '1970-01-01T00:00:01.000Z'],
      ['zod', null],
    ])
  })

  test('of a forgotten person says that alone', async () => {
    await forgetZelda(service.sql)
    const exported = await exportPerson(service.sql, [identifyLogin('zelda-q')])
    expect(exported).toMatchObject({ is_forgotten: true, users: [], repositories: [], commits: [] })
    expect(hasAny(JSON.stringify(exported), names)).toBe(false)
  })
})
