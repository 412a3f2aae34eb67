/** What a client sees after a backup was restored, and `devdata restored` was run (decisions/0003-lists.md). */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { selectTime } from '../../api/database/connect.ts'
import { markRestored } from '../../api/dataset/restored-dataset.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { exportNdjson } from '../../api/sources/ndjson/export.ts'
import { clusterUrl } from '../support/citus.ts'
import { locationOf, readJson, runCommand } from '../support/command-line.ts'
import { createFolder } from '../support/export-folder.ts'
import { readListResponse } from '../support/list-response.ts'
import { readDatasetVersion } from '../support/ndjson.ts'
import { findPostgresBinaries } from '../support/postgres-binaries.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnServer } from '../support/server.ts'
import { describeOnOneDatabase, startTestService, useService } from '../support/service.ts'

describeOnOneDatabase('a restored dataset', (kind) => {
  const service = useService(kind, { each: true, key: { credits: 1_000 }, data: 'empty' })
  /** As the backup has it: versions 0 to 3. */
  beforeEach(async () => {
    await loadRecords(service.sql, {
      users: [1, 2, 3].map((number) => createUser(number)),
      repos: [createRepository(1, 'user-1', ['react'])],
    })
    await loadRecords(service.sql, { users: [createUser(2, { followers: 7 })] })
    await removeRows(service.sql, { users: [3] })
  })

  const request = (path: string, headers: Record<string, string> = {}) =>
    service.request(path, { key: service.key, headers })

  test('has a version beyond any before, for which all changes are known, and for no earlier one', async () => {
    const { version, previousVersion } = await markRestored(service.sql)
    expect(previousVersion).toBe(3)
    expect(Number.isSafeInteger(version)).toBe(true)
    for (const earlier of [0, 3, 4, version - 1]) {
      for (const path of ['/users?changed_since=', '/repos?changed_since=', '/removals?since=']) {
        const { status, headers } = await request(`${path}${earlier}`)
        expect([path, earlier, status, headers.get('X-Error-Code')]).toEqual([
          ...[path, earlier, 410],
          'changes_expired',
        ])
      }
      await using folder = await createFolder()
      await expect(exportNdjson(service.sql, folder.path, { since: earlier })).rejects.toThrow(
        `only changes since version ${version} are still available`,
      )
    }
    const all = await request('/users')
    expect([all.headers.get('X-Dataset-Version'), readListResponse(all).total]).toEqual([String(version), 2])
    for (const path of ['/users?changed_since=', '/repos?changed_since=', '/removals?since=']) {
      expect([path, readListResponse(await request(`${path}${version}`)).total]).toEqual([path, 0])
    }

    await loadRecords(service.sql, { users: [createUser(1, { followers: 8 }), createUser(4)] })
    await removeRows(service.sql, { users: [2] })
    expect(await readDatasetVersion(service)).toBe(version + 2)
    const changed = readListResponse(await request(`/users?changed_since=${version}`))
    expect(changed.data.map(({ forge_rest_id: id }) => id)).toEqual([1, 4])
    const removed = readListResponse(await request(`/removals?since=${version}`))
    expect(removed.data).toEqual([{ forge_rest_id: 2, kind: 'user', version: version + 2 }])
  })

  test('has a higher version each time, also if the same backup is restored again', async () => {
    const first = await markRestored(service.sql)
    for (const followers of [1, 2, 3]) {
      await loadRecords(service.sql, { users: [createUser(1, { followers })] })
    }
    const lost = await readDatasetVersion(service)
    expect(lost).toBe(first.version + 3)
    await service.sql`update dataset set version = 3, changes_since = 0` // what a version is made of is in the backup
    const second = await markRestored(service.sql)
    expect(second.version).toBeGreaterThan(lost)
    const ahead = Date.now() + 86_400_000 // the clock was set back since
    await service.sql`update dataset set version = ${ahead}`
    expect((await markRestored(service.sql)).version).toBe(ahead + 1)
  })

  test('keeps entity tags, cached responses, filters and idempotency keys right', async () => {
    const paths = ['/users?location=x', '/users', '/users/user-1', '/repos/user-1/repo-1', '/repos']
    const read = async (path: string, headers?: Record<string, string>) => {
      const { status, headers: received, text } = await request(path, headers)
      return { status, tag: received.get('ETag') ?? '', version: received.get('X-Dataset-Version'), text }
    }
    for (const path of paths) for (let round = 0; round < 3; round++) await read(path) // the third is from the cache
    const before = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)))
    const idempotency = { 'Idempotency-Key': 'before the restore' }
    await request('/users?per_page=1', idempotency)
    const { charged } = await service.readLedger(service.keyId)

    const { version } = await markRestored(service.sql)
    for (const [path, { tag }] of before) {
      const same = await read(path, { 'If-None-Match': tag })
      expect([path, same.status, same.version]).toEqual([path, 304, String(version)])
    }
    expect((await request('/users?per_page=1', idempotency)).headers.get('X-Credits-Cost')).toBe('0')
    expect((await service.readLedger(service.keyId)).charged).toBe(charged)
    expect((await verifyLedger(service.sql)).problems).toEqual([])

    await loadRecords(service.sql, {
      users: [createUser(1, { followers: 9, location: 'x' })],
      repos: [createRepository(1, 'user-1', ['hono'])],
    })
    for (const [path, { tag }] of before) {
      const other = await read(path, { 'If-None-Match': tag })
      // The dependencies of a repository aren't part of its own resource.
      const status = path === '/repos/user-1/repo-1' ? 304 : 200
      expect([path, other.status, other.version]).toEqual([path, status, String(version + 1)])
    }
  })

  test('is marked by a command, which says until when the database knows what happened', async () => {
    await request('/users/user-1')
    const [known] = await service.sql<{ at: string }[]>`
      select ${selectTime(service.sql, service.sql`max(created_at)`)} as at from ledger`
    const location = locationOf(service)
    const { code, stdout, stderr } = await runCommand(['restored'], location)
    const version = await readDatasetVersion(service)
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        `The dataset has version ${version} now, and had 3 in the backup. Copies with an earlier version are fetched again.\n` +
        '0 connections of assistants were ended, because some may have been ended after the backup. People connect theirs again.\n' +
        `The database knows what happened until ${known?.at.slice(0, 16).replace('T', ' ')}Z. ` +
        'Repeat what was done later: credits that were granted, keys that were created, rotated, revoked or deleted, people ' +
        'who were forgotten, and loads.\n',
      stderr: '',
    })
    const json = await readJson((args) => runCommand(args, location), ['restored', '--yes'])
    expect(json).toEqual({
      dataset_version: await readDatasetVersion(service),
      previous_dataset_version: version,
      known_until: expect.any(String),
      ended_connections: 0,
    })
  })
})

