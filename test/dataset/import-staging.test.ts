import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { applyImport } from '../../api/dataset/apply-load.ts'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { foldText } from '../../api/names/case-folding.ts'
import { findSources, importNdjson } from '../../api/sources/ndjson/import.ts'
import { holdLivenessLock } from '../../api/staging/liveness-lock.ts'
import { parseItem } from '../../api/staging/records.ts'
import { beginStaging, dropDeadLoads, type Staging } from '../../api/staging/staging.ts'
import { stagingTable } from '../../api/staging/staging-tables.ts'
import { readCatalog } from '../support/catalog.ts'
import { readListResponse } from '../support/list-response.ts'
import { createRepository, createUser, loadRecords, testOrigin } from '../support/records.ts'
import { describeOnServer } from '../support/server.ts'
import {
  describeOnEachDatabase,
  describeOnOneDatabase,
  type TestService,
  useService,
} from '../support/service.ts'

const sampleDirectory = join(import.meta.dirname, '..', '..', 'sample')

/** Stages the sample data. */
async function stageSample({ sql }: TestService): Promise<Staging> {
  const staging = await beginStaging(sql)
  for (const [index, kind] of (['users', 'repos', 'commits'] as const).entries()) {
    const lines = (await readFile(join(sampleDirectory, `${kind}.ndjson`), 'utf8')).trimEnd().split('\n')
    for (const [number, line] of lines.entries()) {
      await staging.add(index * 1e6 + number, parseItem(kind, line))
    }
  }
  await staging.flush()
  return staging
}

describeOnOneDatabase('a load', (kind) => {
  const service = useService(kind, { each: true, key: {}, data: 'empty' })
  const whole = useService(kind)
  let expected: Awaited<ReturnType<typeof readCatalog>>
  beforeAll(async () => {
    expected = await readCatalog(whole, (await whole.createKey()).secret)
  })

  test('shows nothing of what it stages until it is applied, and then all of it', async () => {
    const staging = await stageSample(service)
    for (const path of [
      '/users',
      '/repos',
      '/users?location=berlin',
      '/repos?dependency_files=package.json',
    ]) {
      expect([path, readListResponse(await service.request(path, { key: service.key })).total]).toEqual([
        path,
        0,
      ])
    }
    expect((await service.request('/users/ngoldberg', { key: service.key })).status).toBe(404)

    expect(await applyImport(service.sql, staging.id, { origin: testOrigin })).toEqual({
      users: { added: 300, updated: 0, removed: 0 },
      addresses: { added: 0, updated: 0, removed: 0 },
      repositories: { added: 400, updated: 0, removed: 0 },
      commits: { added: expected.commits.length, updated: 0, removed: 0 },
      version: 1,
    })
    await staging.end()
    expect(await readCatalog(service, service.key)).toEqual(expected)
  })

  // A plan for all terms together would read all terms of the load again for each batch.
  test('tells the planner to look up terms one by one, before it looks up the first', async () => {
    const statements: string[] = []
    const { debug } = service.sql.options
    service.sql.options.debug = (_connection, statement) => statements.push(statement)
    const staging = await beginStaging(service.sql)
    await staging.add(1, { kind: 'users', record: createUser(1, { location: 'Berlin' }) })
    await staging.flush()
    service.sql.options.debug = debug
    await staging.discard()
    const find = (text: string) => statements.findIndex((statement) => statement.includes(text))
    expect(find('enable_hashjoin')).toBeLessThan(find('left join "locations"'))
    expect(find('enable_hashjoin')).toBeGreaterThan(0)
  })

  test('beside another one loses nothing of either', async () => {
    const sources = await findSources([sampleDirectory])
    const results = await Promise.all([
      importNdjson(service.sql, { sources: sources.filter(({ kind }) => kind === 'users') }),
      importNdjson(service.sql, { sources: sources.filter(({ kind }) => kind !== 'users') }),
    ])
    expect(results.map(({ version }) => version).sort()).toEqual([1, 2])
    expect(await readCatalog(service, service.key)).toEqual(expected)
  })
})

