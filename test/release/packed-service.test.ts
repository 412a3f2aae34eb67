/**
 * The packed service, as an operator installs it: in an empty folder, without a registry and without a clone.
 *
 * @module-tag longest
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCommit, readVersion } from '../../api/build-info.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { createBillOfMaterials } from '../../release/bill-of-materials.ts'
import { packService } from '../../release/service.ts'
import { addLaterMigration } from '../support/later-migration.ts'
import { installService, runNpm } from '../support/npm.ts'
import { inheritEnvironment, startProgram } from '../support/program.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'

const run = promisify(execFile)

const ownFile = `devdata-${readVersion()}.tgz`

let directory: string
let archive: Uint8Array
/** The program. */
let devdata: string

beforeAll(async () => {
  await buildDocs({ ifStale: true })
  directory = await mkdtemp(join(tmpdir(), 'devdata-packed-'))
  const packed = await packService()
  archive = packed.content
  expect(packed.name).toBe(ownFile)
  const file = join(directory, packed.name)
  await writeFile(file, archive)
  devdata = await installService(file, directory)
  // A driver of the machine, which isn't patched, must not take the place of the one inside.
  const hoisted = join(directory, 'lib/node_modules/postgres')
  await mkdir(hoisted)
  await writeFile(
    join(hoisted, 'package.json'),
    '{ "name": "postgres", "version": "3.4.9", "main": "index.js" }',
  )
  await writeFile(join(hoisted, 'index.js'), "throw new Error('this is another driver')")
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Runs a command with a database in a folder of its own. */
async function runCommand(dataDirectory: string, ...parameters: string[]): Promise<string> {
  const env = { ...inheritEnvironment(), DATA_DIR: dataDirectory }
  const { stdout, stderr } = await run(devdata, parameters, { cwd: directory, env })
  return stdout + stderr
}

test('has the licenses of the packages inside', async () => {
  const licenses = await readdir(join(directory, 'lib/node_modules/devdata/node_modules'), {
    recursive: true,
  })
  const packages = ['hono', 'valibot', 'lru-cache', 'commander']
  const licensed = (name: string) => licenses.some((path) => path.toLowerCase().startsWith(`${name}/licen`))
  expect(packages.filter((name) => !licensed(name))).toEqual([])
  const list = await readFile(join(directory, 'lib/node_modules/devdata/licenses/README.md'), 'utf8')
  const rows = [...list.matchAll(/^\| (\S+) \| \d\S* \| (.+) \|$/gm)]
  expect(rows.map(([, name]) => name)).toEqual(expect.arrayContaining([...packages, 'pagefind']))
  // None of them asks for the source of a work that uses it.
  const permissive = /^\(?(MIT|Apache-2\.0|ISC|BSD-3-Clause|BlueOak-1\.0\.0|Unlicense|OFL-1\.1)( OR \S+)?\)?$/
  expect(rows.filter(([, , license = '']) => !permissive.test(license))).toEqual([])
  expect(await readdir(join(directory, 'lib/node_modules/devdata/licenses'))).toEqual([
    'README.md',
    'astrojs-starlight.txt',
    'expressive-code.txt',
    'fontsource-variable-geist-mono.txt',
    'fontsource-variable-hanken-grotesk.txt',
    'pagefind.txt',
    'scalar-api-reference.txt',
  ])
})

test('has a bill of materials that names exactly the packages inside', async () => {
  const { content } = await createBillOfMaterials()
  const { metadata, components, dependencies } = JSON.parse(new TextDecoder().decode(content))
  expect(metadata.component).toMatchObject({ name: 'devdata', version: readVersion() })
  const packages = join(directory, 'lib/node_modules/devdata/node_modules')
  const manifests = (await readdir(packages, { recursive: true })).filter((path) =>
    /^(.+\/node_modules\/)?(@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  )
  const inside = manifests.map(async (path) => {
    const { name, version } = JSON.parse(await readFile(join(packages, path), 'utf8'))
    return `${name}@${version}`
  })
  const listed = components.map(
    ({ name, version }: { name: string; version: string }) => `${name}@${version}`,
  )
  expect(listed.toSorted()).toEqual([...new Set(await Promise.all(inside))].toSorted())
  // Each is there because another needs it.
  const needed = dependencies.flatMap(({ dependsOn }: { dependsOn: string[] }) => dependsOn)
  const urls = components.map(({ purl }: { purl: string }) => purl)
  expect([...new Set(needed)].toSorted()).toEqual(urls.toSorted())
})

test('is the same, byte for byte, when it is packed again', async () => {
  const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
  expect(hash((await packService()).content)).toBe(hash(archive))
})

test('starts, prints a key that works, serves the docs, and stops', async () => {
  const dataDirectory = join(directory, 'data')
  await using service = await startProgram([devdata, 'start'], {
    directory,
    environment: { PORT: '0', DATA_DIR: dataDirectory },
    announcement: /devdata is ready at (http:\/\/127\.0\.0\.1:\d+)\n/,
  })
  const url = service.announced
  const [, key = ''] = /user key (\S+)/.exec(service.readOutput()) ?? []
  const headers = { Authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/users?location=berlin`, { headers })
  expect([response.status, response.headers.get('x-total-count')]).toEqual([200, '51'])
  expect((await fetch(`${url}/docs/quickstart/`)).status).toBe(200)
  expect((await fetch(`${url}/api-docs`)).status).toBe(200)
  expect(await (await fetch(`${url}/version`)).json()).toMatchObject({
    version: readVersion(),
    commit: readCommit(),
  })
  // The command line works through the running service, and messages name this program.
  expect(await runCommand(dataDirectory, 'keys', 'list')).toContain('demo user')
  expect(await runCommand(dataDirectory, 'ledger', 'verify')).toContain('It adds up.')
  expect(await service.stop()).toBe(0)
})

test('has the files for deployments, which the pages mention', async () => {
  const folder = join(directory, 'lib/node_modules/devdata/deploy')
  const files = await readdir(folder, { recursive: true })
  expect(files).toEqual(expect.arrayContaining(['alerts.yml', 'devdata.service', 'proxies/nginx.conf']))
  expect(files.filter((name) => name.includes('.test.'))).toEqual([])
})

test('says how to make the docs for a path, which it lacks', async () => {
  const baseUrl = 'http://127.0.0.1:1/public-api'
  const env = { ...inheritEnvironment(), DATA_DIR: join(directory, 'none'), BASE_URL: baseUrl }
  const doctor = await run(devdata, ['doctor'], { cwd: directory, env }).catch((error) => error)
  expect(doctor.stdout).toContain(`not built for ${baseUrl}; make a packed file or an image for this URL`)
})

test('says which Node it needs', async () => {
  const old = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process.versions, "node", { value: "22.1.0" })')}`
  const program = await readFile(devdata, 'utf8')
  expect(program).toMatch(/^#!\/usr\/bin\/env node\n/)
  const failure = await run(process.execPath, ['--import', old, devdata, 'start']).catch((error) => error)
  expect([failure.code, failure.stderr]).toEqual([
    1,
    `devdata needs Node 24 or later, and this is ${process.version}.\n`,
  ])
})

/** Packed files of earlier releases. `RELEASES` names their folder. */
const { RELEASES: releases } = process.env
const earlier = releases === undefined ? [] : readdirSync(releases).filter((name) => /^devdata-\d/.test(name))

describeOnServer('an upgrade', () => {
  const service = useService('postgresql', { each: true })

  const start = (program: string) =>
    startProgram([program, 'start'], {
      directory,
      environment: {
        PORT: '0',
        DATABASE_URL: service.location.databaseUrl ?? '',
        SHUTDOWN_DELAY_SECONDS: '0',
      },
      announcement: /devdata is ready at (http:\/\/127\.0\.0\.1:\d+)\n/,
    })

  /** Installs the client that a service serves, as readers of the docs do. */
  async function installClientOf(url: string): Promise<string> {
    const folder = await mkdtemp(join(directory, 'client-'))
    const [, file = ''] =
      /clients\/(devdata-client-[\d.]+\.tgz)/.exec(
        await (await fetch(`${url}/docs/typescript-client.md`)).text(),
      ) ?? []
    await runNpm(folder, 'install', '--prefix', folder, `${url}/docs/clients/${file}`)
    await writeFile(
      join(folder, 'read.mjs'),
      `import { createClient } from '@devdata/client'

const [baseUrl, apiKey] = process.argv.slice(2)
const api = createClient({ baseUrl, apiKey })
const user = await api.users.get('ngoldberg')
const list = api.users.list({ location: ['berlin'] }, { budget: 500 })
let count = 0
for await (const { login } of list) if (login !== '') count++
console.log(user.login, count, list.spent)
`,
    )
    return join(folder, 'read.mjs')
  }
  const read = async (program: string, url: string, secret: string) =>
    (await run(process.execPath, [program, url, secret])).stdout.trim()

  /** A later version: this one, with a made-up migration. */
  async function installNext(): Promise<string> {
    const prefix = join(directory, 'next')
    await cp(join(directory, 'lib/node_modules/devdata'), prefix, { recursive: true })
    await using later = await addLaterMigration()
    await cp(join(later.directory, later.name), join(prefix, 'api/database/migrations', later.name))
    return join(prefix, 'bin/devdata.mjs')
  }

  test.for([ownFile, ...earlier])(
    'from %s loses nothing: both versions serve, and the clients of both use both',
    async (file) => {
      const oldProgram =
        file === ownFile
          ? devdata
          : await installService(resolve(releases ?? '', file), join(directory, file.replace('.tgz', '')))
      const nextProgram = await installNext()
      const { secret, id } = await service.createKey({ credits: 1_000 })
      await using old = await start(oldProgram)
      const oldClient = await installClientOf(old.announced)
      const expected = await read(oldClient, old.announced, secret)
      expect(expected).toBe('ngoldberg 51 51')

      const environment = { ...inheritEnvironment(), DATABASE_URL: service.location.databaseUrl ?? '' }
      const migrated = await run(nextProgram, ['migrate'], { cwd: directory, env: environment })
      expect(migrated.stdout).toContain('_note.sql')
      await using next = await start(nextProgram)
      const nextClient = await installClientOf(next.announced)
      const responses = await Promise.all(
        [oldClient, nextClient].flatMap((client) =>
          [old, next].map(({ announced }) => read(client, announced, secret)),
        ),
      )
      expect(responses).toEqual(Array.from({ length: 4 }, () => expected))
      expect(await old.stop()).toBe(0)

      // Back to the old version, on the schema of the next one.
      await using again = await start(oldProgram)
      expect(await read(oldClient, again.announced, secret)).toBe(expected)
      expect(await service.readLedger(id)).toEqual({
        balance: 1_000 - 6 * 52,
        granted: 1_000,
        charged: 6 * 52,
      })
      expect((await verifyLedger(service.sql)).problems).toEqual([])
    },
  )
})
