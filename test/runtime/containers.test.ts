/**
 * The Dockerfile and the compose file: linted, and the image built and started without Docker.
 *
 * @module-tag longest
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startTestForge } from '../support/github-import.ts'
import { buildImage, findImageObstacle } from '../support/image.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const project = resolve(import.meta.dirname, '..', '..')
const readText = (name: string) => readFile(join(project, name), 'utf8')
const dockerfile = await readText('Dockerfile')
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
    const images = new Set(
      [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, name]) => name),
    )
    images.delete('app') // a stage
    expect([versions.size, images.size]).toEqual([1, 1])
    const [[version], [name]] = [[...versions], [...images]]
    expect(name?.replace(digest, '')).toBe(`node:${version}-bookworm-slim`)
  })

  test('starts no program that isn’t in the base in the image of the service', () => {
    const stages = dockerfile.split(/^(?=FROM )/m).slice(1)
    const image = stages.filter((stage) => /^FROM (\S+ AS app|app)\n/.test(stage))
    expect([image.length, image.join().match(/^RUN /gm)]).toEqual([2, null])
  })

  test('has git for imports in an image of its own, which isn’t root’s either', () => {
    const [stage = ''] = /^FROM app AS import\n(?:(?!FROM ).*\n)*/m.exec(dockerfile) ?? []
    expect(stage).toMatch(/apt-get install .* ca-certificates git /)
    expect(stage.match(/^USER .*$/gm)?.at(-1)).toBe('USER node')
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
const commit = '0123456789abcdef0123456789abcdef01234567'

const obstacle = await findImageObstacle()
if (obstacle !== undefined) {
  if (process.env.CI) throw new Error(`CI must not skip the tests on the image: ${obstacle}`)
  console.warn(`skipped: ${obstacle}`)
}
const describeImage = obstacle === undefined ? describeOnServer : describe.skip

describeImage('the image', () => {
  const image = useStarted(() => buildImage({ BASE_URL: baseUrl, COMMIT: commit, VERSION: '0.1.0' }))
  const service = useService('postgresql')

  test('names its version and its commit, and isn’t root’s, nor is its volume', async () => {
    const { uid } = await stat(join(image.root, 'data'))
    expect(uid).toBe(1000) // the id of the user `node`
    expect(image.config).toMatchObject({
      User: 'node',
      WorkingDir: '/app',
      Labels: {
        'org.opencontainers.image.version': '0.1.0',
        'org.opencontainers.image.revision': commit,
        'org.opencontainers.image.licenses': 'MIT',
      },
    })
  })

  test('serves from a root that is read-only, passes its health check, and exits with 0 on SIGTERM', async () => {
    const { secret } = await service.createKey()
    await using running = await image.start({ DATABASE_URL: service.location.databaseUrl ?? '' })
    const [, ...healthCheck] = image.config.Healthcheck.Test
    const checkHealth = () => image.run(healthCheck, { PORT: running.announced })
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
    expect(await readdir(image.volume)).toEqual([])
    await expect(checkHealth()).rejects.toMatchObject({ code: 1 })
  })

  test('is as large as the docs say', async () => {
    const [, total, embedded] =
      /add about (\d+) MB to the Node image, (\d+) MB of which are the embedded\s+database/.exec(
        await readText('docs-site/src/content/docs/containers.md'),
      ) ?? []
    const app = join(image.root, 'app')
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
    const directory = await mkdtemp(join(tmpdir(), 'devdata-refresh-'))
    const tokenFile = join(directory, 'github-token')
    await writeFile(tokenFile, `${fake.addToken()}\n`)
    // The base of the tests has no shell: the command runs beside the image, with its program.
    const bin = join(directory, 'bin')
    await mkdir(bin)
    await symlink(join(image.root, 'app/bin/devdata.mjs'), join(bin, 'devdata'))
    const [shell = '', ...parameters] = command.map((each) =>
      each.replaceAll('$$', '$').replace('/run/secrets/github_token', tokenFile),
    )
    const running = spawn(shell, parameters, {
      cwd: directory,
      env: {
        PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
        DATABASE_URL: service.location.databaseUrl,
        DATA_DIR: join(directory, 'data'),
        GITHUB_IMPORT: `acme-works --api ${fake.forge.apiUrl}`,
        REFRESH_INTERVAL: '0.1',
      },
      detached: true, // a group of its own, so that what the shell has started ends with it
      stdio: 'ignore',
    })
    const ended = once(running, 'close')
    try {
      const countLists = () => fake.forge.requests.filter(({ what }) => what === 'OwnedRepositories').length
      await expect.poll(countLists, { timeout: 60_000 }).toBeGreaterThan(1)
    } finally {
      process.kill(-(running.pid ?? Number.NaN), 'SIGKILL')
      await ended
      await rm(directory, { recursive: true })
    }
    const loaded = await service.sql`
      select from repositories where ('{' || members || '}')::json ->> 'owner_login' = 'acme-works'`
    expect(loaded.length).toBeGreaterThan(2)
  })

  test('holds the embedded database in its volume, without the people of the sample data', async () => {
    await using running = await image.start({})
    expect(running.readOutput()).not.toMatch(/[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}/) // not a trial
    expect(running.readOutput()).toContain('  keys     devdata keys create --credits 1000\n')
    const { stdout } = await image.run(['devdata', 'keys', 'create', '--credits', '1', '--json'])
    const { api_key: key } = v.parse(v.object({ api_key: v.string() }), JSON.parse(stdout))
    const base = `http://127.0.0.1:${running.announced}${basePath}`
    const users = await fetch(`${base}/users?per_page=1`, { headers: { Authorization: `Bearer ${key}` } })
    expect([users.status, users.headers.get('X-Total-Count')]).toEqual([200, '0'])
    expect(await running.stop('SIGTERM')).toBe(0)
  })
})
