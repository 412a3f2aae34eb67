/**
 * `devdata import github` on the command line.
 *
 * @module-tag later
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Run, startServiceForCommands } from '../support/command-line.ts'
import { startTestForge } from '../support/github-import.ts'
import { anyDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

describe('devdata import github', () => {
  const started = useStarted(() => startServiceForCommands(anyDatabase))
  let environment: Record<string, string>
  const fake = useStarted(startTestForge)
  let token: string
  let run: Run
  beforeAll(async () => {
    token = fake.addToken()
    environment = { ...started.environment, GITHUB_TOKEN: token }
    run = (args, options) => started.run(args, { environment, ...options })
  })

  const load = (...args: string[]) =>
    run(['import', 'github', ...args, '--api', fake.forge.apiUrl, '--clones', fake.clones])

  test('says what it would load, and changes nothing', async () => {
    const { code, stdout } = await load('acme-works', '--dry-run')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Would load 10 repositories, \d+ MB on GitHub \(1 query, 2 points\)\nskipped {7}a repository of acme-works: GitHub refuses it: Repository access blocked\n$/,
      ),
    })
    expect(await started.service.sql`select from repositories`).toHaveLength(0)
  })

  test('loads owners and repositories from arguments and a file, and never prints the token', async () => {
    const from = join(fake.clones, '..', 'targets.txt')
    writeFileSync(from, '# what we use\n\nacme-works\n')
    const { model, special } = fake.organization
    const personal = `${special.personal.owner.login}/dotfiles`
    const { code, stdout, stderr } = await load(personal, '--from', from)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Read 11 repositories in [\d.]+ s \(4 queries, \d points\)\nusers +\d+ added, 0 updated\n/,
    )
    expect(stdout).toContain('skipped       acme-works/empty: without its history: it is empty\n')
    expect(stdout + stderr).not.toContain(token)
    const json = await load('acme-works', '--json', '--refresh')
    expect(JSON.parse(json.stdout)).toMatchObject({
      users: { added: 0, updated: 0, removed: 0 },
      addresses: { added: 0 },
      found: { repositories: 11, authors: 0 },
      fetched: 0,
      skipped: [{ name: 'a repository of acme-works' }, {}, {}],
      resumed: false,
      dataset_version: 1,
    })
    expect(model.repositories.length).toBeGreaterThan(11)
  })

  test('writes what was skipped to a report, and prints only how many', async () => {
    const report = join(fake.clones, '..', 'skipped.csv')
    writeFileSync(report, 'result,name,reason\r\nof the night before')
    const { code, stdout, stderr } = await load('acme-works', '--report', report)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^started {7}\d{4}-\d\d-\d\d \d\d:\d\dZ$/m)
    expect(stdout).toMatch(/^skipped {7}1 × \S.*; 1 × .*without its history: it is empty/m)
    expect(stdout).toContain(`\nreport        ${report}\n`)
    const [header, ...lines] = readFileSync(report, 'utf8').trim().split('\r\n')
    expect(header).toBe('result,name,reason')
    expect(lines).toContain('skipped,acme-works/empty,without its history: it is empty')
    expect(lines).toHaveLength(3)
    expect(statSync(report).mode & 0o777).toBe(0o600)
    // Known before the import begins.
    const failed = await load('acme-works', '--report', join(fake.clones, 'nowhere', 'report.csv'))
    expect(failed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\S+report\.csv can't be written: no such file or directory\n$/),
    })
  })

  test('fails if it could not read a repository that the next run may read, and loads the rest', async () => {
    const { model } = fake.organization
    const owner = model.addAccount({ login: 'odd-one' })
    const [odd, fine] = ['odd', 'fine'].map((name) => model.addRepository({ owner, name }))
    if (odd === undefined || fine === undefined) throw new Error('there are two')
    await load('odd-one')
    fake.forge.reviveValue = (key, value) => (key === 'nameWithOwner' && value === 'odd-one/odd' ? 7 : value)
    fine.description = 'Everybody reads this'
    const report = join(fake.clones, '..', 'failed.csv')
    const stderr =
      "The import failed at 1 item, and loaded the rest. It doesn't count as a success. Fix what the summary names, then run the import again\n"
    const failed = await load('--refresh')
    expect(failed).toMatchObject({ code: 1, stderr })
    const reason = 'GitHub describes it incompletely: nameWithOwner is missing or invalid'
    expect(failed.stdout).toMatch(/^repositories +0 added, 1 updated$/m)
    expect(failed.stdout).toContain(`\nfailed        odd-one/odd: ${reason}\nskipped       `)
    const reported = await load('--refresh', '--report', report)
    expect(reported).toMatchObject({ code: 1, stderr })
    expect(reported.stdout).toContain(`\nfailed        1 × ${reason}\nskipped       `)
    expect(readFileSync(report, 'utf8')).toContain(`\r\nfailed,odd-one/odd,${reason}\r\nskipped,`)
    const json = await load('--refresh', '--dry-run', '--json')
    expect([json.code, json.stderr, JSON.parse(json.stdout)]).toEqual([
      1,
      'The import would fail at 1 item; the summary has the reasons. Fix them, or import without these\n',
      expect.objectContaining({ failed: [{ name: 'odd-one/odd', reason }] }),
    ])
    fake.forge.reviveValue = undefined
    expect(await load('--refresh')).toMatchObject({ code: 0, stderr: '' })
  })

  test('removes what GitHub no longer has, and says it once, unless it is told to keep it', async () => {
    const { model } = fake.organization
    const owner = model.addAccount({ login: 'fleeting' })
    const repository = model.addRepository({ owner, name: 'gone' })
    const { databaseId } = repository
    await load('fleeting', '--no-history')
    model.deleteRepository(repository)
    const refresh = (...args: string[]) => load('--refresh', '--no-history', ...args)
    expect((await refresh()).stdout).not.toContain('fleeting/gone')
    await started.service
      .sql`update forge_repositories set missing_since = '2026-01-02T03:04:05Z' where missing_since is not null`
    expect((await refresh('--keep-missing')).stdout).not.toContain('fleeting/gone')
    const refused = await refresh('--max-removals', '0')
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/--max-removals 1\n$/),
    })
    const reason = 'not found on GitHub since 2026-01-02T03:04Z'
    const dry = await refresh('--dry-run')
    expect(dry.stdout).toContain(`\nwould remove  fleeting/gone: ${reason}\n`)
    const dryJson = await refresh('--dry-run', '--json')
    expect(JSON.parse(dryJson.stdout)).toMatchObject({
      removed: [{ name: 'fleeting/gone', forge_rest_id: databaseId, reason }],
    })
    const report = join(fake.clones, '..', 'report.csv')
    const dryReport = await refresh('--dry-run', '--report', report)
    expect(dryReport.stdout).toContain('\nwould remove  1 repository\n')
    expect(readFileSync(report, 'utf8')).toContain(`\r\nremoved,fleeting/gone,${reason}\r\n`)
    const { stdout } = await refresh()
    expect(stdout).toMatch(/^repositories +0 added, 0 updated, 1 removed$/m)
    expect(stdout).toContain(`\nremoved       fleeting/gone: ${reason}\n`)
    expect((await refresh()).stdout).not.toContain('fleeting/gone')
  })

  test('fails if none of what was named can be loaded, and asks again the next time', async () => {
    const message =
      'There is nothing to load: nobody-yet: no account has this login; if it was renamed, use the new one\n'
    expect(await load('nobody-yet')).toMatchObject({ code: 1, stdout: '', stderr: message })
    const owner = fake.organization.model.addAccount({ login: 'nobody-yet' })
    const repository = fake.organization.model.addRepository({ owner, name: 'first' })
    const author = { name: 'Ada', email: 'ada@example.org' }
    const files = { 'a.nimble': '', 'b/c.nimble': '' } // of a kind that isn't read
    await fake.organization.model.push(repository, [{ author, date: 1_700_000_000, message: 'First', files }])
    const { code, stdout, stderr } = await load('nobody-yet')
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('\nnot read      2 *.nimble\n'), ''])
  })

  test.each([
    [['acme-works/a/b'], "error: command-argument value 'acme-works/a/b' is invalid for argument 'target'"],
    [[], 'error: specify an owner or a repository, or use --from or --refresh'],
    [
      ['x', '--concurrency', '0'],
      "'--concurrency <n>' argument '0' is invalid. It must be a whole number from 1",
    ],
    [
      ['x', '--batch', '0'],
      "'--batch <n>' argument '0' is invalid. It must be a whole number from 1 to 1000000",
    ],
    [['x', '--keep-missing'], 'error: --keep-missing and --max-removals are for --refresh'],
    [['x', '--max-removals', '5'], 'error: --keep-missing and --max-removals are for --refresh'],
    [['x', '--api', 'http://forge.example'], 'It must be an https URL'],
  ])('refuses %j with the usage', async (args, message) => {
    const { code, stderr } = await run(['import', 'github', ...args])
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('says in a line what is missing, and what to do', async () => {
    const without = await run(['import', 'github', 'x'], {
      environment: { ...environment, GITHUB_TOKEN: '' },
    })
    expect(without).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^A GitHub token is needed: set .*\n$/),
    })
    const spaced = await run(['import', 'github', 'x'], {
      environment: { ...environment, GITHUB_TOKEN: 'two hunter2' },
    })
    expect(spaced).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^GITHUB_TOKEN: a token must have .*\n$/),
    })
    expect(spaced.stderr).not.toContain('hunter2')
    const wrong = await run(['import', 'github', 'x', '--api', fake.forge.apiUrl, '--clones', fake.clones], {
      environment: { ...environment, GITHUB_TOKEN: 'hunter2' },
    })
    expect(wrong).toMatchObject({
      code: 1,
      stderr: 'The forge refuses the token: it is invalid, expired or revoked. Create another one\n',
    })
    const lost = await run(['import', 'github', 'x', '--token-file', 'nowhere'])
    expect(lost).toMatchObject({
      code: 1,
      stderr: "--token-file nowhere: the file can't be read: no such file or directory\n",
    })
  })

  test.runIf(anyDatabase === 'postgresql')(
    'keeps no clones in a data folder whose parent is missing, because its disk may not be mounted',
    async () => {
      const disk = join(started.directory, 'disk')
      const { code, stderr } = await run(['import', 'github', 'x', '--api', fake.forge.apiUrl], {
        environment: { ...environment, DATA_DIR: join(disk, 'data') },
      })
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `DATA_DIR ${join(disk, 'data')} can't be created: there is no folder ${disk}; create or mount it\n`,
      })
      expect(existsSync(disk)).toBe(false)
    },
  )
})
