/**
 * Runs git on a clone that somebody else made.
 *
 * What a clone or its owner's settings hold must neither change the output that is parsed here nor start
 * other programs. So every call carries the settings it depends on, the environment's pointers to another
 * repository are dropped, and network protocols are off: a partial clone would otherwise fetch object by
 * object behind the reader's back. There is never a shell, and git takes no locks in the clone.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { env } from 'node:process'

/** A clone could not be read. The message is for the person who named it; it quotes git's own words. */
export class GitError extends Error {
  override readonly name = 'GitError'
  /** What git ended with; undefined when it did not come to that. */
  readonly exitCode: number | undefined

  constructor(message: string, { cause, exitCode }: { cause?: unknown; exitCode?: number } = {}) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

const settings = [
  'log.showSignature=false', // would run the gpg program that the clone's own config names
  'log.showRoot=true', // false would hide what the first commit adds
  'log.mailmap=false',
  'log.diffMerges=separate', // what -m means
  'i18n.logOutputEncoding=UTF-8', // holds for the fields of every format, hashes included
  'color.ui=false',
  'core.quotePath=false',
  'core.fsmonitor=false',
  'protocol.allow=never',
  'safe.bareRepository=all', // a path given by name is the explicit use that this setting asks for
]

/** Left behind by hooks and `git rebase --exec`, these name another repository, or a program to run. */
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

const maxErrorText = 4000

function createEnvironment(): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...env }
  for (const name of droppedVariables) delete environment[name]
  return {
    ...environment,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C', // git's words in one language: they are quoted, and some of them are recognised
  }
}

/**
 * Runs `git` in a folder and yields what it writes, as it comes; git waits while the reader is busy.
 * Stopping early ends the process.
 *
 * @param directory absolute path, which is how one that begins with `-` stays a path
 * @param input what git reads on its standard input; none when left out
 * @throws {GitError} when git is missing, or ends with another exit code than 0
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
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (words.length < maxErrorText) words += text
  })
  // git may end without reading all of its input; its exit code then says what is wrong.
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  let complete = false
  try {
    for await (const chunk of child.stdout) yield chunk
    complete = true
  } finally {
    // `complete` is false when the consumer stops early and when git could not be started.
    if (!complete) {
      if (child.pid === undefined) await ended
      child.kill()
    }
  }
  const code = await ended
  if (code !== 0) throw createError(directory, args[0] ?? '', words.trim(), code)
}

/** The exit code, or the signal that ended the process. */
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
  // Awaited after the output has ended; until then a rejection is nobody's mistake.
  ended.catch(() => {})
  return ended
}

/** What git says when it can't read what a whole clone has; of a partial clone it asks the origin, or says that it may not. */
const damage =
  /corrupt|unable to (?:read|unpack)|could not (?:read|fetch)|failed to traverse|bad (?:tree )?object|promisor|lazy fetching|transport '[^']*' not allowed/i

function createError(directory: string, command: string, words: string, code: number | string): GitError {
  const exitCode = typeof code === 'number' ? { exitCode: code } : {}
  if (words.includes('not a git repository')) {
    return new GitError(`${directory} is not a git repository`, exitCode)
  }
  if (words.includes('dubious ownership')) {
    return new GitError(`git refuses to read ${directory}: ${words.replace(/\s+/g, ' ')}`, exitCode)
  }
  // The last line is what git gave up for.
  const reason =
    words
      .split('\n')
      .at(-1)
      ?.replace(/^(?:fatal|error): /, '') ?? ''
  if (damage.test(words)) return new GitError(describeDamage(directory, reason), exitCode)
  const ending = typeof code === 'number' ? `exit code ${code}` : `ended by ${code}`
  return new GitError(`git ${command} failed in ${directory}: ${reason || ending}`, exitCode)
}

/** What to say of a clone that lacks objects, or holds some that can't be read. */
export function describeDamage(directory: string, reason: string): string {
  return `${directory} is a partial clone, or damaged (${reason}): clone it again, without --filter`
}

/**
 * Runs `git` in a folder and returns all that it wrote, for answers of a few lines.
 *
 * @throws {GitError} as {@link streamGit}
 */
export async function runGit(directory: string, args: readonly string[]): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of streamGit(directory, args)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Cuts what git writes with `-z` at its NULs.
 *
 * Batches, one per chunk, because an `await` per field would cost more than the field.
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
