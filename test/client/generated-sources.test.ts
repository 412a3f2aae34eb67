/**
 * What the clients have of openapi.yml: types of bodies, and filters. A filter is added there, and nowhere else.
 */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { generateSources, writeSources } from '../../client/build.ts'
import { inheritEnvironment, succeeds } from '../support/program.ts'

const run = promisify(execFile)
const clients = join(import.meta.dirname, '..', '..', 'client')
const hasPython = await succeeds('python3', '--version')

/** The clients for a document with another filter. */
async function generateWithFilter(): Promise<string> {
  const sources = await generateSources(({ paths, components: { parameters } }) => {
    parameters.min_things = {
      name: 'min_things',
      in: 'query',
      description: 'Selects repositories with at least\nthis many things. In digits, without leading zeros.',
      schema: { type: 'integer', minimum: 1 },
    }
    const { parameters: ofRepositories = [] } = paths['/repos'] ?? {}
    paths['/repos'] = { parameters: [...ofRepositories, { $ref: '#/components/parameters/min_things' }] }
  })
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'devdata-filters-')))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await cp(clients, directory, { recursive: true, filter: (path) => !/node_modules|__pycache__/.test(path) })
  await writeSources(directory, sources)
  return directory
}

test('files that follow from openapi.yml do so; if not, run npm run client', async () => {
  for (const [path, text] of Object.entries(await generateSources())) {
    expect([path, await readFile(join(clients, path), 'utf8')]).toEqual([path, text])
  }
})

describe('a filter that openapi.yml gets', () => {
  test('is one of the TypeScript client and of its command line', async () => {
    const directory = await generateWithFilter()
    const types = await readFile(join(directory, 'src/filter-types.ts'), 'utf8')
    expect(types).toMatch(
      /interface RepositoryFilter \{[^}]*\/\*\* Selects repositories with at least this many things\. \*\/\n {2}minThings\?: number \| undefined\n/,
    )
    expect(types.match(/minThings/g)).toHaveLength(1)
    const shell = (...args: string[]) =>
      run(process.execPath, [join(directory, 'src/shell/main.ts'), ...args], { env: inheritEnvironment() })
    expect((await shell('--help')).stdout).toContain(
      '\n  --min-things N        repositories with at least this many things\n',
    )
    await expect(shell('users', '--min-things', '5')).rejects.toThrow("users doesn't have --min-things")
    await expect(shell('repos', '--min-things', 'x')).rejects.toThrow('--min-things must be a whole number')
    await expect(shell('repos', '--min-things', '5')).rejects.toThrow('DEVDATA_URL or --url')
  })

  test('is one of the tools for assistants', async () => {
    const directory = await generateWithFilter()
    const program = `
      const { filters, schemas, toFilter } = await import(${JSON.stringify(join(directory, 'mcp/src/schemas.ts'))})
      const { inputSchema } = schemas.findRepositories
      const read = (given) => inputSchema['~standard'].validate(given).value
      console.log(JSON.stringify([
        inputSchema['~standard'].jsonSchema.input().properties.min_things,
        toFilter(filters.repositories, read({ min_things: '5' })),
        read({ min_things: 0 }).message,
        Object.values(schemas).map(({ filters }) => filters.includes('min_things')),
      ]))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program])
    expect(JSON.parse(stdout)).toEqual([
      { type: 'integer', minimum: 1, description: 'repositories with at least this many things' },
      { minThings: 5 },
      'min_things must be 1 or more, but is 0',
      [false, true, false, false, false, false, true],
    ])
  })

  test.skipIf(!hasPython)('is one of the Python client', async () => {
    const directory = await generateWithFilter()
    const program = `
from devdata_client import RepositoryFilter, UserFilter
from devdata_client.client import _check
print(["min_things" in kind.__annotations__ for kind in (UserFilter, RepositoryFilter)])
print(_check({"min_things": 5}, RepositoryFilter))`
    const { stdout } = await run('python3', ['-B', '-c', program], {
      env: { ...inheritEnvironment(), PYTHONPATH: join(directory, 'python/src') },
    })
    expect(stdout).toBe("[False, True]\n{'min_things': 5}\n")
    const types = await readFile(join(directory, 'python/src/devdata_client/_filter_types.py'), 'utf8')
    expect(types).toContain(
      '    min_things: int | None\n    """Selects repositories with at least this many things."""\n',
    )
  })
})
