/**
 * What an import leaves out, and whether it fails by that.
 *
 * An import succeeds if it has found every owner and read every history, apart from those that the next one can't
 * read either: the forge itself says that the repository is empty, blocked, private or gone, or the history is
 * larger than what is fetched. Otherwise it fails: what it has read is loaded, but the command exits with 1, and the load
 * counts neither as the last one nor as a refresh.
 */

/** Something that was not loaded, or not all of it, and why. */
export interface LeftOut {
  /** `owner`, `owner/name`, or an id. */
  name: string
  reason: string
}

/** Something that was left out, and whether the import has failed by that. */
export interface Skipped extends LeftOut {
  /** Present if the next import may read it: the forge, git or this machine failed at a repository. */
  isFailure?: true
}

/** Whether an import that leaves these out has failed. */
export function hasFailures(skipped: readonly Skipped[]): boolean {
  return skipped.some(({ isFailure }) => isFailure)
}

/** Separates what failed from what is left out every time. */
export function separateFailures(all: readonly Skipped[]): Record<'failed' | 'skipped', LeftOut[]> {
  const select = (wanted: boolean) =>
    all.filter(({ isFailure = false }) => isFailure === wanted).map(({ name, reason }) => ({ name, reason }))
  return { failed: select(true), skipped: select(false) }
}
