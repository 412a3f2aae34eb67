/**
 * A large list, read with the client (the packed file) in little memory. Its time is printed only: it depends on the
 * machine.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importNdjson } from '../api/import/ndjson.ts'
import { type InstalledClient, installClient } from './support/client.ts'
import { isDrill } from './support/drill.ts'
import { openSameDatabase } from './support/instance.ts'
import { startInstanceProcess } from './support/process.ts'
import { inheritEnvironment } from './support/program.ts'
import { createUser } from './support/records.ts'
import { describeOnServer } from './support/server.ts'
import { startTestService, type TestService } from './support/service.ts'

const count = isDrill ? 1_000_000 : 30_000
/** What the program's objects may take, in megabytes: far less than all users do. */
const heapMb = 24

const program = `
import { createClient } from 'devdata-client'

const api = createClient({ baseUrl: process.argv[2], apiKey: process.env.DEVDATA_API_KEY })
const list = api.users.list()
const startedAt = performance.now()
let users = 0
let sum = 0
let states = 0
for await (const user of list) {
  users++
  sum += user.forge_rest_id
  if (users % 1_000 === 0) states += list.state?.read.length ?? 0
}
const seconds = (performance.now() - startedAt) / 1000
const { maxRSS } = process.resourceUsage()
console.log(JSON.stringify({ users, sum, spent: list.spent, states, seconds, maxRssMb: maxRSS / 1024 }))
`

describeOnServer(`a list of ${count} users`, () => {
  let client: InstalledClient
  let service: TestService
  beforeAll(async () => {
    client = await installClient()
    await writeFile(join(client.directory, 'program.mjs'), program)
    service = await startTestService('postgresql', { data: 'empty' })
    const loader = await openSameDatabase(service, { databaseStatementTimeoutSeconds: 0 })
    await importNdjson(loader.sql, { sources: [{ kind: 'users', name: 'users', size: 0, open: writeUsers }] })
    await loader.close()
  })
  afterAll(async () => {
    await service?.close()
    await client?.remove()
  })

  async function* writeUsers(): AsyncGenerator<Uint8Array> {
    const bio = 'Nobody knows, and nobody asks. '.repeat(10)
    for (let number = 1; number <= count; number += 1_000) {
      const users = Array.from({ length: 1_000 }, (_, index) => createUser(number + index, { bio }))
      yield Buffer.from(users.map((user) => `${JSON.stringify(user)}\n`).join(''))
    }
  }

  test(`is read in ${heapMb} MB, each user once, for one credit each`, async () => {
    await using instance = await startInstanceProcess(service.location.databaseUrl, { SAMPLE_DATA: 'off' })
    const { secret, id } = await service.createKey({ credits: count })
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [`--max-old-space-size=${heapMb}`, 'program.mjs', instance.url],
      { cwd: client.directory, env: { ...inheritEnvironment(), DEVDATA_API_KEY: secret } },
    )
    console.info(stdout.trim())
    expect(JSON.parse(stdout)).toMatchObject({
      users: count,
      sum: (count * (count + 1)) / 2,
      spent: count,
      states: 0,
    })
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: count, charged: count })
  })
})
