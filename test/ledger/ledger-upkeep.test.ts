/** Looking after the ledger: verifying it, folding its old entries, and having it back from a backup. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../api/database/database.ts'
import { grantCredits } from '../../api/ledger/keys.ts'
import { pruneLedger } from '../../api/ledger/prune.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { locationOf, runCommand } from '../support/command-line.ts'
import { testPool } from '../support/databases.ts'
import { createInstance } from '../support/instance.ts'
import { findPostgresBinaries } from '../support/postgres-binaries.ts'
import { describeOnEachDatabase, startTestService, useService } from '../support/service.ts'

const usageSchema = v.object({
  data: v.array(
    v.looseObject({
      entry: v.number(),
      kind: v.string(),
      cost: v.number(),
      granted: v.number(),
      balance: v.number(),
    }),
  ),
})

describeOnEachDatabase('the ledger', (kind) => {
  const service = useService(kind)

  async function run(...args: string[]) {
    return runCommand(['ledger', ...args], locationOf(service))
  }
  async function spend(key: string, times: number, path = '/users?per_page=3') {
    for (let time = 0; time < times; time++) {
      expect((await service.request(path, { key })).status).toBe(200)
    }
  }
  async function readUsage(key: string, path = '/api-key/usage?per_page=100') {
    return v.parse(usageSchema, (await service.request(path, { key })).json()).data
  }
  /** Moves a key's entries back in time, as if they had been made then. */
  async function age(keyId: number, days: number) {
    const { sql } = service
    await sql`update ledger set created_at = created_at - make_interval(days => ${days}) where api_key_id = ${keyId}`
    await sql`update ledger_days set day = day - ${days}::integer where api_key_id = ${keyId}`
  }
  const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)

  describe('has a verify command that', () => {
    test('says that the ledger adds up, in words and in JSON', async () => {
      const { secret } = await service.createKey({ credits: 100 })
      await spend(secret, 3)
      const { code, stdout, stderr } = await run('verify')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(
        /^\d+ keys?, \d+ entries: granted [\d,]+ - spent [\d,]+, balances [\d,]+\. It adds up\.\n$/,
      )
      const json = JSON.parse((await run('verify', '--json')).stdout)
      expect(json).toMatchObject({ problems: [] })
      expect(BigInt(json.granted) - BigInt(json.cost)).toBe(BigInt(json.balance))
    })

    // Each key has a grant of 100 and three charges of 3.
    test.each([
      [
        'a balance that nobody paid for',
        'update ledger set balance = 92 where position = 4 and api_key_id = KEY',
        /is not its balance, 92/,
      ],
      [
        'a charge that was made smaller',
        'update ledger set cost = 1 where position = 4 and api_key_id = KEY',
        /spent 7 is not its balance, 91/,
      ],
      [
        'an entry that is missing',
        'delete from ledger where position = 2 and api_key_id = KEY',
        /entries are missing \(1 gaps\)|entries are missing/,
      ],
      [
        'a first entry that is missing',
        'delete from ledger where position = 1 and api_key_id = KEY',
        /entries are missing/,
      ],
      [
        'last entries that are missing',
        'delete from ledger where position > 2 and api_key_id = KEY',
        /its newest entry is 2, and there was a later one: 4/,
      ],
      [
        'a wrong balance on the way',
        'update ledger set balance = 7 where position = 3 and api_key_id = KEY',
        /1 entries have a balance other than/,
      ],
      [
        'days that say less',
        'update ledger_days set cost = 1 where cost > 0 and api_key_id = KEY',
        /its days add up to 1 credits spent, not to 9/,
      ],
      [
        'days that miss entries',
        "delete from ledger_days where endpoint = '' and api_key_id = KEY",
        /its days add up to 3 entries, not to 4/,
      ],
      [
        'charges in the sums of another month',
        'update ledger_days set day = day - 31 where cost > 0 and api_key_id = KEY',
        /2 daily sums differ from their entries/,
      ],
      [
        'days that say fewer items',
        'update ledger_days set items = 1 where cost > 0 and api_key_id = KEY',
        /1 daily sums differ/,
      ],
      [
        'entries that go back in time',
        "update ledger set created_at = created_at - interval '1 day' where position = 3 and api_key_id = KEY",
        /1 entries are older/,
      ],
      [
        'entries that no day will have',
        'update ledger set endpoint = null where position > 1 and api_key_id = KEY; delete from ledger_days where api_key_id = KEY',
        /3 entries belong to no day/,
      ],
      [
        'a reference without its grant',
        "insert into grant_references values (KEY, 'January', 2, 100)",
        /1 references of grants have no entry of their amount/,
      ],
      [
        'a reference of another amount than its grant',
        "insert into grant_references values (KEY, 'January', 1, 101), (KEY, 'February', 5, 1)",
        /2 references of grants have no entry of their amount/,
      ],
    ])('finds %s', async (_, harm, problem) => {
      const { sql } = service
      const { secret, id } = await service.createKey({ credits: 100 })
      await spend(secret, 3)
      await sql`select sum_up_days(${id})`
      await sql`create table kept_entries as select * from ledger where api_key_id = ${id}`
      await sql`create table kept_days as select * from ledger_days where api_key_id = ${id}`
      await sql.unsafe(harm.replaceAll('KEY', String(id)))
      const { problems } = await verifyLedger(sql)
      await sql`delete from ledger where api_key_id = ${id}`
      await sql`delete from ledger_days where api_key_id = ${id}`
      await sql`delete from grant_references where api_key_id = ${id}`
      await sql`insert into ledger select * from kept_entries`
      await sql`insert into ledger_days select * from kept_days`
      await sql`drop table kept_entries, kept_days`

      expect(problems.filter((each) => each.keyId === id && problem.test(each.problem))).toHaveLength(1)
      expect((await verifyLedger(sql)).problems).toEqual([])
    })

    test('prints a line for each problem, and exits with 1', async () => {
      const { sql } = service
      const { id } = await service.createKey({ credits: 100 })
      await sql`update ledger set balance = 99 where api_key_id = ${id}`
      const { code, stdout, stderr } = await run('verify')
      await sql`update ledger set balance = 100 where api_key_id = ${id}`
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
      const lines = stdout.split('\n')
      expect(lines.slice(0, 2)).toEqual([
        `Key ${id}: granted 100 - spent 0 is not its balance, 99`,
        `Key ${id}: 1 entries have a balance other than their sum`,
      ])
      expect(lines.slice(2)).toEqual([expect.stringMatching(/ 2 problems\.$/), ''])
    })
  })

  describe('has a prune command that', () => {
    test('folds what is older into one entry, and everything still adds up', async () => {
      const { secret, id } = await service.createKey({ credits: 100 })
      await spend(secret, 4)
      await grantCredits(service.sql, id, 50)
      const sums = (await service.request('/api-key/usage/days', { key: secret })).json()
      await age(id, 10)
      await spend(secret, 2)
      const newer = (await readUsage(secret)).slice(0, 2)
      const before = await service.readLedger(id)

      expect(JSON.parse((await run('prune', '--before', yesterday(), '--dry-run', '--json')).stdout)).toEqual(
        { keys: 1, entries: 5 },
      )
      expect(await readUsage(secret)).toHaveLength(8)
      const { code, stdout } = await run('prune', '--before', yesterday())
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Folded 5 entries of 1 key into one each\n' })

      expect(await readUsage(secret)).toEqual([
        ...newer,
        expect.objectContaining({ entry: 6, kind: 'balance', cost: 12, granted: 150, balance: 138 }),
      ])
      expect(await service.readLedger(id)).toEqual(before)
      expect((await verifyLedger(service.sql)).problems).toEqual([])
      // What was spent by day is kept: ten days ago, and today.
      expect(sums).toMatchObject({ data: [{ requests: 4, cost: 12 }] })
      expect((await service.request('/api-key/usage/days', { key: secret })).json()).toMatchObject({
        data: [
          { requests: 2, cost: 6 },
          { requests: 4, cost: 12 },
        ],
      })

      // Again, and there is nothing left to do; and what comes after goes on where it was.
      expect((await run('prune', '--before', yesterday())).stdout).toBe(
        'Folded 0 entries of 0 keys into one each\n',
      )
      await spend(secret, 1)
      expect((await readUsage(secret))[0]).toMatchObject({ entry: 9, balance: 129 })
      expect((await verifyLedger(service.sql)).problems).toEqual([])
    })

    test('folds more than one transaction’s worth, an earlier balance included, while the key is charged', async () => {
      const { secret, id } = await service.createKey({ credits: 1_000_000 })
      await service.sql`
        insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, items, path, endpoint)
        select ${id}, n, now() - interval '9 days' + n * interval '1 second', 'charge', 0, 1, 1000001 - n, 1, '/users/a', '/users/{login}'
        from generate_series(2, 25001) n`
      await service.sql`update ledger set created_at = now() - interval '10 days' where api_key_id = ${id} and position = 1`
      expect((await verifyLedger(service.sql)).problems).toEqual([])

      const [pruned] = await Promise.all([
        pruneLedger(service.sql, new Date(Date.now() - 86_400_000)),
        pruneLedger(service.sql, new Date(Date.now() - 86_400_000)), // two at once do no harm
        ...Array.from({ length: 50 }, () => spend(secret, 1, '/users/ngoldberg')),
      ])
      expect(pruned?.entries).toBeLessThanOrEqual(25_000)
      const usage = await readUsage(secret)
      expect(usage).toHaveLength(51)
      expect(usage.at(-1)).toMatchObject({
        entry: 25_001,
        kind: 'balance',
        cost: 25_000,
        granted: 1_000_000,
        balance: 975_000,
      })
      expect((await verifyLedger(service.sql)).problems).toEqual([])
    })
  })
})

