/**
 * Clients that generators make from `openapi.yml`: they compile strictly, and what they return is what the service
 * sent.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import { createAdaptorServer } from '@hono/node-server'
import openapiTS, { astToString } from 'openapi-typescript'
import { generate } from 'orval'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInstance } from '../support/instance.ts'
import { anyDatabase, useService } from '../support/service.ts'

const project = join(import.meta.dirname, '..', '..')

/** What each client is asked for, in the types that it has for it. */
const summary = `interface Summary {
  logins: string[]
  user: string
  notFound: string
  dependencies: (string | null)[]
  isListed: boolean
  kinds: ('charge' | 'grant' | 'balance')[]
  role: 'user' | 'admin'
  dataset: number | undefined
}
`

/** A generator, and a program that calls the service with what it makes. */
interface Generator {
  name: string
  generate(document: string, directory: string): Promise<void>
  program: string
}

const generators: Generator[] = [
  {
    name: 'openapi-typescript',
    async generate(document, directory) {
      const nodes = await openapiTS(pathToFileURL(document))
      await writeFile(join(directory, 'schema.ts'), astToString(nodes))
    },
    program: `
import type { components, paths } from './schema.js'

type Get<Path extends keyof paths> = paths[Path] extends { get: { responses: { 200: { content: { 'application/json': infer Body } } } } } ? Body : never
type Status = NonNullable<components['schemas']['RepositoryDependency']['status']>

export async function call(baseUrl: string, key: string): Promise<Summary> {
  async function send<Body>(path: string): Promise<Body> {
    const response = await fetch(baseUrl + path, { headers: { Authorization: \`Bearer \${key}\` } })
    return (await response.json()) as Body
  }
  const users = await send<Get<'/users'>>('/users?per_page=2&dependency_names=hono,react&location=berlin&location=paris')
  const user = await send<Get<'/users/{login}'>>('/users/ngoldberg')
  const { error } = await send<components['schemas']['ErrorBody']>('/repos/nobody/nothing')
  const repositories = await send<Get<'/repos'>>('/repos?per_page=2&dependency_names=hono')
  const single = await send<Get<'/repos/{owner}/{name}'>>('/repos/yarrow-collective/monolith')
  const usage = await send<Get<'/api-key/usage'>>('/api-key/usage')
  const credits = await send<Get<'/api-key/credits'>>('/api-key/credits')
  const version = await send<Get<'/version'>>('/version')
  const statuses: (Status | null)[] = repositories.data.flatMap(({ dependencies }) => (dependencies ?? []).map(({ status }) => status))
  // @ts-expect-error A single repository has no dependencies.
  single.dependencies
  return {
    logins: users.data.map(({ login }) => login),
    user: user.login,
    notFound: error,
    dependencies: statuses,
    isListed: 'dependencies' in single,
    kinds: usage.data.map(({ kind }) => kind),
    role: credits.role,
    dataset: version.dataset?.version,
  }
}
`,
  },
  {
    name: '@hey-api/openapi-ts',
    async generate(document, directory) {
      await createClient({
        input: document,
        output: { path: join(directory, 'generated'), tsConfigPath: join(directory, 'tsconfig.json') },
        logs: { level: 'silent' },
      })
    },
    program: `
import { client } from './generated/client.gen.js'
import * as api from './generated/sdk.gen.js'
import type { DependencyStatus, ErrorBody } from './generated/types.gen.js'

export async function call(baseUrl: string, key: string): Promise<Summary> {
  client.setConfig({ baseUrl, auth: key })
  const options = { throwOnError: true } as const
  const { data: users } = await api.listUsers({ ...options, query: { per_page: 2, dependency_names: ['hono', 'react'], location: ['berlin', 'paris'] } })
  const { data: user } = await api.getUser({ ...options, path: { login: 'ngoldberg' } })
  const { error } = await api.getRepository({ path: { owner: 'nobody', name: 'nothing' } })
  const { data: repositories } = await api.listRepositories({ ...options, query: { per_page: 2, dependency_names: ['hono'] } })
  const { data: single } = await api.getRepository({ ...options, path: { owner: 'yarrow-collective', name: 'monolith' } })
  const { data: usage } = await api.listUsage(options)
  const { data: credits } = await api.getCredits(options)
  const { data: version } = await api.getVersion(options)
  const statuses: (DependencyStatus | null)[] = repositories.data.flatMap(({ dependencies }) => (dependencies ?? []).map(({ status }) => status))
  const notFound: ErrorBody | undefined = error
  // @ts-expect-error A single repository has no dependencies.
  single.dependencies
  return {
    logins: users.data.map(({ login }) => login),
    user: user.login,
    notFound: notFound?.error ?? '',
    dependencies: statuses,
    isListed: 'dependencies' in single,
    kinds: usage.data.map(({ kind }) => kind),
    role: credits.role,
    dataset: version.dataset?.version,
  }
}
`,
  },
  {
    name: 'orval',
    async generate(document, directory) {
      await generate({
        input: { target: document },
        output: {
          target: join(directory, 'generated.ts'),
          client: 'fetch',
          mode: 'single',
          baseUrl: { getBaseUrlFromSpecification: true },
        },
      })
    },
    program: `
import * as api from './generated.js'

export async function call(_baseUrl: string, key: string): Promise<Summary> {
  const options = { headers: { Authorization: \`Bearer \${key}\` } }
  const users = await api.listUsers({ per_page: 2, dependency_names: ['hono', 'react'], location: ['berlin', 'paris'] }, options)
  const user = await api.getUser('ngoldberg', options)
  const missing = await api.getRepository('nobody', 'nothing', options)
  const repositories = await api.listRepositories({ per_page: 2, dependency_names: ['hono'] }, options)
  const single = await api.getRepository('yarrow-collective', 'monolith', options)
  const usage = await api.listUsage({}, options)
  const credits = await api.getCredits(options)
  const version = await api.getVersion(options)
  if (users.status !== 200 || user.status !== 200 || repositories.status !== 200 || single.status !== 200) throw new Error('a call failed')
  if (usage.status !== 200 || credits.status !== 200 || version.status !== 200 || missing.status !== 404) throw new Error('a call failed')
  const statuses: (api.DependencyStatus | null)[] = repositories.data.data.flatMap(({ dependencies }) => (dependencies ?? []).map(({ status }) => status))
  // @ts-expect-error A single repository has no dependencies.
  single.data.dependencies
  return {
    logins: users.data.data.map(({ login }) => login),
    user: user.data.login,
    notFound: missing.data.error,
    dependencies: statuses,
    isListed: 'dependencies' in single.data,
    kinds: usage.data.data.map(({ kind }) => kind),
    role: credits.data.role,
    dataset: version.data.dataset?.version,
  }
}
`,
  },
]

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'ES2024',
  lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'NodeNext',
  types: [],
  outDir: 'compiled',
}

