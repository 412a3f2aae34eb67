/**
 * A database that has not the schema of this version: on a platform where nobody has migrated it yet, or after an old
 * backup was restored.
 *
 * @module
 */

import { notMigrated } from '../errors.ts'
import { MigrationError, mayLackMigration } from './migrate.ts'

/**
 * Creates a function that puts the error of a request into those words, if that is what it comes from; any other error
 * stays as it is. `assertMigrated` throws `MigrationError` where a migration is missing.
 */
export function createSchemaExplainer(
  assertMigrated: () => Promise<unknown>,
): (error: Error) => Promise<Error> {
  return async function explain(error) {
    if (error instanceof MigrationError) return notMigrated(error)
    if (!mayLackMigration(error)) return error
    return assertMigrated().then(
      () => error,
      (reason: unknown) => (reason instanceof MigrationError ? notMigrated(reason) : error),
    )
  }
}
