/**
 * The Dockerfile and the compose file: read by linters, and the image's own steps done where there is no Docker.
 *
 * @module
 */
import { execFile, execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DCLinter } from 'dclint'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildDocs } from '../docs-site/build.ts'
import { buildImage, dockerfile, type Image, measureFolder } from './support/image.ts'
import { type RunningProgram, startProgram } from './support/program.ts'
import { describeOnServer } from './support/server.ts'
import { startTestService, type TestService } from './support/service.ts'

const project = resolve(import.meta.dirname, '..')
const readText = (name: string) => readFile(join(project, name), 'utf8')

describe('the Dockerfile', () => {
  test('has nothing that a linter finds', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([])
  })

  test('starts from the Node that this repository is tested on, by its full version', async () => {
    const lockSchema = v.object({
      packages: v.object({ 'node_modules/node': v.object({ version: v.string() }) }),
    })
    const lock = v.parse(lockSchema, JSON.parse(await readText('package-lock.json')))
    const images = DockerfileParser.parse(dockerfile)
      .getFROMs()
      .map((from) => from.getImage())
    expect(new Set(images)).toEqual(
      new Set([`node:${lock.packages['node_modules/node'].version}-bookworm-slim`]),
    )
  })

  test('starts the service as npm start does', async () => {
    const { scripts } = v.parse(
      v.object({ scripts: v.object({ start: v.string() }) }),
      JSON.parse(await readText('package.json')),
    )
    const [command] = DockerfileParser.parse(dockerfile).getCMDs()
    const words = command?.getJSONStrings().map((word) => word.getJSONValue())
    expect(scripts.start).toBe(`exec ${words?.join(' ')}`)
  })
})

describe('the compose file', () => {
  const linter = new DCLinter({
    rules: { 'require-quotes-in-ports': [1, { quoteType: 'double' }] },
    quiet: false,
    debug: false,
    exclude: [],
  })
  const findingsSchema = v.array(
    v.object({ messages: v.array(v.object({ rule: v.string(), message: v.string(), line: v.number() })) }),
  )

  /** What the linter finds in a text, in which variables have their defaults. */
  async function lint(text: string): Promise<string[]> {
    const directory = await mkdtemp(join(tmpdir(), 'devdata-compose-'))
    try {
      const path = join(directory, 'compose.yaml')
      await writeFile(path, text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'))
      return v
        .parse(findingsSchema, linter.lintFiles([path], false))
        .flatMap(({ messages }) => messages)
        .map(({ rule, message, line }) => `line ${line}: ${rule}: ${message}`)
    } finally {
      await rm(directory, { recursive: true })
    }
  }

  test('is what the Compose specification allows, and has nothing that a linter finds', async () => {
    const text = await readText('compose.yaml')
    expect(await lint(text)).toEqual([])
    expect(await lint(text.replace('ports:', 'prots:'))).toEqual([expect.stringContaining('invalid-schema')])
  })

  test('names the full version of what it does not build', async () => {
    const schema = v.object({ services: v.record(v.string(), v.object({ image: v.optional(v.string()) })) })
    const { services } = v.parse(schema, parse(await readText('compose.yaml')))
    const images = Object.values(services).flatMap(({ image }) => image ?? [])
    expect(images).toEqual([expect.stringMatching(/^postgres:\d+\.\d+-\w+$/)])
  })
})

const basePath = '/public-api'

/** Somebody without rights, to stand for the image's user. */
function findAccount(): { uid: number; gid: number } {
  const { uid, gid } = userInfo()
  if (uid !== 0) return { uid, gid }
  const read = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: read('-u'), gid: read('-g') }
}

