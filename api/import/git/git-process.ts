/**
 * Runs git on an untrusted clone.
 *
 * The clone's or its owner's configuration must not change the output, or start other programs. So every call sets what it
 * depends on, drops environment variables that name another repository, and disables network protocols: a partial clone
 * would otherwise fetch its objects one by one. No shell is involved, and git takes no locks in the clone.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { env } from 'node:process'
import { OperatorError } from '../../errors.ts'

/** A clone could not be read. The message is for the person who runs the import, and quotes git. */
export class GitError extends OperatorError {
  override readonly name = 'GitError'
  /** git's exit code; undefined when it has none. */
  readonly exitCode: number | undefined

  constructor(message: string, { cause, exitCode }: { cause?: unknown; exitCode?: number } = {}) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

const settings = [
  'log.showSignature=false', // true would run the gpg program that the clone's configuration names
  'log.showRoot=true', // false would hide what the first commit adds
  'log.mailmap=false',
  'log.diffMerges=separate', // the meaning of -m
  'i18n.logOutputEncoding=UTF-8', // applies to every field of a format
  'color.ui=false',
  'core.quotePath=false',
  'core.fsmonitor=false',
  'protocol.allow=never',
  'safe.bareRepository=all', // a path on the command line is explicit, as the setting's other value asks for
]

/** Set by hooks and `git rebase --exec`. They name another repository, or a program to run. */
const droppedVariables = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_GRAFT_FILE',
  'GIT_EXTERNAL_DIFF',
]

const maxErrorCharacters = 4000

function createEnvironment(): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...env }
  for (const name of droppedVariables) delete environment[name]
  return {
    ...environment,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C', // messages in one language: some are recognized
  }
}

/**
 * Runs `git` in a folder and yields its output in chunks, with backpressure. Ends the process when the consumer stops early.
 *
 * @param directory an absolute path, so that a leading `-` is not taken for an option
 * @param input git's standard input
 * @throws {GitError} when git is missing, or its exit code is not 0
 */
export async function* streamGit(
  directory: string,
  args: readonly string[],
  input?: string,
): AsyncGenerator<Buffer, void, undefined> {
  const options = settings.flatMap((setting) => ['-c', setting])
  const child = spawn('git', ['--no-pager', '--no-replace-objects', ...options, '-C', directory, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: createEnvironment(),
    windowsHide: true,
  })
  const ended = waitForEnd(child)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < maxErrorCharacters) stderr += text
  })
  // git may end before it has read all input. Its exit code says why.
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  let complete = false
  try {
    for await (const chunk of child.stdout) yield chunk
    complete = true
  } finally {
    // `complete` is false when the consumer stops early, and when git could not be started.
    if (!complete) {
      if (child.pid === undefined) await ended
      child.kill()
    }
  }
  const code = await ended
  if (code !== 0) throw createError(directory, args[0] ?? '', stderr.trim(), code)
}

/** Resolves with the exit code, or the signal that ended the process. */
function waitForEnd(child: ChildProcess): Promise<number | string> {
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT'
      const reason = missing
        ? 'git is not installed, or not on the PATH'
        : `git can't be run: ${error.message}`
      reject(new GitError(reason, { cause: error }))
    })
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  // It is awaited after the output; until then a rejection must not count as unhandled.
  ended.catch(() => {})
  return ended
}

/** git's messages about missing or corrupt objects. In a partial clone, git tries to fetch them, or reports that it may not. */
const damage =
  /corrupt|unable to (?:read|unpack)|could not (?:read|fetch)|failed to traverse|bad (?:tree )?object|promisor|lazy fetching|transport '[^']*' not allowed/i

function createError(directory: string, command: string, stderr: string, code: number | string): GitError {
  const exitCode = typeof code === 'number' ? { exitCode: code } : {}
  if (stderr.includes('not a git repository')) {
    return new GitError(`${directory} is not a git repository`, exitCode)
  }
  if (stderr.includes('dubious ownership')) {
    return new GitError(`git refuses to read ${directory}: ${stderr.replace(/\s+/g, ' ')}`, exitCode)
  }
  // The last line is the error that ended git.
  const reason =
    stderr
      .split('\n')
      .at(-1)
      ?.replace(/^(?:fatal|error): /, '') ?? ''
  if (damage.test(stderr)) return new GitError(describeDamage(directory, reason), exitCode)
  const ending = typeof code === 'number' ? `exit code ${code}` : `ended by ${code}`
  return new GitError(`git ${command} failed in ${directory}: ${reason || ending}`, exitCode)
}

/** Describes a clone with missing or corrupt objects, and what to do. */
export function describeDamage(directory: string, reason: string): string {
  return `${directory} is a partial or damaged clone (${reason}); clone the repository again, without --filter`
}

/**
 * Runs `git` in a folder and returns its output, of a few lines.
 *
 * @throws {GitError} as {@link streamGit}
 */
export async function runGit(directory: string, args: readonly string[]): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of streamGit(directory, args)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Splits the output of `git … -z` at its NULs. Yields the fields of a chunk together: an `await` for each would be slow. */
export async function* splitFields(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer[], void, undefined> {
  let pending: Buffer[] = []
  for await (const chunk of chunks) {
    const fields: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const field = chunk.subarray(start, end)
      fields.push(pending.length === 0 ? field : Buffer.concat([...pending, field]))
      pending = []
      start = end + 1
    }
    if (start < chunk.length) pending.push(chunk.subarray(start))
    if (fields.length > 0) yield fields
  }
  if (pending.length > 0) yield [Buffer.concat(pending)]
}
