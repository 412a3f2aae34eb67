/** Prints, unless that fails because the disk is full, for example. Deno throws then. On Node, the stream has an error. */
export function printIfPossible(print: () => void): void {
  try {
    print()
  } catch {
    // What prints continues without its log.
  }
}
