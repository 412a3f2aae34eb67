/**
 * A start says which filters wait for a load after an upgrade, and how to have them sooner.
 * @module-tag later
 */
import { beforeAll, expect, test } from 'vitest'
import { load } from '../support/ndjson.ts'
import { startInstanceProcess } from '../support/process.ts'
import { createUser } from '../support/records.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'

describeOnServer('a start', () => {
  const service = useService('postgresql', { data: 'empty' })
  beforeAll(async () => {
    await load(service, { users: [createUser(1)] })
  })

  test('logs the filters that are not ready, and the command that derives their terms', async () => {
    const message =
      /Filters not ready: company, first_use_since, first_use_until, last_use_since, last_use_until, email_domain, min_forks, sort=followers, sort=stars, sort=pushed\. .* run: npm run -s devdata -- sets rebuild/
    const readLog = async () => {
      await using instance = await startInstanceProcess(service.location.databaseUrl, {
        LOG_LEVEL: 'warning',
      })
      return instance.readLog()
    }
    expect(await readLog()).not.toMatch(message)
    await service.sql`update dataset set derived_terms = '{}'` // an older version has loaded the data
    expect(await readLog()).toMatch(message)
  })
})