describeOnEachDatabase('terms that a load has reserved ids for', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })

  /** Stages users and their repositories, with the same places and dependencies in each load. */
  async function stage(first: number): Promise<Staging> {
    const staging = await beginStaging(service.sql)
    for (const number of [first, first + 1]) {
      const user = createUser(number, { location: `Berlin ${number % 2}`, company: 'c' })
      const repo = createRepository(number, user.login, ['react', 'vue', `own-${number}`], { language: 'Go' })
      await staging.add(2 * number, { kind: 'users', record: user })
      await staging.add(2 * number + 1, parseItem('repos', JSON.stringify(repo)))
    }
    await staging.flush()
    return staging
  }

  test('are one for all loads beside each other, and sets, counts and dates are right', async () => {
    const stagings = [await stage(10), await stage(20), await stage(30)]
    for (const staging of stagings) {
      await applyImport(service.sql, staging.id, { origin: testOrigin })
      await staging.end()
    }
    expect(await verifySets(service.sql, 'all')).toMatchObject({ faults: [] })
    const { secret } = await service.createKey()
    for (const [path, total] of [
      ['/users?location=berlin%201', 3],
      ['/users?dependency_names=vue', 6],
      ['/repos?dependency_names=own-21', 1],
      ['/repos?language=go', 6],
    ] as const) {
      expect([path, readListResponse(await service.request(path, { key: secret })).total]).toEqual([
        path,
        total,
      ])
    }
    const twins =
      await service.sql`select name, file from dependencies group by name, file having count(*) > 1`
    expect(twins).toHaveLength(0)
  })

  test('are not added if only lines that do not count name them', async () => {
    const staging = await beginStaging(service.sql)
    const createItem = (dependency: string) =>
      parseItem('repos', JSON.stringify(createRepository(1, 'a', [dependency])))
    await staging.add(1, createItem('superseded'))
    await staging.add(2, createItem('react'))
    await staging.add(3, { kind: 'users', record: createUser(9, { location: 'Secret Street 5' }) })
    await staging.flush([9])
    await applyImport(service.sql, staging.id, { origin: testOrigin })
    await staging.end()
    expect(await service.sql`select name from dependencies where name <> ''`).toEqual([{ name: 'react' }])
    expect(await service.sql`select from locations`).toHaveLength(0)
  })

  test('are dropped with the tables of a load that an older version has cleaned up', async () => {
    const staging = await stage(1)
    await staging.end()
    await service.sql`delete from imports`
    await dropDeadLoads(service.sql)
    expect(
      await service.sql`select from pg_class where relname ~ '^import_.*_[0-9]+$' and relkind = 'r'`,
    ).toHaveLength(0)
  })
})

describeOnEachDatabase('what a load has staged', (kind) => {
  const service = useService(kind, { data: 'empty' })

  test('is missed when a crash of the database has emptied it, and nothing is changed', async () => {
    const staging = await stageSample(service)
    await service.sql`truncate ${service.sql(stagingTable('repos', staging.id))}`
    await expect(applyImport(service.sql, staging.id, { origin: testOrigin })).rejects.toThrow(
      'The database crashed and lost the staged lines. Nothing was changed; run the import again',
    )
    await staging.discard()
    const { secret } = await service.createKey()
    expect(readListResponse(await service.request('/users', { key: secret })).total).toBe(0)
  })

  test('is the same that came, whatever characters it has', async () => {
    const texts = [
      '\\',
      '\\N',
      '\\.',
      'a\tb',
      'a\nb\r\nc',
      '"',
      '{},"\\',
      "'",
      '',
      '🌍',
      '\u2028',
      '\\\\n',
      'NULL',
    ]
    const staging = await beginStaging(service.sql)
    const users = texts.map((text, position) => ({ ...createUser(position), name: text, location: text }))
    const addresses = texts.filter((text) => text !== '')
    for (const [position, record] of users.entries()) {
      await staging.add(position, { kind: 'users', record })
      await staging.add(position, {
        kind: 'identities',
        record: { forge_rest_id: record.forge_rest_id, addresses },
      })
    }
    await staging.flush()
    const staged = service.sql(stagingTable('users', staging.id))
    const rows = await service.sql`
      select location_key, u.document::json as user, to_json(i.identities) as identities
      from ${staged} u join ${service.sql(stagingTable('identities', staging.id))} i using (position)
        left join ${service.sql(stagingTable('locations', staging.id))} l on l.id = any(u.term_ids)
      order by position`
    const identities = addresses.map((text) => `email:${foldText(text)}`)
    expect(rows.map((row) => ({ ...row, identities: [...row.identities].sort() }))).toEqual(
      users.map((user) => ({
        location_key: user.location === '' ? null : foldText(user.location), // an empty text is no term
        user,
        identities: identities.toSorted(),
      })),
    )
    await staging.discard()
  })

  test('is refused when a row of it does not fit, and the next load goes on', async () => {
    const staging = await beginStaging(service.sql)
    // No record that was validated has such an id.
    const record = { ...createUser(1), forge_rest_id: 2 ** 63 }
    await expect(staging.add(1, { kind: 'users', record })).rejects.toThrow('out of range')
    await staging.discard()
    await loadRecords(service.sql, { users: [] })
    expect(await service.sql`select from imports`).toHaveLength(0)
  })
})

describeOnServer('a load', () => {
  const service = useService('postgresql', { data: 'empty' })

  test('takes another number than a load that runs in another schema of the database', async () => {
    const first = await beginStaging(service.sql)
    await first.discard()
    const end = await holdLivenessLock(service.sql, first.id + 1)
    expect(await holdLivenessLock(service.sql, first.id + 1)).toBeUndefined()
    const second = await beginStaging(service.sql)
    expect(second.id).toBe(first.id + 2)
    await second.discard()
    await end?.()
  })
})
