/** Where a clone comes from. */
import { GitError, runGit } from './git-process.ts'

/** `git@HOST:OWNER/NAME` */
const sshShorthand = /^(?:[^@/:]+@)?([^@/:]+):(?!\/\/)\/?(.+)$/

/**
 * Reads the web URL of a clone's origin, without a user name or a token. The URLs of SSH and of git's own protocol are
 * those of the same path on the web.
 *
 * @throws {GitError} when the clone has no origin, or one that is not on a server
 */
export async function readOriginUrl(directory: string): Promise<string> {
  // The URL that git would use, with the user's abbreviations (`url.*.insteadOf`) replaced. No network is involved.
  const origin = (await runGit(directory, ['ls-remote', '--get-url', 'origin'])).trim()
  const url = parseOrigin(origin)
  if (url !== undefined) return url
  const problem =
    origin === 'origin' ? 'has no origin' : `has the origin ${hideUser(origin)}, which is not on a server`
  throw new GitError(
    `${directory} ${problem}, so its URL is unknown; load it alone, with --url https://HOST/OWNER/NAME`,
  )
}

/** Takes the user name, which may be a token, from a URL that may be malformed. */
export function hideUser(url: string): string {
  return url.replace(/\/\/.*@/, '//')
}

function parseOrigin(origin: string): string | undefined {
  const [, host, path] = sshShorthand.exec(origin) ?? []
  const url = URL.parse(host === undefined ? origin : `ssh://${host}/${path}`)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    return `${url.protocol}//${url.host}${url.pathname}`
  }
  if (url?.protocol !== 'ssh:' && url?.protocol !== 'git:') return undefined
  // Forges have hosts such as ssh.github.com and altssh.gitlab.com for networks that block the port of SSH.
  return `https://${url.hostname.replace(/^(?:alt)?ssh\./, '')}${url.pathname}`
}
