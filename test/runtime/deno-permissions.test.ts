/**
 * What Deno lets the service do: as little as it needs. (The tests of the start, of the command line, of the contract
 * and of the docs' builds run it with these permissions.)
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { settingNames } from '../../api/config.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { deno, denoSettings, unset } from '../support/deno.ts'
import { startProgram } from '../support/program.ts'
import { describeOnServer } from '../support/server.ts'
import { startTestService } from '../support/service.ts'

const project = resolve(import.meta.dirname, '..', '..')
const { tasks, permissions } = denoSettings

describe('deno.json', () => {
  test('starts everything with permissions that it names, and prompts for no more', () => {
    const runs = Object.values(tasks).flatMap(({ command }) => command.split(' && '))
    for (const run of runs) {
      const [, name = ''] = /^env deno run --quiet --no-prompt -P=(\w+) \S+\.ts( --[\w-]+)*$/.exec(run) ?? []
      expect(Object.keys(permissions), run).toContain(name)
    }
    expect(runs.length).toBeGreaterThan(Object.keys(tasks).length)
  })

  test('lets the service write into its data folder alone, run nothing, and see its settings alone', () => {
    expect(permissions.start).toEqual({
      read: ['.'],
      write: ['.data'],
      net: true, // which addresses, the settings say
      sys: ['uid'], // whether the data folder is its own
      env: { allow: [...settingNames, 'OTEL_DENO', 'SYSTEMD_EXEC_PID'], ignore: true }, // the last: no trial
    })
  })

  test('lets the command line read what it imports, export into the project’s folder, and run git', () => {
    expect(permissions.devdata).toEqual({
      read: true,
      write: ['.'],
      net: true,
      sys: ['uid'],
      env: { allow: [...settingNames, 'GITHUB_TOKEN', 'PATH', 'HOME'], ignore: true },
      run: ['git'],
    })
  })

  test('lets the build of the docs write what it builds, and run the pinned Deno, for Astro, alone', () => {
    expect(permissions.docs).toEqual({
      read: ['.'],
      write: ['dist'],
      env: { allow: ['BASE_URL'], ignore: true },
      run: ['./node_modules/deno/deno'],
    })
  })
})

describe('what the permissions do not allow', () => {
  const programs = {
    start: ['api/deno.ts'],
    devdata: ['api/cli/main.ts', 'migrate'],
  }
  const refusal = (permission: string, path: string) =>
    `Deno has no "${permission}" permission for "${path}": add it to "${permission}" of the task's permissions in ` +
    'deno.json; a data folder or a socket needs both "read" and "write"'

  test.each([
    [
      'start',
      { DATA_DIR: '/nowhere/data' },
      `DATA_DIR /nowhere/data can't be created: ${refusal('write', '/nowhere/data')}`,
    ],
    [
      'devdata',
      { DATA_DIR: '/nowhere/data' },
      `DATA_DIR /nowhere/data can't be created: ${refusal('write', '/nowhere/data')}`,
    ],
    ['start', { DATABASE_URL: 'postgres:///a?host=/nowhere' }, refusal('read', '/nowhere/.s.PGSQL.5432')],
    ['devdata', { DATABASE_URL: 'postgres:///a?host=/nowhere' }, refusal('write', '/nowhere/.s.PGSQL.5432')],
    [
      'start',
      { DATABASE_URL: 'postgres://127.0.0.1/a?sslmode=verify-full&sslrootcert=/nowhere/ca.pem' },
      `DATABASE_URL is invalid: it names a file that can't be read: sslrootcert /nowhere/ca.pem: ${refusal('read', '/nowhere/ca.pem')}`,
    ],
  ] as const)('is said in a line that names the permission: %s with %o', async (name, settings, message) => {
    const { PATH = '', HOME = '' } = process.env
    const failure = await promisify(execFile)(
      deno,
      ['run', '--quiet', '--no-prompt', `-P=${name}`, ...programs[name]],
      { cwd: project, env: { PATH, HOME, ...unset, PORT: '0', ...settings } },
    ).then(
      () => undefined,
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    )
    expect(failure).toEqual({ code: 1, stderr: `${message}\n` })
  })

  test('is said for a .env file too', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'devdata-env-'))
    const flags = ['--quiet', '--no-prompt', `--config=${join(project, 'deno.json')}`, '-P=start']
    await expect(
      promisify(execFile)(deno, ['run', ...flags, join(project, 'api/deno.ts')], { cwd: directory }),
    ).rejects.toMatchObject({ code: 1, stderr: `.env can't be read: ${refusal('read', '.env')}\n` })
    await rm(directory, { recursive: true })
  })
})

describeOnServer('deno task', () => {
  test('start serves what it says, and devdata works beside it', async () => {
    await buildDocs({ ifStale: true })
    const service = await startTestService('postgresql')
    const environment = { ...unset, PORT: '0', DATABASE_URL: service.location.databaseUrl ?? '' }
    {
      await using running = await startProgram([deno, 'task', 'start'], {
        directory: project,
        environment,
        announcement: /devdata is ready at (\S+)/,
        group: true,
      })
      const { PATH = '', HOME = '' } = process.env
      const { stdout } = await promisify(execFile)(
        deno,
        ['task', '--quiet', 'devdata', 'keys', 'create', '--credits', '3', '--json'],
        { cwd: project, env: { PATH, HOME, ...environment } },
      )
      const { api_key: secret }: { api_key: string } = JSON.parse(stdout)
      const get = (path: string) =>
        fetch(`${running.announced}${path}`, { headers: { Authorization: `Bearer ${secret}` } })
      expect((await get('/users?per_page=3')).status).toBe(200)
      expect(await (await get('/users?per_page=1')).json()).toEqual({
        error: 'insufficient credits: need 1, have 0',
      })
      expect((await get('/docs/')).status).toBe(200)
      expect(await (await get('/version')).json()).toMatchObject({
        runtime: expect.stringMatching(/^deno /),
      })
      expect(await running.stop('SIGINT')).toBe(0)
    }
    await service.close()
  })
})