const programSchema = v.object({
  call: v.pipe(
    v.function(),
    v.transform(
      (call) =>
        (baseUrl: string, key: string): unknown =>
          call(baseUrl, key),
    ),
  ),
})

const service = useService(anyDatabase)
let baseUrl: string
let directory: string
let document: string
const server = createAdaptorServer({ fetch: (request) => app.fetch(request) })
let app: ReturnType<typeof createInstance>['app']

beforeAll(async () => {
  app = createInstance(service).app
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await mkdir(join(project, 'dist'), { recursive: true })
  directory = await mkdtemp(join(project, 'dist', 'clients-'))
  document = join(directory, 'openapi.json')
  await writeFile(document, await (await fetch(`${baseUrl}/openapi.json`)).text())
})

afterAll(async () => {
  await new Promise((closed) => server.close(closed))
  await rm(directory, { recursive: true, force: true })
})

test.each(generators)(
  '$name makes a client that compiles strictly and gets what the service sends',
  async (generator) => {
    const folder = join(directory, generator.name.replaceAll(/\W/g, '-'))
    await mkdir(folder)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts', 'generated'] }),
    )
    await writeFile(join(folder, 'program.ts'), summary + generator.program)
    await generator.generate(document, folder)
    const compiler = join(project, 'node_modules/@typescript/native/bin/tsc')
    await promisify(execFile)(process.execPath, [compiler, '--project', folder]).catch(
      ({ stdout }: { stdout: string }) => expect.fail(stdout),
    )

    const { secret } = await service.createKey({ credits: 100 })
    const module: unknown = await import(pathToFileURL(join(folder, 'compiled/program.js')).href)
    const given = await v.parse(programSchema, module).call(baseUrl, secret)

    const read = async (path: string) => {
      const response = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${secret}` } })
      return response.json()
    }
    const users = await read('/users?per_page=2&dependency_names=hono,react&location=berlin&location=paris')
    const repositories = await read('/repos?per_page=2&dependency_names=hono')
    const statuses = repositories.data.flatMap(({ dependencies }: { dependencies: { status: string }[] }) =>
      dependencies.map(({ status }) => status),
    )
    expect(statuses.length).toBeGreaterThan(1)
    expect(given).toEqual({
      logins: users.data.map(({ login }: { login: string }) => login),
      user: 'ngoldberg',
      notFound: 'Repository not found',
      dependencies: statuses,
      isListed: false,
      kinds: ['charge', 'charge', 'charge', 'charge', 'grant'],
      role: 'user',
      dataset: expect.any(Number),
    })
  },
)
