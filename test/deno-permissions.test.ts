/**
 * What Deno lets the service do: as little as it needs. (The tests of the start, of the command line and of the contract
 * run it with these permissions.)
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { settingNames } from '../api/config.ts'
import { buildDocs } from '../docs-site/build.ts'
import { deno, denoSettings } from './support/deno.ts'
import { startProgram } from './support/program.ts'
import { describeOnServer } from './support/server.ts'
import { startTestService } from './support/service.ts'

const project = resolve(import.meta.dirname, '..')
const { tasks, permissions } = denoSettings
/** Settings of whoever runs the tests must not reach a task; an empty one counts as unset. */
const unset = Object.fromEntries(settingNames.map((name) => [name, '']))

describe('deno.json', () => {
  test('starts everything with permissions that it names, and asks nobody for more', () => {
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
      env: { allow: [...settingNames, 'OTEL_DENO'], ignore: true },
    })
  })

  test('lets the command line read what it is told to load, and run git', () => {
    expect(permissions.devdata).toEqual({
      read: true,
      write: ['.data'],
      net: true,
      env: { allow: [...settingNames, 'PATH', 'HOME'], ignore: true },
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
