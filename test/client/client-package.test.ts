/**
 * The client as a package: what is published, for whom it compiles, and what depends on what.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { version as shellVersion } from '../../client/src/shell/version.ts'
import { installClient } from '../support/client.ts'
import { deno } from '../support/deno.ts'
import { inheritEnvironment } from '../support/program.ts'
import { useStarted } from '../support/suite.ts'

const run = promisify(execFile)
const project = join(import.meta.dirname, '..', '..')
/** Without filters by the time of a use, the history of a dependency, and `watch`, it was 20,000. `watch` takes some 1,700. */
const maxGzippedBytes = 22_500
/** Of the part for operators, which programs of clients don't load. */
const maxAdminBytes = 1_000

const installed = useStarted(installClient)
let packageDirectory: string
beforeAll(() => {
  packageDirectory = join(installed.directory, 'node_modules/@devdata/client')
})

test('the packed file has JavaScript, declarations, README and license, and is small', async () => {
  const files = (await readdir(packageDirectory, { recursive: true })).filter((name) =>
    /\.\w+$|LICENSE/.test(name),
  )
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/client.js']))
  expect(files.filter((name) => /\.ts$/.test(name) && !name.endsWith('.d.ts'))).toEqual([])
  const scripts = files.filter((name) => name.endsWith('.js'))
  for (const name of scripts) expect(files).toContain(name.replace(/\.js$/, '.d.ts'))
  const measure = async (names: readonly string[]) => {
    const code = await Promise.all(names.map((name) => readFile(join(packageDirectory, name))))
    return gzipSync(Buffer.concat(code)).length
  }
  const isAdmin = (name: string) => /^dist\/admin/.test(name)
  const size = await measure(scripts.filter((name) => !isAdmin(name)))
  const adminSize = await measure(scripts.filter(isAdmin))
  console.info(`${size} bytes of JavaScript, gzipped; ${adminSize} for operators`)
  expect(size).toBeLessThan(maxGzippedBytes)
  expect(adminSize).toBeLessThan(maxAdminBytes)
  const { dependencies, version, name } = JSON.parse(
    await readFile(join(packageDirectory, 'package.json'), 'utf8'),
  )
  expect(dependencies).toBe(undefined)
  const jsr = JSON.parse(await readFile(join(project, 'client/deno.json'), 'utf8'))
  expect([name, jsr.version, shellVersion]).toEqual([jsr.name, version, version])
})

test('programs compile strictly against its declarations, without the types of a runtime', async () => {
  const directory = join(installed.directory, 'consumer')
  await mkdir(directory)
  await writeFile(
    join(directory, 'program.ts'),
    `import { createClient, InsufficientCreditsError, type ListState, type User } from '@devdata/client'
import { createAdmin, type Key } from '@devdata/client/admin'

export async function sell(order: string, scopes: undefined): Promise<[number, string | null]> {
  const { keys } = createAdmin({ baseUrl: 'http://localhost', apiKey: 'key' })
  const { id, secret } = await keys.create({ reference: order, credits: 5, notifyBelow: null, scopes })
  // @ts-expect-error A grant needs a reference.
  await keys.grant(id, { credits: 5 })
  const key: Key | undefined = await keys.get(id)
  return [id, key?.status === 'active' ? secret : (await keys.rotate(id)).secret.toLowerCase()]
}

export async function read(saved: ListState | undefined): Promise<string[]> {
  const api = createClient({ baseUrl: 'http://localhost', apiKey: 'key', cache: new Map(), timeoutMs: undefined })
  const user: User | undefined = await api.users.get('ada')
  const list = api.repositories.list({ dependencyNames: ['react'], exclude: 'dependencies' }, { budget: 5_000, resume: saved })
  const names = [user?.login ?? 'nobody']
  try {
    for await (const repository of list) names.push(repository.full_name, repository.dependencies?.[0]?.status ?? '')
    for await (const change of api.changes(5)) if (change.type === 'removal') names.push(change.item.kind)
  } catch (error) {
    if (error instanceof InsufficientCreditsError) names.push(String(error.needed - error.balance))
  }
  // @ts-expect-error There is no such filter.
  api.users.list({ owner: 'ada' })
  // @ts-expect-error A single repository has no dependencies.
  console.log((await api.repositories.get('own/busy'))?.dependencies)
  const state: ListState | undefined = list.state
  return [...names, JSON.stringify(state), list.stoppedBy ?? '']
}
`,
  )
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    module: 'NodeNext',
    types: [],
    noEmit: true,
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const compiler = join(project, 'node_modules/@typescript/native/bin/tsc')
  await run(process.execPath, [compiler, '--project', directory]).catch(({ stdout }: { stdout: string }) =>
    expect.fail(stdout),
  )
})

test('JSR takes it: nothing is missing, and no type is slow', async () => {
  const parameters = ['publish', '--dry-run', '--allow-dirty', '--quiet']
  const options = { cwd: join(project, 'client'), env: { ...inheritEnvironment(), NO_COLOR: '1' } }
  await run(deno, parameters, options).catch(({ stderr }: { stderr: string }) => expect.fail(stderr))
})

test('the service imports nothing of the client but the tools of /mcp, and the client nothing of others', async () => {
  const listImports = async (directory: string) => {
    const files = (await readdir(join(project, directory), { recursive: true })).filter((name) =>
      name.endsWith('.ts'),
    )
    const texts = await Promise.all(files.map((name) => readFile(join(project, directory, name), 'utf8')))
    return new Set(
      texts.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, from = '']) => from)),
    )
  }
  const ofService = [...(await listImports('api'))].filter((from) => /(^|\/)client\/|@devdata\//.test(from))
  expect(ofService.filter((from) => !from.startsWith('../../client/mcp/src/'))).toEqual([])
  const own = [...(await listImports('client/src'))].filter((from) => !/^\.\.?\/[\w-]+\.ts$/.test(from))
  expect(own.filter((from) => !from.startsWith('node:'))).toEqual([])
  const ofMcp = [...(await listImports('client/mcp/src'))].filter(
    (from) => !/^\.\/[\w-]+\.ts$|^node:|^\.\.\/\.\.\/src\/client\.ts$/.test(from),
  )
  expect(ofMcp.sort()).toEqual(['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'])
})
