import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addAhead, giveUp } from '../api/import/apply/ahead.ts'
import { applyImport, finishImport } from '../api/import/apply/apply.ts'
import { findSources, importNdjson } from '../api/import/ndjson.ts'
import { readRecord, recordKinds } from '../api/import/records.ts'
import { beginStaging, type Staging, stagingTable } from '../api/import/staging.ts'
import { readCatalog } from './support/catalog.ts'
import { readListAnswer } from './support/list-answer.ts'
import { loadRecords } from './support/records.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const sampleDirectory = join(import.meta.dirname, '..', 'sample')

/** Stages the sample data, which takes many steps to add. */
async function stageSample({ sql }: TestService): Promise<Staging> {
  const staging = await beginStaging(sql)
  for (const [index, kind] of recordKinds.entries()) {
    const lines = (await readFile(join(sampleDirectory, `${kind}.ndjson`), 'utf8')).trimEnd().split('\n')
    for (const [number, line] of lines.entries()) {
      await staging.add(kind, index * 1e6 + number, readRecord(kind, line))
    }
  }
  await staging.flush()
  return staging
}

describe('a load on the embedded database', () => {
  let service: TestService
  let key: string
  let whole: TestService
  let expected: Awaited<ReturnType<typeof readCatalog>>
  beforeAll(async () => {
    whole = await startTestService('embedded')
    expected = await readCatalog(whole, (await whole.createKey()).secret)
  })
  afterAll(() => whole.close())
  beforeEach(async () => {
    service = await startTestService('embedded', { data: 'empty' })
    key = (await service.createKey()).secret
  })
  afterEach(() => service.close())

  async function expectNothingVisible(): Promise<void> {
    for (const path of [
      '/users',
      '/repos',
      '/users?location=berlin',
      '/users?dependency_names=react',
      '/repos?dependency_files=package.json',
    ]) {
      expect([path, readListAnswer(await service.request(path, { key })).total]).toEqual([path, 0])
    }
    for (const path of [
      '/users/ngoldberg',
      '/repos/yarrow-collective/monolith',
      '/repos/yarrow-collective/monolith/commits',
      '/repos/yarrow-collective/platform/dependencies',
    ]) {
      expect([path, (await service.request(path, { key })).status]).toEqual([path, 404])
    }
  }

  test('shows nothing of what it adds ahead until it is applied, and then all of it', async () => {
    const staging = await stageSample(service)
    const added = await addAhead(service.sql, staging.id)
    expect(added).toEqual({ users: 300, repositories: 400, commits: expected.commits.length })
    await expectNothingVisible()

    const result = await finishImport(service.sql, staging.id, added, true)
    expect(result).toMatchObject({
      users: { added: 300, updated: 0 },
      repositories: { added: 400, updated: 0 },
    })
    expect(await readCatalog(service, key)).toEqual(expected)
  })

  test('that dies while it adds is cleared away by the next one', async () => {
    const dead = await stageSample(service)
    await addAhead(service.sql, dead.id)
    await service.sql`update imports set touched_at = now() - interval '10 minutes' where id = ${dead.id}`

    const users = await findSources([sampleDirectory], 'users')
    await importNdjson(service.sql, { sources: users.filter(({ kind }) => kind === 'users') })
    const [left] = await service.sql`
      select (select count(*) from users) as users, (select count(*) from repositories) as repositories,
        (select count(*) from commits) as commits, (select count(*) from dependency_users) as postings`
    expect(left).toEqual({ users: 300, repositories: 0, commits: 0, postings: 0 })

    await importNdjson(service.sql, { sources: await findSources([sampleDirectory]) })
    expect(await readCatalog(service, key)).toEqual(expected)
  })

  test('that was taken for dead is refused when it goes on, and harms nothing', async () => {
    const stalled = await stageSample(service)
    const added = await addAhead(service.sql, stalled.id)
    await service.sql`update imports set touched_at = now() - interval '10 minutes' where id = ${stalled.id}`
    await importNdjson(service.sql, { sources: await findSources([sampleDirectory]) })

    const refusal = 'Another load took this one for dead'
    await expect(finishImport(service.sql, stalled.id, added, true)).rejects.toThrow(refusal)
    await giveUp(service.sql, stalled.id)
    expect(await readCatalog(service, key)).toEqual(expected)
  })

  test('of which two come at once loses nothing of either', async () => {
    const sources = await findSources([sampleDirectory])
    const results = await Promise.all([
      importNdjson(service.sql, { sources: sources.filter(({ kind }) => kind === 'users') }),
      importNdjson(service.sql, { sources: sources.filter(({ kind }) => kind !== 'users') }),
    ])
    expect(results.map(({ version }) => version).sort()).toEqual([1, 2])
    expect(await readCatalog(service, key)).toEqual(expected)
  })

  test('lets readers in between its steps', async () => {
    const staging = await stageSample(service)
    let applied = false
    let reads = 0
    const reading = (async () => {
      while (!applied) {
        await service.request('/users', { key })
        reads++
      }
    })()
    await applyImport(service.sql, staging.id)
    applied = true
    await reading
    // With one transaction for all of it there would be the one that waits for it, and perhaps one before.
    expect(reads).toBeGreaterThan(10)
  })

  test('never loses a published row', async () => {
    await importNdjson(service.sql, { sources: await findSources([sampleDirectory]) })
    for (const statement of [
      service.sql`delete from users where id = 300`,
      service.sql`delete from repositories where id = 1`,
      service.sql`truncate users`,
    ]) {
      await expect(statement).rejects.toThrow('rows are never deleted')
    }
  })
})

describeOnEachDatabase('what a load has staged', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
  })
  afterAll(() => service.close())

  test('is missed when a crash of the database has emptied it, and nothing is changed', async () => {
    const staging = await stageSample(service)
    await service.sql`truncate ${service.sql(stagingTable('repos', staging.id))}`
    await expect(applyImport(service.sql, staging.id)).rejects.toThrow(
      'The database lost what was staged, in a crash; load again; nothing was changed',
    )
    await staging.discard()
    const { secret } = await service.createKey()
    expect(readListAnswer(await service.request('/users', { key: secret })).total).toBe(0)
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
    for (const [position, text] of texts.entries()) {
      await staging.add('users', position, {
        forge_rest_id: position,
        login_key: text,
        identities: [text, ...texts],
        location_key: position % 2 === 0 ? null : text,
        document: text,
      })
    }
    await staging.flush()
    const rows = await service.sql`
      select login_key, to_json(identities) as identities, location_key, document
      from ${service.sql(stagingTable('users', staging.id))} order by position`
    expect([...rows]).toEqual(
      texts.map((text, position) => ({
        login_key: text,
        identities: [text, ...texts],
        location_key: position % 2 === 0 ? null : text,
        document: text,
      })),
    )
    await staging.discard()
  })

  test('is refused when a row of it does not fit, and the connection goes on', async () => {
    const staging = await beginStaging(service.sql)
    await staging.add('users', 1, {
      forge_rest_id: 1,
      login_key: 'A',
      identities: [],
      location_key: null,
      document: null,
    })
    await expect(staging.flush()).rejects.toThrow('violates not-null constraint')
    await staging.discard()
    await loadRecords(service.sql, { users: [] })
    expect(await service.sql`select from imports`).toHaveLength(0)
  })
})
