import { OperatorError } from '../errors.ts'

/** The input can't be loaded, and nothing was changed. The message says what is wrong, where, and what to do. */
export class ImportError extends OperatorError {
  override name = 'ImportError'
}
