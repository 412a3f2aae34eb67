/**
 * Runs git with the network. Of the user's and the machine's settings of git, only those of the connection count.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { devNull } from 'node:os'
import { createGitEnvironment, GitError, runGit } from '../git/git-process.ts'
import { findWebOrigin } from './web-origin.ts'

/** Nothing can be fetched. */
export class FetchError extends GitError {
  /**
   * Whether the forge refuses this repository. Otherwise the network, the machine or git's settings may be the cause.
   */
  get isRefusal(): boolean {
    return this.isBranchMissing || refusal.test(this.message)
  }

  /**
   * Whether the forge says that the repository is gone or blocked, though it has just described it. A status of 403
   * doesn't say that: it may be that of a proxy.
   */
  get isGone(): boolean {
    return gone.test(this.message)
  }

  /** Whether only the branch is missing: it was renamed after the forge described the repository. */
  get isBranchMissing(): boolean {
    return missingBranch.test(this.message)
  }
}

const maxErrorCharacters = 4_000

const refusal = /returned error: 4(?!08|29)\d\d|not found|could not read Username|Authentication failed/i

const missingBranch = /couldn't find remote ref/i

const gone = /returned error: (?:404|410|451)\b|^repository '.*' not found/i

/** The token for the forge, and where it may be sent. */
interface Access {
  /** Authorizes git at the API's host alone. */
  token: string
  apiUrl: string
  signal?: AbortSignal | undefined
}

const encodeCredentials = (token: string) => Buffer.from(`x-access-token:${token}`).toString('base64')

/**
 * Runs git with the network, in the repository in this folder and none above it. The token is in its environment, not
 * on its command line. Throws `FetchError`.
 */
export async function runNetworkGit(
  directory: string,
  args: readonly string[],
  url: string,
  { token, apiUrl, signal }: Access,
): Promise<void> {
  const settings = [...(await readConnectionSettings(directory)), ...createSettings(url, token, apiUrl)]
  const child = spawn('git', args, {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...createGitEnvironment(), ...configure(settings), GIT_DIR: '.' },
    windowsHide: true,
    ...(signal !== undefined && { signal }),
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (stderr.length < maxErrorCharacters) stderr += chunk
  })
  const [code] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    signal?.throwIfAborted()
    const reason = error.code === 'ENOENT' ? 'git is not installed, or not on the PATH' : error.message
    throw new FetchError(reason, { cause: error })
  })
  if (code === 0) return
  const lines = stderr.replaceAll(token, '…').replaceAll(encodeCredentials(token), '…').trim().split('\n')
  const reason = lines.findLast((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1)
  throw new FetchError((reason ?? '').replace(/^(?:fatal|error): /, '') || `git ended with ${code}`)
}

/** A setting of git: name and value. */
type Setting = readonly [string, string]

/**
 * Names of the settings that count: those of the connection, which only the user and the machine know. Others replace
 * URLs, refuse old histories, or send headers, so that histories would be missing.
 */
const ofConnection =
  /^http\.(?:.+\.)?(?:proxy\w*|ssl\w*|schannel\w*|pinnedpubkey|curloptresolve|version|postbuffer)$/

/** Reads the settings of the connection, as git would use them in the repository. */
async function readConnectionSettings(directory: string): Promise<Setting[]> {
  const output = await runGit(directory, ['--git-dir=.', 'config', '--list', '-z'])
  return output.split('\0').flatMap((entry): Setting[] => {
    const [name = '', ...value] = entry.split('\n')
    // A flag may have no value, only a name.
    return ofConnection.test(name) ? [[name, value.length === 0 ? 'true' : value.join('\n')]] : []
  })
}

function createSettings(url: string, token: string, apiUrl: string): Setting[] {
  const header = `Authorization: Basic ${encodeCredentials(token)}`
  return [
    ['gc.autoDetach', 'false'],
    ['maintenance.autoDetach', 'false'],
    ['http.followRedirects', 'false'], // another host would get the token
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '30'],
    ...(isForgeHost(url, apiUrl)
      ? [[`http.${new URL(url).origin}/.extraHeader`, header] satisfies Setting]
      : []),
  ]
}

/** Environment variables that make these the only settings, besides those of the repository. */
function configure(settings: readonly Setting[]): NodeJS.ProcessEnv {
  return {
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_PARAMETERS: undefined, // those of a `git -c` that runs this command
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
}

/** Whether a URL is on the host whose API has the token. */
export function isForgeHost(url: string, apiUrl: string): boolean {
  return new URL(url).origin === findWebOrigin(apiUrl)
}
