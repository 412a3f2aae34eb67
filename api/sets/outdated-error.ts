/**
 * The dataset no longer has the edition from which something is read: a load was applied in the meantime.
 * `catalog/dataset.ts` then reads all of it again.
 */
export class OutdatedError extends Error {
  override name = 'OutdatedError'

  constructor() {
    super('the dataset has changed while it was read')
  }
}
