/**
 * Requests to a database that lacks a migration: nobody has migrated it yet, or an old backup was restored.
 *
 * @module
 */
import { notMigrated } from '../errors.ts'
import { MigrationError, mayLackMigration } from './migrate.ts'

/**
 * Creates a function that replaces a request's error if a missing migration caused it, and returns other errors as they
 * are. `assertMigrated` throws `MigrationError` when a migration is missing.
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
