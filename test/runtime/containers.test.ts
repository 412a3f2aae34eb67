/**
 * The Dockerfile and the compose file: linted, and the files that the image copies are started without Docker.
 *
 * @module
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { findDocs } from '../../api/portal/docs-manifest.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { startTestForge } from '../support/github-import.ts'
import { type RunningProgram, startProgram } from '../support/program.ts'
import { describeOnServer } from '../support/server.ts'
import { startTestService, type TestService } from '../support/service.ts'

const project = resolve(import.meta.dirname, '..', '..')
const readText = (name: string) => readFile(join(project, name), 'utf8')
const dockerfile = await readText('Dockerfile')
const stages = dockerfile.split(/^(?=FROM )/m).slice(1)
const findStage = (name: string) =>
  stages.find((stage) => stage.split('\n', 1)[0]?.endsWith(` AS ${name}`)) ?? ''
/** The two stages that become the image of the service. */
const image = findStage('app') + stages.at(-1)

/** The command of an instruction, in the form that needs no shell. */
function readCommand(instruction: RegExp): string[] {
  return v.parse(v.array(v.string()), JSON.parse(instruction.exec(image)?.[1] ?? ''))
}
const command = readCommand(/^CMD (.+)$/m)
const healthCheck = readCommand(/^HEALTHCHECK .*CMD (.+)$/m)

/** What pins an image to its bytes. */
const digest = /@sha256:[\da-f]{64}$/

describe('the Dockerfile', () => {
  test('has nothing that a linter finds', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([])
  })

  test('starts from the Node that this repository is tested on, by its full version', async () => {
    const { optionalDependencies } = v.parse(
      v.object({ optionalDependencies: v.record(v.string(), v.string()) }),
      JSON.parse(await readText('package.json')),
    )
    const packages = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'))
    const versions = new Set(packages.map(([, version]) => version))
    const images = new Set([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name))
    images.delete('app') // a stage
    expect([versions.size, images.size]).toEqual([1, 1])
    const [[version], [name]] = [[...versions], [...images]]
    expect(name?.replace(digest, '')).toBe(`node:${version}-bookworm-slim`)
  })

  test('starts the service as npm start does, and not as root', async () => {
    const { scripts } = v.parse(
      v.object({ scripts: v.object({ start: v.string() }) }),
      JSON.parse(await readText('package.json')),
    )
    expect(scripts.start).toBe(`exec ${command.join(' ')}`)
    expect(image.match(/^USER .*$/gm)).toEqual(['USER node'])
    expect(stages.at(-1)).toMatch(/^FROM app\n/)
  })

  test('has git for imports in an image of its own, which isn’t root’s either', () => {
    const stage = findStage('import')
    expect(stage).toMatch(/^FROM app AS import\n/)
    expect(stage).toMatch(/apt-get install .* ca-certificates git /)
    expect(stage.match(/^USER .*$/gm)?.at(-1)).toBe('USER node')
  })

  test('copies nothing that .dockerignore leaves out', async () => {
    const included = (await readText('.dockerignore')).match(/(?<=^!).+$/gm)
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    )
    const isIncluded = (name: string) => included?.some((path) => `${name}/`.startsWith(`${path}/`))
    expect(copied.filter((name) => name !== '.' && !isIncluded(name))).toEqual([])
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

  test('has a variant for a cluster, of which a linter finds nothing', async () => {
    expect(await lint(await readText('compose.citus.yaml'))).toEqual([])
  })

  test('is what the Compose specification allows, and has nothing that a linter finds', async () => {
    const text = await readText('compose.yaml')
    expect(await lint(text)).toEqual([])
    expect(await lint(text.replace('ports:', 'prots:'))).toEqual([expect.stringContaining('invalid-schema')])
  })

  test('names the full version of what it does not build', async () => {
    const schema = v.object({ services: v.record(v.string(), v.object({ image: v.optional(v.string()) })) })
    const { services } = v.parse(schema, parse(await readText('compose.yaml')))
    const images = Object.values(services).flatMap(({ image }) => image?.replace(digest, '') ?? [])
    expect(images).toEqual([expect.stringMatching(/^postgres:\d+\.\d+-\w+$/)])
  })
})

const composeSchema = v.object({
  services: v.looseObject({
    refresh: v.object({
      build: v.object({ target: v.string() }),
      profiles: v.array(v.string()),
      command: v.array(v.string()),
    }),
  }),
})

