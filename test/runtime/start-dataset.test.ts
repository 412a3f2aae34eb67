/**
 * `npm start -- --dataset FOLDER`: a first start with data of one's own.
 *
 * @module-tag longest
 */
import { cpSync, existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { buildDocs } from '../../docs-site/build.ts'
import { createUserLine } from '../support/command-line.ts'
import { listStartCommand, runtimes } from '../support/process.ts'
import { getJson, readStart, startService } from '../support/start.ts'

describe.each(runtimes)('a start with --dataset on %s', (runtime) => {
  const importCommand = `${runtime === 'deno' ? 'deno task devdata' : 'npm run -s devdata --'} import ndjson copy`
  let directory: string
  beforeEach(async () => {
    await buildDocs({ ifStale: true })
    directory = await mkdtemp(join(tmpdir(), 'devdata-start-'))
    await mkdir(join(directory, 'copy'))
    await writeFile(join(directory, 'copy/users.ndjson'), createUserLine(1) + createUserLine(2))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  const start = (args: readonly string[], settings: Record<string, string> = {}) =>
    startService([...listStartCommand(runtime, directory), ...args], directory, settings)

  test('serves the folder’s data in place of the sample data, and later starts without it do too', async () => {
    cpSync(join(inject('databases').directory, 'empty'), join(directory, '.data'), { recursive: true })
    const expectUsers = async (text: string) => {
      const { base, userKey } = readStart(text)
      const users = await getJson(`${base}/users`, userKey)
      expect(users.body).toMatchObject({ data: [{ login: 'line-user-1' }, { login: 'line-user-2' }] })
      const repositories = await getJson(`${base}/repos`, userKey)
      expect(repositories.body).toMatchObject({ data: [] })
    }
    using first = start(['--dataset', 'copy'])
    const text = await first.ready()
    expect(text).toContain('"message":"Loading copy (once)"')
    await expectUsers(text)
    first.stop()
    expect((await first.ended).code).toBe(0)

    const again = await start(['--dataset', 'copy']).ended
    expect([again.code, again.stdout, again.stderr.trim()]).toEqual([
      1,
      '',
      '--dataset copy: DATA_DIR .data already contains data, so nothing was loaded. To serve that data, start without --dataset. ' +
        `To serve the folder's data alone, set another DATA_DIR. To add the folder's data: ${importCommand}`,
    ])

    using later = start([])
    await expectUsers(await later.ready())
    later.stop()
    await later.ended
  })

  test('loads nothing of a folder with an invalid line, and loads it once it is valid', async () => {
    cpSync(join(inject('databases').directory, 'empty'), join(directory, '.data'), { recursive: true })
    const path = join(directory, 'copy/removals.ndjson')
    await writeFile(path, '{"forge_rest_id":1,"kind":"commit"}\n')
    const refused = await start(['--dataset=copy']).ended
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'copy/removals.ndjson:1: kind: must be user or repository; nothing was changed\n',
    ])
    await rm(path)
    using valid = start(['--dataset=copy'])
    const { base, userKey } = readStart(await valid.ready())
    expect((await getJson(`${base}/users`, userKey)).body).toMatchObject({ data: [{}, {}] })
    valid.stop()
    await valid.ended
  })

  test.each<[string[], Record<string, string>, string]>([
    [['--dataset', 'nowhere'], {}, "Can't read nowhere: "],
    [['--dataset', '.'], {}, 'The folder . contains no users.ndjson, identities.ndjson, repos.ndjson, '],
    [
      ['--dataset'],
      {},
      "Option '--dataset <value>' argument missing\nUsage: npm start -- [--dataset FOLDER]",
    ],
    [
      ['--dataset='],
      {},
      "Option '--dataset <value>' argument missing\nUsage: npm start -- [--dataset FOLDER]",
    ],
    [['--datasets', 'copy'], {}, "Unknown option '--datasets'\nUsage: npm start -- [--dataset FOLDER]"],
    [['copy'], {}, "Unexpected argument 'copy'\nUsage: npm start -- [--dataset FOLDER]"],
    [
      ['--dataset', 'copy'],
      { DATABASE_URL: 'postgres://127.0.0.1:1/none' },
      '--dataset copy: a start loads data only into an embedded database, but DATABASE_URL is set. Start without ' +
        `--dataset, and load the folder with: ${importCommand}\n`,
    ],
  ])('says what is wrong, and creates no database: %j %j', async (args, settings, message) => {
    const { code, stdout, stderr } = await start(args, settings).ended
    expect([code, stdout, stderr.slice(0, message.length)]).toEqual([1, '', message])
    expect(existsSync(join(directory, '.data'))).toBe(false)
  })
})
