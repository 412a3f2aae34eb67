/** @module-tag later */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import {
  finishCommand,
  type Run,
  readJson,
  startCommand,
  startServiceForCommands,
} from '../support/command-line.ts'
import { fullDevice } from '../support/faults.ts'
import { loadAll, names, own, searchTables } from '../support/forgotten.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { toLines } from '../support/ndjson.ts'
import { describeOnOneDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

describeOnOneDatabase('devdata forget', (kind) => {
  const started = useStarted(() => startServiceForCommands(kind))
  const run: Run = (args, options) => started.run(args, options)
  beforeAll(async () => {
    await loadAll(started.service.sql)
  })

  test('forgets a user, lists it without a name, leaves it out of loads, and undoes that', async () => {
    expect(await run(['forget', 'list'])).toEqual({ code: 0, stdout: 'Nobody is forgotten\n', stderr: '' })
    const counted = await run(['forget', 'user', 'zelda-q', '--dry-run'])
    expect(counted).toEqual({
      code: 0,
      stdout: [
        'Users to remove: Zelda-Q. Repositories to remove: 1. Commits to remove: 2, to redact: 5 (1 message).',
        'For example, in messages:',
        '- Merge from Zelda-Q/fix',
        '+ Merge from forgotten/fix',
        '',
      ].join('\n'),
      stderr: '',
    })
    expect(await run(['forget', 'list'])).toMatchObject({ stdout: 'Nobody is forgotten\n' })
    expect(await run(['forget', 'user', 'zelda-q'])).toEqual({
      code: 0,
      stdout: [
        'Forgot person 1, with 3 identities. Later loads exclude the person.',
        'users         1 removed',
        'repositories  1 removed',
        'commits       2 removed, 5 redacted',
        'ledger        0 entries redacted',
        'dataset       version 2',
        '',
      ].join('\n'),
      stderr: '',
    })
    expect(await searchTables(started.service.sql, names)).toEqual([])
    const { code, stdout } = await run(['forget', 'list'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^PERSON +FORGOTTEN +IDENTITIES +REPOSITORIES\n +1 +\d{4}-\d\d-\d\d \d\d:\d\dZ +3 +left out\n$/,
    )

    writeFileSync(join(started.directory, 'users.ndjson'), toLines(own.users))
    const loaded = await run(['import', 'ndjson', 'users.ndjson'])
    expect(loaded.code).toBe(0)
    expect(loaded.stdout).toMatch(/^users {9}0 added, 0 updated$/m)
    expect(loaded.stdout).toMatch(/^left out {6}1 line of forgotten people$/m)
    expect(await readJson(run, ['import', 'ndjson', 'users.ndjson'])).toMatchObject({
      lines: 1,
      forgotten: 1,
    })

    expect(await run(['forget', 'undo', '--email', 'ZELDA@example.com'])).toEqual({
      code: 0,
      stdout:
        'No longer forgotten: person 1. The next load that has the person\'s data adds it again. "import github" skips ' +
        'commits that the dataset has: to load the person\'s commits again, remove their repositories first ("remove repo").\n',
      stderr: '',
    })
    expect(await readJson(run, ['import', 'ndjson', 'users.ndjson'])).toMatchObject({
      users: { added: 1 },
      forgotten: 0,
    })
  })

  test('prints JSON', async () => {
    const args = ['forget', 'user', '--id', '77', '--email', 'a@example.com', '--email', 'b@example.com']
    expect(await readJson(run, [...args, '--keep-repositories', '--yes'])).toEqual({
      person: expect.any(Number),
      identities: 5,
      users: { added: 0, updated: 0, removed: 1 },
      repositories: { added: 0, updated: 0, removed: 0 },
      commits: { added: 0, updated: 1, removed: 0 },
      ledger_entries: 0,
      dataset_version: expect.any(Number),
    })
    const { people, listed: entries } = (await readJson(run, ['forget', 'list'])) as {
      people: { person: number }[]
      listed: number
    }
    expect(entries).toBe(0)
    const [listed] = people
    expect(listed).toEqual({
      person: expect.any(Number),
      forgotten_at: expect.stringMatching(/^\d{4}-/),
      identities: 5,
      keeps_repositories: true,
    })
    const person = String(listed?.person)
    expect(await readJson(run, ['forget', 'undo', '--person', person])).toEqual({ people: [listed?.person] })
  })

  test('says that the data has nobody with a misspelled login, and how to undo what it recorded', async () => {
    const { code, stdout } = await run(['forget', 'user', 'zelda-p'])
    const [, person] = /^Forgot person (\d+), with 1 identity\. Later loads exclude/.exec(stdout) ?? []
    expect([code, stdout.split('\n')[1]]).toEqual([
      0,
      'The dataset has no such user, and nothing in it names the person. If a name is misspelled, undo this: ' +
        `npm run -s devdata -- forget undo --person ${person}`,
    ])
    // Whoever was forgotten before isn't in the data, either, and must stay forgotten.
    expect((await run(['forget', 'user', 'zelda-p'])).stdout).not.toContain('no such user')
    expect(await readJson(run, ['forget', 'undo', '--person', String(person)])).toEqual({
      people: [Number(person)],
    })
  })

  test('imports a deletion list, and reports what became of each line', async () => {
    const [list, report] = ['list.txt', 'report.csv'].map((name) => join(started.directory, name))
    const carol = createHash('sha256').update('carol@example.com').digest('base64')
    await loadAll(started.service.sql)
    writeFileSync(list ?? '', `# of today\n${carol}\nnobody@example.com\n`)
    const args = ['forget', 'import', list ?? '', '--report', report ?? '', '--yes']
    expect(await readJson(run, ['forget', 'import', list ?? '', '--dry-run'])).toMatchObject({
      entries: { found: 1, not_found: 1, already_forgotten: 0 },
      logins: ['carol'],
      commits: { removed: 0, redacted: 1, messages: 0 },
    })
    const imported = await run(args)
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(imported.stdout).toMatch(
      /^entries {7}1 found and forgotten, 1 not found, 0 already forgotten\nusers {9}1 removed\n/,
    )
    expect(readFileSync(report ?? '', 'utf8')).toBe(
      `line,entry,result\r\n2,${carol},found\r\n3,nobody@example.com,not found\r\n`,
    )
    expect(statSync(report ?? '').mode & 0o777).toBe(0o600)
    // As every night.
    expect(await run(args)).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(report ?? '', 'utf8')).toContain(`\r\n2,${carol},already forgotten\r\n`)
    expect(await run(args.with(4, list ?? ''))).toEqual({
      code: 1,
      stdout: '',
      stderr: `${list} can't be written: another file has this name; choose another path\n`,
    })
    expect(await readJson(run, ['forget', 'import', list ?? '', '--yes'])).toMatchObject({
      entries: { found: 0, not_found: 1, already_forgotten: 1 },
    })
    expect((await run(['forget', 'list'])).stdout).toMatch(
      /^and 1 entry of deletion lists that nothing in the data has$/m,
    )
    writeFileSync(list ?? '', 'carol\n')
    expect((await run(args.with(4, `${report}.2`))).stderr).toBe(
      'Line 1: each must be an email address, or the SHA-256 of one in hexadecimal digits or Base64. Nobody was forgotten\n',
    )
    expect(existsSync(`${report}.2`)).toBe(false)
  })

  test.skipIf(fullDevice === undefined)('forgets nobody if the report can not be written', async () => {
    await loadAll(started.service.sql)
    writeFileSync(join(started.directory, 'full.txt'), 'bob@example.com\n')
    expect(await run(['forget', 'import', 'full.txt', '--report', fullDevice ?? ''])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${fullDevice} can't be written: no space left on device. Nobody was forgotten\n`,
    })
    expect(await readJson(run, ['forget', 'import', 'full.txt', '--dry-run'])).toMatchObject({
      entries: { found: 1, not_found: 0, already_forgotten: 0 },
    })
  })

  /** Imports a list of one with a report, and does something when the report is written and nothing is committed. */
  async function importUntilCommit(
    name: string,
    act: (child: ChildProcessWithoutNullStreams, part: string) => void | Promise<void>,
  ) {
    await loadAll(started.service.sql)
    const [list, report] = ['txt', 'csv'].map((type) => join(started.directory, `${name}.${type}`))
    const part = `${report}.part`
    writeFileSync(list ?? '', 'bob@example.com\n')
    const rows = 'line,entry,result\r\n1,bob@example.com,found\r\n'
    const { directory, environment } = started
    const finished = await started.service.sql.begin(async (tx) => {
      await tx`lock table dataset_versions in exclusive mode` // so that no change gets its version
      const child = startCommand(['forget', 'import', list ?? '', '--report', report ?? ''], {
        directory,
        environment,
      })
      const end = finishCommand(child)
      await expect.poll(() => countLockWaits(tx)).toBe(1)
      expect(readFileSync(part, 'utf8')).toBe(rows)
      await act(child, part)
      return { end }
    })
    return { ...(await finished.end), report: report ?? '', part, rows }
  }

  // An embedded database's one session can't wait for a lock.
  test.skipIf(kind === 'embedded')('prints a report that is lost while people are forgotten', async () => {
    const { code, stdout, stderr, report, rows } = await importUntilCommit('lost', (_child, part) =>
      rmSync(part),
    )
    expect(stdout).toMatch(/^entries {7}1 found and forgotten,/)
    expect(stdout).not.toContain(report)
    expect(stdout.endsWith(`\n${rows}`)).toBe(true)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `${report} can't be written: another command has begun to write it; run one of them at a time. ` +
        'Everybody is forgotten; the report is on standard output\n',
    })
    await run(['forget', 'undo', '--email', 'bob@example.com'])
  })

  test.skipIf(kind === 'embedded')('leaves the report if it is stopped, and says where it is', async () => {
    const { code, stderr, report, part, rows } = await importUntilCommit('stopped', async (child) => {
      child.kill('SIGINT')
      await once(child, 'close')
    })
    expect(code).toBe(130)
    expect(stderr).toContain(`${part} is the report: rename it before you import again\n`)
    expect([existsSync(report), readFileSync(part, 'utf8')]).toEqual([false, rows])
    expect(await run(['forget', 'import', report.replace('.csv', '.txt'), '--report', report])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${part} may be the report of an import that was stopped. If --dry-run counts people as already forgotten, rename it, otherwise delete it\n`,
    })
    expect(readFileSync(part, 'utf8')).toBe(rows)
  })

  test('exports a person to a file that only its owner can read', async () => {
    await loadAll(started.service.sql)
    const file = join(started.directory, 'bob.json')
    const args = ['person', 'export', '--email', 'bob@example.com', '--output', file]
    expect(await run(args)).toEqual({
      code: 0,
      stdout: `Wrote ${file}: 1 user, 1 repository, 4 commits, 0 requests for them\n`,
      stderr: '',
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ users: [{ record: { login: 'bob' } }] })
    expect(await run(args)).toMatchObject({ code: 0, stderr: '' })
    writeFileSync(file, '{}')
    expect(await run(args)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${file} can't be written: another file has this name; choose another path\n`,
    })
    expect(await run(['person', 'export', '--output', `${file}.2`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: specify the person: a login, --email or --id'),
    })
  })

  test('fails to undo what nobody has done', async () => {
    expect(await run(['forget', 'undo', 'nobody'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'No forgotten person has these names or this number; to see the numbers: npm run -s devdata -- forget list\n',
    })
  })
})