const basePath = '/public-api'
const baseUrl = `https://api.example.com${basePath}`

/** The account of the service: this one, or `nobody` if this is root. */
function findAccount(): { uid: number; gid: number } | undefined {
  if (userInfo().uid !== 0) return undefined
  const read = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: read('-u'), gid: read('-g') }
}

describeOnServer('the image', () => {
  const account = findAccount()
  let directory: string
  let app: string
  let data: string
  let commit: string
  let service: TestService
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'devdata-image-'))
    await chmod(directory, 0o755)
    app = join(directory, 'app')
    data = join(directory, 'data')
    for (const folder of [app, data]) await mkdir(folder)
    if (account) await chown(data, account.uid, account.gid)
    const sources = [...image.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    )
    for (const name of sources) await cp(join(project, name), join(app, name), { recursive: true })
    commit = await copyCommit()
    const docs = join(project, 'dist/docs-image')
    await buildDocs({ baseUrl, directory: docs, ifStale: true })
    // An image is built without earlier builds of the docs.
    const current = (await findDocs(docs, baseUrl))?.directory ?? ''
    await cp(docs, join(app, 'dist/docs'), {
      recursive: true,
      filter: (path) => path === docs || path.startsWith(join(docs, 'for-')) || path.startsWith(current),
    })
    await installPackages(join(directory, 'packages'))
    if (!account) await promisify(execFile)('chmod', ['-R', 'a-w', app])
    service = await startTestService('postgresql')
  })
  afterAll(async () => {
    await service?.close()
    await promisify(execFile)('chmod', ['-R', 'u+w', directory])
    await rm(directory, { recursive: true, force: true })
  })

  /** Copies what .dockerignore includes of a clone, as the image does. Returns the clone's commit. */
  async function copyCommit(): Promise<string> {
    const clone = join(directory, 'clone')
    const git = (...parameters: string[]) => {
      const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
      return execFileSync('git', ['-C', clone, ...identity, ...parameters], { encoding: 'utf8' }).trim()
    }
    execFileSync('git', ['init', '--quiet', clone])
    git('commit', '--quiet', '--allow-empty', '--message', 'One')
    const included = (await readText('.dockerignore')).match(/(?<=^!)\.git\/.+$/gm) ?? []
    expect(dockerfile).toMatch(/^COPY \. \.\n(?:.*\n)*?RUN mkdir -p \.git$/m)
    expect(image).toMatch(/^COPY --from=docs \/app\/\.git \.git$/m)
    for (const path of included.filter((path) => existsSync(join(clone, path)))) {
      await cp(join(clone, path), join(app, path), { recursive: true })
    }
    return git('rev-parse', 'HEAD')
  }

  /** As the stage `packages` does. */
  async function installPackages(folder: string): Promise<void> {
    await mkdir(folder)
    for (const name of ['package.json', 'package-lock.json', 'patches'])
      await cp(join(project, name), join(folder, name), { recursive: true })
    const [, install = ''] = /^RUN (npm install .*--omit=dev.*)$/m.exec(dockerfile) ?? []
    await promisify(execFile)('/bin/sh', ['-ec', install], { cwd: folder })
    await cp(join(folder, 'node_modules'), join(app, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    })
  }

  const settings = { NODE_ENV: 'production', BASE_URL: baseUrl, HOST: '127.0.0.1', LOG_FORMAT: 'json' }
  const start = (databaseSettings: Record<string, string>): Promise<RunningProgram> =>
    startProgram([process.execPath, ...command.slice(1)], {
      directory: app,
      environment: { ...settings, PORT: '0', DATA_DIR: data, ...databaseSettings },
      announcement: /listening on http:\/\/127\.0\.0\.1:(\d+)/,
      account,
    })
  const run = (parameters: string[], environment: Record<string, string>) =>
    promisify(execFile)(process.execPath, parameters, {
      cwd: app,
      env: { ...settings, ...environment },
      ...account,
    })

  test('runs without a permission to write, passes its health check, serves, and exits with 0 on SIGTERM', async () => {
    const { secret } = await service.createKey()
    const running = await start({ DATABASE_URL: service.location.databaseUrl ?? '' })
    const checkHealth = () => run(healthCheck.slice(1), { PORT: running.announced })
    const base = `http://127.0.0.1:${running.announced}${basePath}`
    expect((await checkHealth()).stdout).toContain('"ok"')
    const users = await fetch(`${base}/users?per_page=1`, { headers: { Authorization: `Bearer ${secret}` } })
    expect(users.status).toBe(200)
    expect(users.headers.get('Link')).toContain(`<${baseUrl}/users?`)
    expect(await (await fetch(`${base}/version`)).json()).toMatchObject({ commit })
    const page = await fetch(`${base}/docs/`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')])
    expect((await fetch(`${base}/api-docs`)).status).toBe(200)
    const tools = await fetch(`${base}/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    expect((await tools.json()).result.tools.length).toBe(7)
    expect(await running.stop('SIGTERM')).toBe(0)
    expect(await readdir(data)).toEqual([])
    await expect(checkHealth()).rejects.toMatchObject({ code: 1 })
  })

  // `du` of other systems doesn't count bytes.
  test.skipIf(process.platform !== 'linux')('is as large as the docs say', async () => {
    const [, total, embedded] =
      /add about (\d+) MB to the Node image, (\d+) MB of which are the embedded\s+database/.exec(
        await readText('docs-site/src/content/docs/containers.md'),
      ) ?? []
    const megabytes = [app, join(app, 'node_modules/@electric-sql')].map((path) => {
      const bytes = execFileSync('du', ['--summarize', '--bytes', path], { encoding: 'utf8' })
      return Number.parseInt(bytes, 10) / 1_000_000
    })
    console.log(`the image adds ${megabytes.map(Math.round).join(' MB, with an embedded database of ')} MB`)
    expect(Math.abs((megabytes[0] ?? 0) - Number(total))).toBeLessThan(6)
    expect(Math.abs((megabytes[1] ?? 0) - Number(embedded))).toBeLessThan(6)
  })

  test('with git refreshes the data after each interval, in a container that Compose starts only if it is told to', async () => {
    const { services } = v.parse(composeSchema, parse(await readText('compose.yaml')))
    const { build, profiles, command } = services.refresh
    expect([build.target, profiles]).toEqual(['import', ['refresh']])
    await using fake = await startTestForge({ repositories: 2 })
    const tokenFile = join(directory, 'github-token')
    await writeFile(tokenFile, `${fake.addToken()}\n`)
    const [shell = '', ...parameters] = command.map((each) =>
      each.replaceAll('$$', '$').replace('/run/secrets/github_token', tokenFile),
    )
    const running = spawn(shell, parameters, {
      cwd: app,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        DATABASE_URL: service.location.databaseUrl,
        DATA_DIR: data,
        GITHUB_IMPORT: `acme-works --api ${fake.forge.apiUrl}`,
        REFRESH_INTERVAL: '0.1',
      },
      detached: true, // a group of its own, so that what the shell has started ends with it
      stdio: 'ignore',
      ...account,
    })
    const ended = once(running, 'close')
    const countLists = () => fake.forge.requests.filter(({ what }) => what === 'OwnedRepositories').length
    await expect.poll(countLists, { timeout: 60_000 }).toBeGreaterThan(1)
    process.kill(-(running.pid ?? Number.NaN), 'SIGKILL')
    await ended
    const loaded = await service.sql`
      select from repositories where ('{' || members || '}')::json ->> 'owner_login' = 'acme-works'`
    expect(loaded.length).toBeGreaterThan(2)
    await rm(join(data, 'clones'), { recursive: true })
  })

  test('holds the embedded database in its volume, and the sample data', async () => {
    const running = await start({})
    expect(running.readOutput()).not.toMatch(/[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}/) // not a trial
    expect(running.readOutput()).toContain('  keys     node api/cli/main.ts keys create --credits 1000\n')
    const { stdout } = await run(['api/cli/main.ts', 'keys', 'create', '--credits', '1', '--json'], {
      DATA_DIR: data,
    })
    const { api_key: key } = v.parse(v.object({ api_key: v.string() }), JSON.parse(stdout))
    const base = `http://127.0.0.1:${running.announced}${basePath}`
    const users = await fetch(`${base}/users?per_page=1`, { headers: { Authorization: `Bearer ${key}` } })
    expect([users.status, users.headers.get('X-Total-Count')]).toEqual([200, '300'])
    expect(await running.stop('SIGTERM')).toBe(0)
  })
})
