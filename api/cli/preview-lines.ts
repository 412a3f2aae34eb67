/** Says what forgetting people would change. */
import type { ChangedLine, ForgetPreview } from '../people/forget-preview.ts'
import { countOf, formatCount } from './output.ts'

/** Describes it in lines. */
export function describePreview(
  { logins, repositories, commits, examples }: ForgetPreview,
  keepRepositories: boolean,
): string {
  const users =
    logins.length === 0 ? 'The dataset has no such user.' : `Users to remove: ${nameSome(logins)}.`
  const kept = keepRepositories ? 'keep under another owner' : 'remove'
  const redacted = commits.redacted === 0 ? '' : ` (${countOf(commits.messages, 'message')})`
  return [
    `${users} Repositories to ${kept}: ${formatCount(repositories)}. ` +
      `Commits to remove: ${formatCount(commits.removed)}, to redact: ${formatCount(commits.redacted)}${redacted}.`,
    ...(examples.length === 0 ? [] : ['For example, in messages:', ...examples.flatMap(formatChangedLine)]),
  ].join('\n')
}

const maxNamed = 5

function nameSome(logins: readonly string[]): string {
  const others = logins.length - maxNamed
  return logins.slice(0, maxNamed).join(', ') + (others > 0 ? ` and ${formatCount(others)} more` : '')
}

function formatChangedLine({ before, after }: ChangedLine): string[] {
  return [`- ${quoteLine(before)}`, ...(after === undefined ? [] : [`+ ${quoteLine(after)}`])]
}

const maxLineLength = 160

/** The author of a commit could send any sequence to the terminal. */
function quoteLine(line: string): string {
  const short = line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line
  return short.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}').trimEnd()
}
