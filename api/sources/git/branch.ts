/** Finds the branch of a clone that is read. */
import { createDamageError, GitError, readLines } from './git-process.ts'

/** A reference to read from. */
interface Start {
  reference: string
  branch: string | null
}

const originBranches = 'refs/remotes/origin/'
const ownBranches = 'refs/heads/'

/** Finds a branch of the origin, or else of the clone. Throws `GitError` when there is none. */
export async function findBranch(directory: string, branch: string): Promise<Start> {
  for (const reference of [`${originBranches}${branch}`, `${ownBranches}${branch}`]) {
    const found = await runQuery(directory, ['show-ref', '--verify', reference])
    if (found !== undefined) return { reference, branch }
  }
  throw new GitError(
    `${directory} has no branch ${branch}; run "git branch --all" there to list its branches`,
  )
}

/**
 * Finds the origin's default branch, whatever is checked out. A bare clone, a mirror, and a repository without an
 * origin have their HEAD instead. Throws `GitError` when another clone has branches of its origin, and doesn't know
 * which one is the default: what is checked out may be any branch.
 */
export async function findDefault(directory: string): Promise<Start> {
  const reference = await runQuery(directory, ['symbolic-ref', `${originBranches}HEAD`])
  if (reference !== undefined) return { reference, branch: reference.replace(originBranches, '') }
  if (await hasOriginBranches(directory)) {
    throw new GitError(
      `${directory} doesn't know its origin's default branch; run "git remote set-head origin --auto" in it, or add --branch`,
    )
  }
  const head = await runQuery(directory, ['symbolic-ref', 'HEAD'])
  return { reference: 'HEAD', branch: head?.replace(ownBranches, '') ?? null }
}

/**
 * Whether a clone that isn't bare has branches of its origin. A mirror has them if the repository that it mirrors is a
 * clone itself.
 */
async function hasOriginBranches(directory: string): Promise<boolean> {
  const [isBare] = await readLines(directory, ['rev-parse', '--is-bare-repository'])
  if (isBare === 'true') return false
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', originBranches]
  const [reference] = await readLines(directory, args)
  return reference !== ''
}

/** Finds the newest commit of a branch. Throws `GitError` when there is none. */
export async function findCommit(directory: string, { reference, branch }: Start): Promise<string> {
  const commit = await runQuery(directory, ['rev-parse', '--verify', `${reference}^{commit}`])
  if (commit !== undefined) return commit
  const hash = await runQuery(directory, ['rev-parse', '--verify', reference])
  if (hash !== undefined && branch !== null) {
    throw createDamageError(directory, `commit ${hash} is missing or corrupt`)
  }
  if (!(await hasReferences(directory))) {
    const error = new GitError(`Nothing to read in ${directory}: it has no commits yet`)
    throw Object.assign(error, { isEmpty: true as const })
  }
  const reason =
    reference === 'HEAD'
      ? `its HEAD names the branch ${branch}, which does not exist; add --branch`
      : `its origin/HEAD names the branch ${branch}, which does not exist; run "git remote set-head origin --auto" in it, or add --branch`
  throw new GitError(`Nothing to read in ${directory}: ${reason}`)
}

/** Whether a repository has any branch or tag. */
async function hasReferences(directory: string): Promise<boolean> {
  const [reference] = await readLines(directory, ['for-each-ref', '--count=1', '--format=%(refname)'])
  return reference !== ''
}

/** Runs a query with `--quiet`. Returns its line; undefined when git doesn't find what it asks for. */
async function runQuery(directory: string, [command = '', ...args]: string[]): Promise<string | undefined> {
  try {
    const [line] = await readLines(directory, [command, '--quiet', ...args])
    return line ?? ''
  } catch (error) {
    // 1 means not found. Errors have 128.
    if (error instanceof GitError && error.exitCode === 1) return undefined
    throw error
  }
}
