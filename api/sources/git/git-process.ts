/**
 * Runs git on an untrusted clone.
 *
 * The clone's or its owner's configuration must not change the output, or start other programs. So every call sets what
 * it depends on, drops environment variables that name another repository, and disables network protocols: a partial
 * clone would otherwise fetch its objects one by one. No shell is involved, and git takes no locks in the clone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { devNull } from 'node:os'
import { env } from 'node:process'
import { text } from 'node:stream/consumers'
import { OperatorError } from '../../errors.ts'

/** A clone could not be read. The message is for the person who runs the import, and quotes git. */
export class GitError extends OperatorError {
  override readonly name = 'GitError'
  /** git's exit code, where it has a meaning of its own. */
  exitCode?: number
  /** Whether the clone lacks objects, or has broken ones. */
  isDamage?: true
  /** Whether the clone is fine, and has no commits yet. */
  isEmpty?: true
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
  'init.defaultObjectFormat=sha1',
  'init.defaultRefFormat=files',
  'safe.bareRepository=all', // a path on the command line is explicit, as the setting's other value asks for
]

/**
 * The forge's token; the cache of `npm run devdata`; variables of hooks and `git rebase --exec`, which name another
 * repository or a program to run; and, at the end, those that choose the format of new repositories.
 */
const droppedVariables =
  /^GITHUB_TOKEN$|^NODE_COMPILE_CACHE$|^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|SHALLOW_FILE|EXTERNAL_DIFF|DEFAULT_HASH|DEFAULT_REF_FORMAT)$/

const maxErrorCharacters = 4000

/**
 * The environment of git: without variables that name another repository, without the token, and without network
 * protocols.
 */
export function createGitEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !droppedVariables.test(name))
  return {
    ...Object.fromEntries(inherited),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_GRAFT_FILE: devNull, // a clone's info/grafts would cut or bend its history, as replace refs would
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C', // messages in one language: some are recognized
  }
}

/**
 * Runs `git` in a folder and yields its output in chunks, with backpressure. Ends the process when the consumer stops
 * early.
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
    env: createGitEnvironment(),
    windowsHide: true,
  })
  const closed = once(child, 'close')
  closed.catch(() => {}) // it is awaited after the output; until then a rejection must not count as unhandled
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (stderr.length < maxErrorCharacters) stderr += chunk
  })
  // git may end before it has read all input. Its exit code says why.
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT'
    const reason = isMissing
      ? 'git is not installed, or not on the PATH'
      : `git can't be run: ${error.message}`
    throw new GitError(reason, { cause: error })
  })
  let isComplete = false
  try {
    for await (const chunk of child.stdout) yield chunk
    isComplete = true
  } finally {
    if (!isComplete) child.kill()
  }
  await closed
  if (child.exitCode !== 0) {
    throw createError(directory, args[0] ?? '', stderr.trim(), child.exitCode ?? child.signalCode)
  }
}

/**
 * git's messages about missing or corrupt objects. In a partial clone, git tries to fetch them, or reports that it may
 * not.
 */
const damage =
  /corrupt|unable to (?:read|unpack)|could not (?:read|fetch)|failed to traverse|bad (?:tree )?object|promisor|lazy fetching|transport '[^']*' not allowed/i

function createError(
  directory: string,
  command: string,
  stderr: string,
  code: number | string | null,
): GitError {
  if (stderr.includes('not a git repository')) return new GitError(`${directory} is not a git repository`)
  if (stderr.includes('dubious ownership')) {
    const [advice] = /git config .*safe\.directory .*/.exec(stderr) ?? []
    return new GitError(
      `${directory} belongs to another user, and git would run what its settings name, so it refuses to read it; run the ` +
        `command as that user, or if you trust the clone: ${advice ?? 'set safe.directory'}`,
    )
  }
  // The last line is the error that ended git.
  const reason = stderr.slice(stderr.lastIndexOf('\n') + 1).replace(/^(?:fatal|error): /, '')
  if (damage.test(stderr)) return createDamageError(directory, reason)
  const ending = typeof code === 'number' ? `exit code ${code}` : `ended by ${code}`
  const error = new GitError(`git ${command} failed in ${directory}: ${reason || ending}`)
  if (typeof code === 'number') error.exitCode = code
  return error
}

/** The error about a clone with missing or corrupt objects. It says what to do. */
export function createDamageError(directory: string, reason: string): GitError {
  const message = `${directory} is a partial or damaged clone (${reason}); clone the repository again, without --filter`
  return Object.assign(new GitError(message), { isDamage: true as const })
}

/**
 * Runs `git` in a folder and returns its output, of a few lines.
 *
 * @throws {GitError} as {@link streamGit}
 */
export function runGit(directory: string, args: readonly string[]): Promise<string> {
  return text(streamGit(directory, args))
}

/** Runs `git` in a folder and returns the lines of its output. Throws `GitError` as {@link streamGit} does. */
export async function readLines(directory: string, args: readonly string[]): Promise<string[]> {
  const output = await runGit(directory, args)
  return output.replace(/\n$/, '').split('\n')
}

/**
 * Splits the output of `git … -z` at its NULs. Yields the fields of a chunk together: an `await` for each would be
 * slow.
 */
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
