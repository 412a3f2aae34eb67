/**
 * What `npm start` starts ends with it, whatever it is doing when it is told to stop.
 *
 * @module-tag later
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { buildDocs } from '../../docs-site/build.ts'
import { copyDocs } from '../support/docs.ts'
import { inheritEnvironment } from '../support/program.ts'

const project = resolve(import.meta.dirname, '..', '..')
const sources = [
  'api',
  'client',
  'deploy',
  'dist/docs',
  'docs-site',
  'patches',
  'sample',
  'CHANGELOG.md',
  'install.mjs',
  'openapi.yml',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
]

let directory: string
const children = new Set<ChildProcess>()

/** A checkout of its own, with the packages of this one. */
beforeAll(async () => {
  await buildDocs({ ifStale: true })
  directory = await mkdtemp(join(tmpdir(), 'devdata-npm-'))
  for (const name of sources) await cp(join(project, name), join(directory, name), { recursive: true })
  for (const path of ['node_modules', 'node_modules/.bin']) {
    await mkdir(join(directory, path))
    for (const name of await readdir(join(project, path))) {
      if (name === '.bin' || name.startsWith('.devdata')) continue
      await symlink(join(project, path, name), join(directory, path, name))
    }
  }
})
beforeEach(() => writeInstaller('exit 0'))
afterEach(() => {
  for (const { pid } of children)
    if (pid !== undefined && listProcesses(pid).length > 0) process.kill(-pid, 'SIGKILL')
  children.clear()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Stands in for the npm that `npm start` installs with, as the packages are there. */
async function writeInstaller(command: string): Promise<void> {
  const path = join(directory, 'node_modules/.bin/npm')
  await writeFile(path, `#!/bin/sh\n${command}\n`)
  await chmod(path, 0o755)
}

/** Starts `npm start` as the leader of a group, and waits until it prints something. */
async function npmStart(expected: RegExp) {
  const child = spawn('npm', ['start'], {
    cwd: directory,
    detached: true,
    env: { ...inheritEnvironment(), NO_COLOR: '1', PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await expect.poll(() => output).toMatch(expected)
  const { pid = 0 } = child
  expect(listProcesses(pid).length).toBeGreaterThan(1)
  return { pid, ended, readOutput: () => output }
}

/** The processes of a group that have not ended. */
function listProcesses(group: number): string[] {
  const lines = execFileSync('ps', ['-eo', 'pgid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => new RegExp(`^ *${group} [^Z]`).test(line))
}

test('its arguments after -- reach the service', async () => {
  const result = await promisify(execFile)('npm', ['start', '--', '--dataset', 'nowhere'], {
    cwd: directory,
    env: { ...inheritEnvironment(), NO_COLOR: '1', PORT: '0' },
  }).catch((error: { code: number; stderr: string }) => error)
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("Can't read nowhere: ") })
})

test('while it installs packages, SIGTERM to npm alone ends all of it', async () => {
  await writeInstaller('echo installing; exec sleep 600')
  await rm(join(directory, 'node_modules/.devdata-installed'), { force: true })
  const { pid, ended } = await npmStart(/^installing$/m)
  process.kill(pid, 'SIGTERM')
  await ended
  await expect.poll(() => listProcesses(pid)).toEqual([])
})

test('while it builds the docs, SIGTERM to npm alone ends all of it, and leaves no lock', async () => {
  await rm(join(directory, 'dist'), { recursive: true })
  const { pid, ended } = await npmStart(/Building the documentation/)
  await expect.poll(() => listProcesses(pid).join('\n')).toContain('astro.mjs build')
  process.kill(pid, 'SIGTERM')
  await ended
  await expect.poll(() => listProcesses(pid)).toEqual([])
  expect(await readdir(join(directory, 'dist'))).not.toContain('docs.lock')
})

test.each([
  ['SIGTERM to npm alone', 'SIGTERM', 1],
  ['Ctrl-C, which reaches all of it,', 'SIGINT', -1],
] as const)(
  'while it serves, %s stops the service, and npm ends with 0 after it',
  async (_, signal, target) => {
    await copyDocs(join(directory, 'dist/docs'))
    await rm(join(directory, '.data'), { recursive: true, force: true })
    await cp(join(inject('databases').directory, 'sample'), join(directory, '.data'), { recursive: true })
    const { pid, ended, readOutput } = await npmStart(/devdata is ready at/)
    process.kill(pid * target, signal)
    expect([await ended, readOutput()]).toEqual([[0, null], expect.not.stringContaining('npm error')])
    expect(listProcesses(pid)).toEqual([])
  },
)
