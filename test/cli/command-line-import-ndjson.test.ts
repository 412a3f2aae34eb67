/** @module-tag later */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  createUserLine,
  nodeOnFullDisk,
  type Run,
  type RunOptions,
  sampleDirectory,
  startServiceForCommands,
} from '../support/command-line.ts'
import { fullDevice } from '../support/faults.ts'
import { describeOnOneDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

describeOnOneDatabase('devdata import ndjson', (kind) => {
  const started = useStarted(() => startServiceForCommands(kind))
  const run: Run = (args, options) => started.run(args, options)

  test('loads a folder, says what came of it, and changes nothing the second time', async () => {
    const { code, stdout } = await run(['import', 'ndjson', sampleDirectory])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Read 6,578 lines in [\d.]+ s\n/)
    expect(stdout.split('\n').slice(1)).toEqual([
      'users         300 added, 0 updated',
      'repositories  400 added, 0 updated',
      'commits       5,878 added, 0 updated',
      'dataset       version 1',
      '',
    ])
    const again = await run(['import', 'ndjson', sampleDirectory, '--json'])
    expect(JSON.parse(again.stdout)).toEqual({
      users: { added: 0, updated: 0, removed: 0 },
      addresses: { added: 0, updated: 0, removed: 0 },
      repositories: { added: 0, updated: 0, removed: 0 },
      commits: { added: 0, updated: 0, removed: 0 },
      dataset_version: 1,
      lines: 6578,
      skipped: 0,
      forgotten: 0,
      contradicted: 0,
      seconds: expect.any(Number),
    })
  })

  test('says which lines a later, different one for the same item replaces', async () => {
    const lines = [createUserLine(901), createUserLine(902), createUserLine(901)] // the same twice
    writeFileSync(join(started.directory, 'twice.txt'), lines.join(''))
    const same = await run(['import', 'ndjson', 'twice.txt', '--kind', 'users'])
    expect(same.stdout).not.toContain('replaced')
    const change = (line: string) => line.replace('"followers":', '"followers":1')
    writeFileSync(join(started.directory, 'twice.txt'), [...lines, change(createUserLine(902))].join(''))
    const one = await run(['import', 'ndjson', 'twice.txt', '--kind', 'users'])
    expect(one.stdout).toContain(
      'replaced      1 line by a later, different one for the same item: twice.txt:2\n',
    )
    writeFileSync(join(started.directory, 'more.txt'), lines.map(change).join(''))
    const both = ['import', 'ndjson', 'twice.txt', 'more.txt', '--kind', 'users']
    expect((await run(both)).stdout).toContain(
      'replaced      3 lines by a later, different one for the same item: the first is twice.txt:1\n',
    )
    expect(JSON.parse((await run([...both, '--json'])).stdout)).toMatchObject({ contradicted: 3 })
  })

  test('says that a file is a pointer of Git LFS', async () => {
    writeFileSync(
      join(started.directory, 'users.ndjson'),
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`,
    )
    expect(await run(['import', 'ndjson', 'users.ndjson'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'users.ndjson:1: a Git LFS pointer instead of the file; run "git lfs pull" where the file is from; nothing was changed\n',
    })
  })

  /** Creates a folder with files of these names, each with a user. */
  function writeFolder(name: string, files: readonly string[]): void {
    rmSync(join(started.directory, name), { recursive: true, force: true })
    mkdirSync(join(started.directory, name))
    for (const file of files) writeFileSync(join(started.directory, name, file), createUserLine(100))
  }

  test.each<[string, string]>([
    ['users.ndjson.gz', 'decompress it to users.ndjson, for example with gzip -dc'],
    ['Users.ndjson', 'rename it to users.ndjson'],
    ['user.ndjson', 'rename it to users.ndjson'],
    ['users.jsonl', 'rename it to users.ndjson'],
    ['users.ndjson.txt', 'rename it to users.ndjson'],
    ['users.ndjson.zst', 'decompress it to users.ndjson'],
  ])('reads nothing of a folder with %s, but without users.ndjson', async (name, remedy) => {
    writeFolder('named', ['repos.ndjson', name])
    for (const options of [[], ['--kind', 'users'], ['--mirror', '--yes']]) {
      expect(await run(['import', 'ndjson', 'named', ...options])).toEqual({
        code: 1,
        stdout: '',
        stderr: `The folder named contains ${name}, but no users.ndjson: ${remedy}, or move it out of the folder\n`,
      })
    }
  })

  test('names all files of a folder whose names are wrong, and a file that is a folder', async () => {
    writeFolder('wrong', ['repositories.jsonl', 'Commits.ndjson', 'notes.json', 'users-old.ndjson'])
    mkdirSync(join(started.directory, 'wrong/users.ndjson'))
    expect(await run(['import', 'ndjson', 'wrong'])).toMatchObject({
      code: 1,
      stderr:
        'The folder wrong contains Commits.ndjson, but no commits.ndjson: rename it to commits.ndjson, or move it out of the folder. ' +
        'The folder wrong contains repositories.jsonl, but no repos.ndjson: rename it to repos.ndjson, or move it out of the folder. ' +
        "wrong/users.ndjson isn't a file that can be read\n",
    })
    writeFolder('json', ['users.json'])
    expect((await run(['import', 'ndjson', 'json'])).stderr).toContain(
      'users.json, but no users.ndjson: rename it to users.ndjson, with one JSON object per line, or',
    )
  })

  test('loads a folder with further files, and names those that look like data', async () => {
    const data = ['users.ndjson', 'users.ndjson.gz', 'Users.ndjson', 'users-old.ndjson', 'changes.jsonl.part']
    writeFolder('further', [
      ...data,
      'commits.json',
      'README.md',
      'notes.json',
      '.users.ndjson.tmp',
      'commits',
      'repos.csv',
    ])
    mkdirSync(join(started.directory, 'further/repos.jsonl'))
    expect(await run(['import', 'ndjson', 'further', '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"lines":1'),
      stderr:
        'Not read, because of the name: further/Users.ndjson, further/changes.jsonl.part, further/commits.json, further/users-old.ndjson, further/users.ndjson.gz\n',
    })
    expect(await run(['import', 'ndjson', 'further', '--kind', 'users'])).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  test('says that a file or standard input is compressed with gzip, and skips no lines of it', async () => {
    const content = gzipSync(createUserLine(101).repeat(50))
    writeFileSync(join(started.directory, 'users.ndjson'), content)
    for (const [path, name] of [
      ['users.ndjson', 'users.ndjson'],
      ['-', 'standard input'],
    ] as const) {
      const args = ['import', 'ndjson', path, '--kind', 'users', '--skip-invalid', 'gzip.ndjson']
      expect(await run(args, { input: content })).toEqual({
        code: 1,
        stdout: '',
        stderr: `${name}: compressed with gzip. Decompress it first, for example with gzip -dc; nothing was changed\n`,
      })
      expect(existsSync(join(started.directory, 'gzip.ndjson'))).toBe(false)
    }
  })

  test('takes with --kind that file of a folder, or a file of any name', async () => {
    const users = readFileSync(join(sampleDirectory, 'users.ndjson'), 'utf8')
    writeFileSync(join(started.directory, 'people.txt'), users)
    const loaded = await run(['import', 'ndjson', sampleDirectory, 'people.txt', '--kind', 'users', '--json'])
    expect(JSON.parse(loaded.stdout)).toMatchObject({
      lines: 600,
      users: { added: 0, updated: 0, removed: 0 },
    })
    expect(await run(['import', 'ndjson', 'people.txt'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        "people.txt: the file name doesn't show which kind of lines the file contains; add --kind users|identities|repos|commits|removals\n",
    })
  })

  test('reads standard input, and names the line that is wrong', async () => {
    const loaded = await run(['import', 'ndjson', '-', '--kind', 'users', '--json'], {
      input: createUserLine(7),
    })
    expect(loaded).toMatchObject({ code: 0 })
    expect(JSON.parse(loaded.stdout)).toMatchObject({ lines: 1, users: { added: 1, updated: 0, removed: 0 } })
    expect(
      await run(['import', 'ndjson', '-', '--kind', 'users'], {
        input: `${createUserLine(8)}{"forge_rest_id":"9"}\n`,
      }),
    ).toEqual({
      code: 1,
      stdout: '',
      stderr: 'standard input:2: forge_rest_id: must be an integer; nothing was changed\n',
    })
  })

  test('writes with --skip-invalid what it did not load to a file, with the reason', async () => {
    const args = ['import', 'ndjson', '-', '--kind', 'users', '--skip-invalid', 'invalid.ndjson']
    const input = Buffer.concat([
      Buffer.from(`${createUserLine(20)}{"login":\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(createUserLine(21)),
    ])
    const { code, stdout } = await run(args, { input })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^users {9}2 added, 0 updated$/m)
    expect(stdout).toMatch(/^skipped {7}2 invalid lines, see invalid\.ndjson$/m)
    const file = join(started.directory, 'invalid.ndjson')
    const skipped = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(skipped).toEqual([
      { file: 'standard input', line: 2, reason: expect.stringMatching(/^not JSON: /), content: '{"login":' },
      { file: 'standard input', line: 3, reason: 'not UTF-8 text', content: '"\ufffd"' },
    ])
    // What an earlier load left there must not be taken for this one's, nor be lost.
    expect(await run(args, { input: createUserLine(22) })).toEqual({
      code: 1,
      stdout: '',
      stderr: '--skip-invalid invalid.ndjson: the file already exists; choose a new file\n',
    })
    expect(readFileSync(file, 'utf8')).not.toBe('')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('leaves with --skip-invalid no empty file, never writes over one, and names a path that can not be', async () => {
    const load = (file: string) =>
      run(['import', 'ndjson', '-', '--kind', 'users', '--skip-invalid', file, '--json'], {
        input: createUserLine(22),
      })
    expect(JSON.parse((await load('none.ndjson')).stdout)).toMatchObject({ skipped: 0 })
    expect(existsSync(join(started.directory, 'none.ndjson'))).toBe(false)
    expect(await load('/dev/null')).toMatchObject({ code: 0 })
    for (const [path, reason] of [
      ['no/where', "--skip-invalid no/where: the file can't be written: no such file or directory\n"],
      ['.', "--skip-invalid .: the file can't be written: illegal operation on a directory\n"],
    ] as const) {
      const { code, stdout, stderr } = await load(path)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(reason)
    }
    const file = join(started.directory, 'more.ndjson')
    writeFileSync(file, createUserLine(30))
    const overwriting = ['more.ndjson', '--kind', 'users', '--skip-invalid', './more.ndjson']
    expect(await run(['import', 'ndjson', ...overwriting])).toMatchObject({ code: 1, stdout: '' })
    expect(readFileSync(file, 'utf8')).toBe(createUserLine(30))
  })

  test('stops when the file of --skip-invalid has no room for a whole line, and says so', async () => {
    const load = (file: string, options: Partial<RunOptions> = {}) =>
      run(['import', 'ndjson', '-', '--kind', 'users', '--skip-invalid', file], {
        input: `${createUserLine(60)}${'x'.repeat(20_000)}\n`,
        ...options,
      })
    expect(await load('long.ndjson', { program: nodeOnFullDisk })).toEqual({
      code: 1,
      stdout: '',
      stderr: "--skip-invalid long.ndjson: the file can't be written: file too large\n",
    })
    if (fullDevice === undefined) return
    expect(await load(fullDevice)).toEqual({
      code: 1,
      stdout: '',
      stderr: `--skip-invalid ${fullDevice}: the file can't be written: no space left on device\n`,
    })
    expect(
      (await run(['import', 'ndjson', '-', '--kind', 'users'], { input: createUserLine(60) })).stdout,
    ).toMatch(/^users {9}1 added, 0 updated$/m)
  })

  test.each([
    ['disk_full', "The database's disk is full"],
    ['out_of_memory', 'The database lacks memory, connections or time'],
    ['query_canceled', 'The database lacks memory, connections or time'],
  ])('reports %s with PostgreSQL’s words and its advice', async (condition, reason) => {
    await started.service.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$
      begin
        raise exception 'words of the server' using errcode = '${condition}', hint = 'Its advice.';
      end $$;
      create trigger refusing before insert on users for each statement execute function refuse()`)
    expect(await run(['import', 'ndjson', '-', '--kind', 'users'], { input: createUserLine(50) })).toEqual({
      code: 1,
      stdout: '',
      stderr: `${reason}: words of the server; Its advice.\n`,
    })
    await started.service.sql.unsafe('drop trigger refusing on users; drop function refuse()')
  })
})
