/** How a command ends that fails. */
import {
  AuthenticationError,
  InsufficientCreditsError,
  InvalidRequestError,
  isTransient,
  PermissionError,
} from '../errors.ts'

/** The command can't be run as it was written. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** A command that the budget has stopped. */
export const budgetExitCode = 3

/** Returns the exit code for what was thrown, or for the name of the signal that stopped the command. */
export function listExitCode(error: unknown): number {
  if (error === 'SIGINT') return 130
  if (error === 'SIGTERM') return 143
  // What the service refuses as invalid is wrong usage, too.
  if (error instanceof UsageError || (error instanceof InvalidRequestError && error.code)) return 2
  if (error instanceof InsufficientCreditsError) return 4
  if (error instanceof AuthenticationError || error instanceof PermissionError) return 5
  return isTransient(error) ? 6 : 1
}
