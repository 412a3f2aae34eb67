/** @module-tag later */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import * as v from 'valibot'
import { afterAll, beforeAll, test } from 'vitest'
import { listMigrations, migrationLock } from '../../api/database/migrate.ts'
import { readVersionFixture } from '../../release/version-fixture.ts'
import { type Run, readJson, runCommand, sampleDirectory } from '../support/command-line.ts'
import { databaseUrl } from '../support/databases.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { describeOnServer, getServerUrl } from '../support/server.ts'

describeOnServer('devdata on PostgreSQL', { concurrent: true }, () => {
  let admin: postgres.Sql
  const names: string[] = []
  beforeAll(() => {
    admin = postgres(getServerUrl(), { max: 1, onnotice: () => {} })
  })
  afterAll(async () => {
    for (const name of names) await admin`drop database ${admin(name)} with (force)`
    await admin.end()
  })

  async function createDatabase() {
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await admin`create database ${admin(name)}`
    names.push(name)
    const url = databaseUrl(getServerUrl(), name)
    return { url, run: runOn(url) }
  }

  function runOn(url: string, settings: Record<string, string> = {}): Run {
    const environment = { DATABASE_URL: url, ...settings }
    return (args) => runCommand(args, { environment, directory: import.meta.dirname })
  }

  test('leaves the schema alone with all commands but migrate, and says so', async ({ expect }) => {
    const { url, run } = await createDatabase()
    for (const args of [
      ['keys', 'create'],
      ['keys', 'list'],
      ['import', 'ndjson', sampleDirectory],
    ]) {
      expect(await run(args)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'The database has no devdata schema yet; run this first: npm run -s devdata -- migrate\n',
      })
    }
    const sql = postgres(url, { max: 1 })
    expect(await sql`select from information_schema.tables where table_schema = 'public'`).toHaveLength(0)

    const all = listMigrations().map(({ name }) => name)
    expect(await run(['migrate'])).toEqual({
      code: 0,
      stdout: all.map((name) => `Applied ${name}\n`).join(''),
      stderr: '',
    })
    expect(await run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date\n', stderr: '' })
    expect(await readJson(run, ['keys', 'list'])).toEqual([])
    await sql.end()
  })

  test('says with --plan what migrate would do, and changes nothing', async ({ expect }) => {
    const { url, run } = await createDatabase()
    const count = listMigrations().length
    expect(await run(['migrate', '--plan'])).toEqual({
      code: 0,
      stdout: `The database has no devdata schema yet. ${count} migrations would create it.\n`,
      stderr: '',
    })
    const sql = postgres(url, { max: 1 })
    await sql`set standard_conforming_strings = on` // which the dump expects
    await sql.unsafe(readVersionFixture('0.1.0').dump).simple()
    const { stdout } = await run(['migrate', '--plan'])
    expect(stdout).toContain(
      '0002_derived_terms.sql\n  dataset, 1 MB: blocks reads and writes, touches no rows\n',
    )
    expect(stdout).toContain(
      'Estimate: about 1 second, if the server reads 100 MB or writes 20 MB a second and no lock has to be waited for.\n' +
        'Rolling upgrade: yes. Instances that run on this schema (newest migration: 1) can keep running ',
    )
    expect(stdout).toContain('After the upgrade, these filters return 503 until ')
    expect(await readJson(run, ['migrate', '--plan'])).toMatchObject({
      newest: 1,
      is_rolling: true,
      estimated_seconds: 1,
      migrations: listMigrations()
        .slice(1)
        .map(({ name }) => ({ name })),
    })
    expect(await sql`select number from public.migrations`).toEqual([{ number: 1 }])
    await sql.end()
    await run(['migrate'])
    expect((await run(['migrate', '--plan'])).stdout).toBe('The schema is up to date\n')
  })

  test('migrates once, though two migrate at the same time', async ({ expect }) => {
    const { run } = await createDatabase()
    const results = await Promise.all([readJson(run, ['migrate']), readJson(run, ['migrate'])])
    const applied = results.flatMap(
      (result) => v.parse(v.object({ applied: v.array(v.string()) }), result).applied,
    )
    expect(applied).toEqual(listMigrations().map(({ name }) => name))
  })

  test('lets migrate wait for another one for longer than a statement of a request may take', async ({
    expect,
  }) => {
    const { url } = await createDatabase()
    const sql = postgres(url, { max: 1 })
    const migrating = await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${migrationLock})`
      const migrating = runOn(url, { DATABASE_STATEMENT_TIMEOUT_SECONDS: '6' })(['migrate'])
      await expect.poll(() => countLockWaits(tx)).toBe(1)
      await sleep(12_000) // it would be given up after 11
      return { migrating }
    })
    expect(await migrating.migrating).toMatchObject({ code: 0, stderr: '' })
    await sql.end()
  })

  test('leaves the schema of a newer version as it is, and refuses it in words if this one can’t run on it', async ({
    expect,
  }) => {
    const { url, run } = await createDatabase()
    await run(['migrate'])
    const sql = postgres(url, { max: 1 })
    const newest = listMigrations().length
    await sql`
      insert into migrations (number, name, checksum, compatible_since)
      values (9999, '9999_of_the_future.sql', '', ${newest})`
    expect(await run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date\n', stderr: '' })
    expect(await readJson(run, ['keys', 'list'])).toEqual([])
    await sql`update migrations set compatible_since = 9999 where number = 9999`
    const refusal = {
      code: 1,
      stdout: '',
      stderr:
        `The database has migration 9999, on which this version of devdata can't run (it has migrations up to ${newest}); ` +
        'run the version that applied it, or a newer one\n',
    }
    for (const command of [['migrate'], ['keys', 'list']]) expect(await run(command)).toEqual(refusal)
    await sql.end()
  })

  test('refuses in words a database that does not exist', async ({ expect }) => {
    const { code, stdout, stderr } = await runOn(databaseUrl(getServerUrl(), 'nobody_made_this'))([
      'keys',
      'list',
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      'DATABASE_URL: the database refused access: database "nobody_made_this" does not exist\n',
    )
  })
})