describeOnServer('the image', () => {
  const account = findAccount()
  let directory: string
  let image: Image
  let service: TestService
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'devdata-image-'))
    await chmod(directory, 0o755)
    // The stage that needs all packages builds the docs, and nothing else: that is done with those of this checkout.
    const baseUrl = `https://api.example.com${basePath}`
    const docs = resolve(project, 'dist/docs-image')
    await buildDocs({ baseUrl, directory: docs, ifStale: true })
    image = await buildImage(directory, {
      parameters: { BASE_URL: baseUrl },
      account,
      given: { docs: { '/app/dist/docs': docs } },
    })
    expect(image.skipped).toEqual([expect.stringMatching(/^npm install /), 'node docs-site/build.ts'])
    // A read-only root file system: the user owns nothing there but the volume.
    if (userInfo().uid !== 0) await promisify(execFile)('chmod', ['-R', 'a-w', join(image.root, 'app')])
    service = await startTestService('postgresql')
  })
  afterAll(async () => {
    await service?.close()
    await promisify(execFile)('chmod', ['-R', 'u+w', directory])
    await rm(directory, { recursive: true, force: true })
  })

  const inImage = () => join(image.root, image.workingDirectory)
  const settings = () => ({ ...image.environment, HOST: '127.0.0.1', PORT: '0' })
  const commandOf = ([program = '', ...parameters]: string[]) => {
    expect(program).toBe('node')
    return [process.execPath, ...parameters]
  }
  const start = (more: Record<string, string>): Promise<RunningProgram> =>
    startProgram(commandOf(image.command), {
      directory: inImage(),
      environment: { ...settings(), ...more },
      announcement: /listening on http:\/\/127\.0\.0\.1:(\d+)/,
      ...(userInfo().uid === 0 && { account }),
    })
  const checkHealth = (port: string) =>
    promisify(execFile)(commandOf(image.healthCheck)[0] ?? '', image.healthCheck.slice(1), {
      cwd: inImage(),
      env: { ...settings(), PORT: port },
    }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    )

  test('runs as somebody who may write nothing, says that it is well, serves, and ends with 0 when it is told to', async () => {
    expect(image.user).toBe('node')
    const { secret } = await service.createKey()
    const running = await start({ DATABASE_URL: service.location.databaseUrl ?? '' })
    const port = running.announced
    const base = `http://127.0.0.1:${port}${basePath}`
    expect(await checkHealth(port)).toEqual({ code: 0, stdout: expect.stringContaining('"ok"') })
    const users = await fetch(`${base}/users?per_page=1`, { headers: { Authorization: `Bearer ${secret}` } })
    expect(users.status).toBe(200)
    expect(users.headers.get('Link')).toContain(`<https://api.example.com${basePath}/users?`)
    const page = await fetch(`${base}/docs/`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')])
    expect((await fetch(`${base}/api-docs`)).status).toBe(200)
    expect(await running.stop('SIGTERM')).toBe(0)
    expect((await measureFolder(join(image.root, 'data'))).files).toEqual([])
    expect(await checkHealth(port)).toEqual({ code: 1, stdout: expect.stringContaining('No response') })
  })

  test('holds the embedded database in its volume, and the sample data', async () => {
    const running = await start({})
    expect(running.readOutput()).not.toMatch(/[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}/) // it is no trial
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['api/cli/main.ts', 'keys', 'create', '--credits', '1', '--json'],
      { cwd: inImage(), env: settings(), ...(userInfo().uid === 0 && account) },
    )
    const { api_key: key } = v.parse(v.object({ api_key: v.string() }), JSON.parse(stdout))
    const base = `http://127.0.0.1:${running.announced}${basePath}`
    const users = await fetch(`${base}/users?per_page=1`, { headers: { Authorization: `Bearer ${key}` } })
    expect([users.status, users.headers.get('X-Total-Count')]).toEqual([200, '300'])
    expect(await running.stop('SIGTERM')).toBe(0)
  })

  test('has nothing that only builds or tests, and is small', async () => {
    const { devDependencies } = v.parse(
      v.object({ devDependencies: v.record(v.string(), v.string()) }),
      JSON.parse(await readText('package.json')),
    )
    // An image's docs are built in an empty folder; this checkout has builds for other settings too.
    const builds = (await readdir(join(inImage(), 'dist/docs'))).filter((name) => !name.startsWith('for-'))
    const sizes = await Promise.all(builds.map((name) => measureFolder(join(inImage(), 'dist/docs', name))))
    const others = sizes.reduce((sum, { bytes }) => sum + bytes, 0) * (1 - 1 / builds.length)
    const { bytes, files } = await measureFolder(inImage())
    const installed = new Set(
      files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\//.exec(file)?.[1] ?? []),
    )
    expect(Object.keys(devDependencies).filter((name) => installed.has(name))).toEqual([])
    expect(installed.size).toBeLessThan(35)
    expect(files.filter((file) => /^(docs-site|test|bench)\/|\.astro$/.test(file))).toEqual([])
    expect(bytes - others).toBeLessThan(75e6)
  })
})
