/** Real git repositories in temporary folders. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach } from 'vitest'
import { openClone } from '../../api/sources/git/clone.ts'
import { readDependencyHistory } from '../../api/sources/git/history.ts'

/** A folder for the clones of a file of tests. */
export let root = ''
const setBefore = new Map<string, string | undefined>()

/** Makes the folder for clones, and registers the hooks that clean up. For the top of a file of tests. */
export function useClones(): void {
  const folder = mkdtempSync(join(tmpdir(), 'git-history-'))
  root = folder
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  afterEach(() => {
    for (const [name, value] of setBefore) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    setBefore.clear()
  })
}

/** Sets an environment variable of this process until the test ends. */
export function setVariable(name: string, value: string) {
  setBefore.set(name, process.env[name])
  process.env[name] = value
}

/** A repository in a temporary folder. Tests set the dates of commits. The user's settings of git don't count. */
export class Clone {
  readonly path: string

  constructor(name: string, ...initOptions: string[]) {
    this.path = join(root, name)
    mkdirSync(this.path)
    this.git(0, 'init', '--quiet', '--initial-branch=main', ...initOptions)
  }

  git(date: number, ...args: string[]): string {
    return this.gitWith({}, date, ...args)
  }

  gitWith(options: { input?: string | Buffer }, date: number, ...args: string[]): string {
    const env = {
      PATH: process.env.PATH,
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_AUTHOR_DATE: `@${date - 5} +0200`,
      GIT_COMMITTER_NAME: 'C',
      GIT_COMMITTER_EMAIL: 'c@example.org',
      GIT_COMMITTER_DATE: `@${date} -0300`,
    }
    const output = execFileSync('git', ['-C', this.path, ...args], { env, ...options, stdio: 'pipe' })
    return output.toString().trim()
  }

  /** Writes files (null removes one) and commits everything there is. Returns the hash. */
  commit(date: number, files: Record<string, string | Buffer | null> = {}, message = `at ${date}`): string {
    for (const [name, content] of Object.entries(files)) {
      const file = join(this.path, name)
      if (content === null) rmSync(file)
      else {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, content)
      }
    }
    this.git(date, 'add', '--all', '--force')
    this.git(date, 'commit', '--quiet', '--allow-empty', '-m', message)
    return this.git(date, 'rev-parse', 'HEAD')
  }
}

/** A `package.json` that declares these dependencies. */
export function npm(...names: string[]): string {
  return JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) })
}

/** All items of an iterable. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** One line per dependency: name, file, first use, last use, update, status. `url` is that of the repository. */
export async function readLines(clone: Clone, url?: string): Promise<string[]> {
  const { dependencies } = await readDependencyHistory(await openClone(clone.path), url ? { url } : {})
  return dependencies
    .map(({ dependency, ...d }) =>
      [...Object.values(dependency), d.first_use_date, d.last_use_date, d.updated_at, d.status].join(' '),
    )
    .sort()
}

/** The versions of manifests that were skipped. */
export async function readWarnings(clone: Clone) {
  const { warnings } = await readDependencyHistory(await openClone(clone.path))
  return warnings
}
