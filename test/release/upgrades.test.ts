/**
 * Each released version is upgraded: its database, with its statements beside the migrations, to this version and to a
 * made-up later one. `npm run fixture` has recorded what the version had.
 */
import postgres from 'postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { readVersion } from '../../api/build-info.ts'
import { migrate, readSchemaState } from '../../api/database/migrate.ts'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson } from '../../api/people/forget.ts'
import {
  listVersions,
  type RecordedStatement,
  readVersionFixture,
  restoreDump,
} from '../../release/version-fixture.ts'
import { searchTables } from '../support/forgotten.ts'
import { createInstance } from '../support/instance.ts'
import { addLaterMigration } from '../support/later-migration.ts'
import { describeOnServer } from '../support/server.ts'
import {
  type DatabaseKind,
  describeOnEachDatabase,
  type TestService,
  useService,
} from '../support/service.ts'

test('this version has a fixture; if not, run npm run fixture', () => {
  expect(listVersions()).toContain(readVersion())
})

/** Gives each test a service on the database of the dump. */
function useRestored(kind: DatabaseKind, dump: string): () => TestService {
  const service = useService(kind, { each: true, data: 'empty' })
  beforeEach(async () => {
    await restoreDump(service.sql, dump)
  })
  return () => service
}

describe.for(listVersions())('a database of %s', (version) => {
  const { fixture, dump } = readVersionFixture(version)

  describeOnEachDatabase('once it is upgraded', (kind) => {
    const getService = useRestored(kind, dump)

    async function expectResponses() {
      const service = getService()
      const instance = createInstance(service)
      for (const { path, status, headers, body } of fixture.requests) {
        const response = await instance.request(path, { key: fixture.secret })
        expect([path, response.status, Object.fromEntries(response.headers)]).toEqual([
          path,
          status,
          expect.objectContaining(
            Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
          ),
        ])
        if (body !== undefined) expect(response.json()).toMatchObject(body) // later versions may have more
      }
      expect((await verifyLedger(service.sql)).problems).toEqual([])
      expect((await verifySets(service.sql, 'all')).faults).toEqual([])
    }

    test('has the same responses and costs', async () => {
      const { sql } = getService()
      await migrate(sql)
      expect(await readSchemaState(sql)).toMatchObject({ missing: [], newer: [], incompatible: [] })
      await expectResponses()
    })

    test('has nothing of a person who is forgotten then, also if the planner had sampled it before', async () => {
      const { sql } = getService()
      await sql`analyze`
      const [person] = await sql<{ login: string; email: string; is_sampled: boolean }[]>`
        select document::json ->> 'login' as login, document::json ->> 'email' as email, attname is not null as is_sampled
        from users left join pg_stats on tablename = 'users' and attname = 'document'
          and strpos(pg_stats::text, document::json ->> 'email') > 0
        where not is_bot and document::json ->> 'email' is not null
        order by is_sampled desc, id limit 1`
      if (person === undefined) throw new Error('nobody has an address')
      expect(person.is_sampled).toBe(version === '0.1.0') // later ones keep no statistics of documents
      await migrate(sql)
      await forgetPerson(sql, { identities: [identifyLogin(person.login)], keepRepositories: false })
      expect(await searchTables(sql, [person.email])).toEqual([])
    })

    test('has them after a made-up migration too, to this version', async () => {
      await using later = await addLaterMigration()
      expect(await migrate(getService().sql, later)).toContain(later.name)
      await expectResponses()
    })
  })

  describeOnServer('while it is upgraded', () => {
    const getService = useRestored('postgresql', dump)

    test('has the same rows for the statements of its version, in sessions that have prepared them', async () => {
      await using later = await addLaterMigration()
      const service = getService()
      const old = openOldSession(service.location.databaseUrl ?? '', fixture.statements)
      const before = await sendAll(old)
      expect(await migrate(service.sql, later)).toContain(later.name)
      const after = await sendAll(old)
      await old.end()
      for (const [index, { statement }] of fixture.statements.entries()) {
        if (isRepeatable(statement)) expect([statement, after[index]]).toEqual([statement, before[index]])
      }
      expect((await verifyLedger(service.sql)).problems).toEqual([])
      expect(await service.sql`select distinct note from ledger order by note`).toEqual([
        { note: 'new' },
        { note: null },
      ])
    })

    /** Settlements write to the ledger, and a migration to the list of migrations. */
    const isRepeatable = (statement: string) =>
      !/settle\(|from (ledger|usage_days|migrations)/.test(statement)

    async function sendAll(old: ReturnType<typeof openOldSession>): Promise<unknown[]> {
      const results: unknown[] = []
      for (const { statement, parameters, types } of fixture.statements) {
        if (/^\s*copy /.test(statement)) {
          const chunks: Buffer[] = []
          for await (const chunk of await old.unsafe(statement).readable()) chunks.push(chunk)
          results.push(Buffer.concat(chunks).toString('base64'))
        } else {
          const typed = parameters.map((text, index) => old.typed(text, types[index] ?? 0))
          results.push((await old.unsafe<Row[]>(statement, typed, { prepare: true })).map(sortTerms))
        }
      }
      return results
    }
  })
})

/** A row as the old session reads it: `json` as text. */
type Row = Record<string, unknown>

/** A statement that looks terms up has them in the order of its plan, which new statistics may change. */
function sortTerms(row: Row): Row {
  if (typeof row.terms !== 'string') return row
  const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  return {
    ...row,
    terms: JSON.parse(row.terms, (_, value) => (Array.isArray(value) ? value.sort(byText) : value)),
  }
}

/** One session, to which the recorded parameters are sent as they were: as text. */
function openOldSession(databaseUrl: string, statements: readonly RecordedStatement[]) {
  const recorded = statements.flatMap(({ types }) => types)
  const converted = [16, 17, 114, 3802, 1184] // bool, bytea, json, jsonb and timestamptz, which the driver would write anew
  const types = [...new Set([...recorded, ...converted])].map((type) => [
    `type${type}`,
    { to: type, from: [type], serialize: (text: string) => text, parse: String },
  ])
  return postgres(databaseUrl, {
    max: 1,
    fetch_types: false,
    onnotice: () => {},
    types: Object.fromEntries(types) as Record<string, postgres.PostgresType<string>>,
  })
}