test('a copy of a stopped embedded database adds up, and its keys work', async () => {
  const service = await startTestService('embedded')
  const { secret } = await service.createKey({ credits: 100 })
  await service.request('/users?per_page=3', { key: secret })
  const copy = await mkdtemp(join(tmpdir(), 'devdata-copy-'))
  try {
    await service.stop()
    await cp(service.location.dataDirectory, copy, { recursive: true })
    const restored = await openDatabase({ ...testPool, databaseUrl: undefined, dataDirectory: copy })
    const response = await createInstance(restored).request('/users?per_page=3', { key: secret })
    expect([response.status, response.headers.get('X-Credits-Remaining')]).toEqual([200, '94'])
    expect((await verifyLedger(restored.sql)).problems).toEqual([])
    await restored.close()
  } finally {
    await service.close()
    await rm(copy, { recursive: true, force: true })
  }
})

describe.skipIf(findPostgresBinaries() === undefined)('a dump under load', () => {
  test('adds up once restored, and its keys work', async () => {
    const service = await startTestService('postgresql')
    const empty = await startTestService('postgresql', { data: 'empty' })
    const { secret, id } = await service.createKey({ credits: 100_000 })
    const folder = await mkdtemp(join(tmpdir(), 'devdata-dump-'))
    const dump = join(folder, 'dump')
    const { directory = '' } = findPostgresBinaries() ?? {}
    const run = promisify(execFile)
    let isOver = false
    const load = Promise.all(
      Array.from({ length: 20 }, async () => {
        while (!isOver) await service.request('/users/ngoldberg', { key: secret })
      }),
    )
    try {
      await service.request('/users/ngoldberg', { key: secret })
      await run(join(directory, 'pg_dump'), [
        '--format=custom',
        `--file=${dump}`,
        service.location.databaseUrl ?? '',
      ])
      isOver = true
      await load
      await empty.sql`drop schema public cascade`
      await empty.sql`create schema public`
      const target = `--dbname=${empty.location.databaseUrl}`
      await run(join(directory, 'pg_restore'), ['--schema=public', '--single-transaction', target, dump])
      const { charged } = await empty.readLedger(id)
      expect(charged).toBeGreaterThan(0)
      expect(charged).toBeLessThanOrEqual((await service.readLedger(id)).charged)
      const response = await empty.request('/users/ngoldberg', { key: secret })
      const remaining = response.headers.get('X-Credits-Remaining')
      expect([response.status, remaining]).toEqual([200, String(100_000 - charged - 1)])
      expect((await verifyLedger(empty.sql)).problems).toEqual([])
    } finally {
      isOver = true
      await load
      await service.close()
      await empty.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
