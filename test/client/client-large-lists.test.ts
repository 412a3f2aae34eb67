/**
 * A large list, read with the client (the packed file) in little memory. Times are printed only: they depend on the
 * machine.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { installClient } from '../support/client.ts'
import { isDrill } from '../support/drill.ts'
import { openSameDatabase } from '../support/instance.ts'
import { startInstanceProcess } from '../support/process.ts'
import { inheritEnvironment } from '../support/program.ts'
import { createUser } from '../support/records.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const count = isDrill ? 1_000_000 : 30_000
/** What the program's objects may take, in megabytes: far less than all users do. */
const heapMb = 24

const program = `
import { createClient } from '@devdata/client'

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

/** Reads the same pages with bare `fetch` and with the client, in turns. */
const comparison = `
import { createClient } from '@devdata/client'

const [, , baseUrl, pages, rounds] = process.argv
const apiKey = process.env.DEVDATA_API_KEY
const api = createClient({ baseUrl, apiKey })

async function readBare(makeHeaders) {
  let users = 0
  let url = baseUrl + '/users?per_page=100'
  for (let page = 0; page < pages; page++) {
    const response = await fetch(url, { headers: { Authorization: 'Bearer ' + apiKey, ...makeHeaders() } })
    for (const user of (await response.json()).data) users += user.forge_rest_id > 0 ? 1 : 0
    url = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link'))[1]
  }
  return users
}

const contenders = {
  bare: () => readBare(() => ({})),
  bareWithIdempotencyKey: () => readBare(() => ({ 'Idempotency-Key': crypto.randomUUID() })),
  async client() {
    let users = 0
    for await (const user of api.users.list()) {
      users += user.forge_rest_id > 0 ? 1 : 0
      if (users === pages * 100) return users
    }
  },
}
const names = Object.keys(contenders)
const times = Object.fromEntries(names.map((name) => [name, []]))
for (let round = -1; round < rounds; round++) {
  for (const place of names.keys()) {
    const name = names[(place + round + names.length) % names.length]
    const startedAt = performance.now()
    if ((await contenders[name]()) !== pages * 100) throw new Error(name)
    if (round >= 0) times[name].push(Math.round(performance.now() - startedAt))
  }
}
console.log(JSON.stringify({ times, ratios: times.client.map((time, round) => time / times.bare[round]) }))
`

describeOnServer(`a list of ${count} users`, () => {
  const client = useStarted(installClient)
  const service = useService('postgresql', { data: 'empty' })
  beforeAll(async () => {
    await writeFile(join(client.directory, 'program.mjs'), program)
    await writeFile(join(client.directory, 'comparison.mjs'), comparison)
    const loader = await openSameDatabase(service, { databaseStatementTimeoutSeconds: 0 })
    await importNdjson(loader.sql, { sources: [{ kind: 'users', name: 'users', size: 0, open: writeUsers }] })
    await loader.close()
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

  test.runIf(isDrill)('takes hardly longer than with bare fetch', async () => {
    await using instance = await startInstanceProcess(service.location.databaseUrl, { SAMPLE_DATA: 'off' })
    const { secret } = await service.createKey({ credits: 10_000_000 })
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['comparison.mjs', instance.url, '200', '7'],
      {
        cwd: client.directory,
        env: { ...inheritEnvironment(), DEVDATA_API_KEY: secret },
      },
    )
    console.info(stdout.trim())
    expect(JSON.parse(stdout).ratios.length).toBe(7)
  })
})
