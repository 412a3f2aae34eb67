/** Bare git repositories of the fake forge: written in one go with `git fast-import`, read with `git log`. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Who wrote a commit, as git has it. */
export interface Person {
  name: string
  email: string
}

/** A commit to add. */
export interface NewCommit {
  author: Person
  /** Default: the author. */
  committer?: Person
  /** Unix seconds. */
  date: number
  /** Default: `date`. */
  committerDate?: number
  message: string
  /** Paths and contents; null removes a file. Default: none, an empty commit. */
  files?: Readonly<Record<string, string | null>>
}

/** A commit as git has it. */
export interface GitCommit {
  oid: string
  author: Person
  message: string
}

/** A branch and its newest commit. */
export interface Head {
  branch: string
  oid: string
}

/** Settings of the user and the machine don't count. */
export const gitEnvironment = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  LC_ALL: 'C',
}

/** What `git init --bare` makes, and what the forge's own servers allow: partial clones, and commits by their hash. */
const config = `[core]
	repositoryformatversion = 0
	bare = true
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
`

/** Files of histories that were written, by the input of `git fast-import`: many tests begin with the same organization. */
const histories = new Map<string, ReadonlyMap<string, Buffer>>()

/** A bare repository in a folder. */
export class GitRepository {
  readonly path: string
  #history: { oid: string; commits: Promise<ReadonlyMap<string, GitCommit>> } | undefined

  /** Creates an empty repository there, whose default branch is `branch`. */
  constructor(path: string, branch = 'main') {
    this.path = path
    for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
      mkdirSync(join(path, folder), { recursive: true })
    }
    writeFileSync(join(path, 'HEAD'), `ref: refs/heads/${branch}\n`)
    writeFileSync(join(path, 'config'), config)
  }

  /** Adds commits to the default branch, one after the other. Throws when git refuses one. */
  async append(commits: Iterable<NewCommit>): Promise<void> {
    const branch = this.readBranch()
    const isNew = this.readHead() === undefined
    const parts: string[] = []
    for (const commit of commits) {
      parts.push(formatCommit(commit, branch, !isNew && parts.length === 0))
    }
    const text = parts.join('')
    const known = isNew ? histories.get(text) : undefined
    if (known === undefined) {
      const keepPack = ['-c', 'fastimport.unpackLimit=0']
      await run(['-C', this.path, ...keepPack, 'fast-import', '--quiet', '--date-format=raw'], text)
      if (isNew) histories.set(text, this.#readFiles())
    } else {
      for (const [name, content] of known) writeFileSync(join(this.path, name), content)
    }
  }

  /** The files that have the objects and the branches, by their paths. */
  #readFiles(): ReadonlyMap<string, Buffer> {
    const names = ['objects/pack', 'refs/heads'].flatMap((folder) =>
      readdirSync(join(this.path, folder)).map((name) => `${folder}/${name}`),
    )
    return new Map(names.map((name) => [name, readFileSync(join(this.path, name))]))
  }

  /** The name of the default branch. */
  readBranch(): string {
    return readFileSync(join(this.path, 'HEAD'), 'utf8').trim().replace('ref: refs/heads/', '')
  }

  /** The default branch; undefined while the repository is empty. Starts no process: pages have 100 of them. */
  readHead(): Head | undefined {
    const branch = this.readBranch()
    const oid = this.#readRef(`refs/heads/${branch}`)
    return oid === undefined ? undefined : { branch, oid }
  }

  #readRef(name: string): string | undefined {
    const loose = readIfThere(join(this.path, name))
    if (loose !== undefined) return loose.trim()
    const packed = readIfThere(join(this.path, 'packed-refs'))
    return packed
      ?.split('\n')
      .find((line) => line.endsWith(` ${name}`))
      ?.slice(0, 40)
  }

  /** All that led to a commit, newest first, by their hashes. The history that was read last is kept. */
  readHistory(oid: string): Promise<ReadonlyMap<string, GitCommit>> {
    if (this.#history?.oid !== oid) this.#history = { oid, commits: this.#readLog(oid) }
    return this.#history.commits
  }

  /** The commit with this hash; undefined when there is none. */
  async findCommit(oid: string): Promise<GitCommit | undefined> {
    const head = this.readHead()
    if (head === undefined) return undefined
    const known = (await this.readHistory(head.oid)).get(oid)
    if (known !== undefined) return known
    return (await this.#readLog('--no-walk', oid).catch(() => undefined))?.get(oid)
  }

  async #readLog(...revisions: string[]): Promise<ReadonlyMap<string, GitCommit>> {
    const format = '--format=%H%n%an%n%ae%n%B'
    const output = await run(['-C', this.path, 'log', '-z', format, ...revisions, '--'])
    const entries = output.split('\0').filter((entry) => entry !== '')
    return new Map(entries.map(parseCommit).map((commit) => [commit.oid, commit]))
  }
}

function parseCommit(entry: string): GitCommit {
  const [oid = '', name = '', email = '', ...message] = entry.split('\n')
  return { oid, author: { name, email }, message: message.join('\n').trimEnd() }
}

function formatCommit(commit: NewCommit, branch: string, followsBranch: boolean): string {
  const { author, committer = author, date, committerDate = date, message, files = {} } = commit
  const changes = Object.entries(files).map(([path, content]) =>
    content === null ? `D ${path}\n` : `M 100644 inline ${path}\n${formatData(content)}`,
  )
  return [
    `commit refs/heads/${branch}\n`,
    `author ${author.name} <${author.email}> ${date} +0000\n`,
    `committer ${committer.name} <${committer.email}> ${committerDate} +0000\n`,
    formatData(message),
    followsBranch ? `from refs/heads/${branch}^0\n` : '',
    ...changes,
    '\n',
  ].join('')
}

function formatData(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Runs git, and resolves with what it wrote. Throws an `Error` with its message when it fails. */
function run(parameters: string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', parameters, { env: gitEnvironment })
    const output: Buffer[] = []
    let message = ''
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      message += chunk.toString()
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output).toString())
      else reject(new Error(`git ${parameters[2]} failed: ${message.trim()}`))
    })
    // A git that ends early says why by its exit code.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