describeOnServer('a database that was restored with pg_restore', () => {
  // pg_dump takes no search_path, which chooses the test's schema on a cluster.
  test.skipIf(clusterUrl !== undefined)('gives no version of the lost loads again', async () => {
    const service = await startTestService('postgresql', { data: 'empty' })
    const folder = await mkdtemp(join(tmpdir(), 'devdata-dump-'))
    const dump = join(folder, 'dump')
    const { directory = '' } = findPostgresBinaries() ?? {}
    const run = promisify(execFile)
    try {
      const { databaseUrl = '' } = service.location
      const { secret } = await service.createKey()
      await loadRecords(service.sql, { users: [createUser(1)] })
      await run(join(directory, 'pg_dump'), ['--format=custom', `--file=${dump}`, databaseUrl])
      await loadRecords(service.sql, { users: [createUser(2)] })
      const lost = await readDatasetVersion(service)
      await service.sql`drop schema public cascade`
      await service.sql`create schema public`
      await run(join(directory, 'pg_restore'), [
        ...['--schema=public', '--single-transaction', `--dbname=${databaseUrl}`, dump],
      ])
      await runCommand(['restored'], locationOf(service))
      // Without the jump, this load would have the version of the lost one, and its user would never be listed.
      await loadRecords(service.sql, { users: [createUser(3)] })
      const { status } = await service.request(`/users?changed_since=${lost}`, { key: secret })
      expect(status).toBe(410)
    } finally {
      await service.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
