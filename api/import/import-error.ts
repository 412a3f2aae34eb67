/** The input can't be loaded, and nothing was changed. The message says what is wrong, where, and what to do. */
export class ImportError extends Error {
  override name = 'ImportError'
}
