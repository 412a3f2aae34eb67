import { selectRepository } from '../catalog/document-lookup.ts'
import { selectMember } from '../catalog/stored-documents.ts'
import type { Sql } from '../database/connect.ts'
import { OperatorError } from '../errors.ts'
import { changeDataset, type DatasetChangeOptions, type DatasetChangeResult } from './dataset-change.ts'
import { removeRepositories } from './removal.ts'

/** What names a repository: owner and name, case-insensitively, or its id on the forge. */
export type RepositoryReference = { owner: string; name: string } | { forgeRestId: number }

/** A repository, and what would leave with it. */
export interface RemovableRepository {
  id: number
  forgeRestId: number
  fullName: string
  /** Of the dataset, when the record or the dependencies last changed. */
  version: number
  commits: number
  dependencies: number
}

/** Finds a repository. A name that has changed hands belongs to the one that came last. */
export async function findRepository(
  sql: Sql,
  reference: RepositoryReference,
): Promise<RemovableRepository | undefined> {
  const named =
    'owner' in reference
      ? selectRepository(sql, reference.owner, reference.name)
      : sql`select * from repositories where forge_rest_id = ${reference.forgeRestId}`
  const [repository] = await sql<Omit<RemovableRepository, 'commits'>[]>`
    select id, forge_rest_id as "forgeRestId", ${selectMember(sql, sql`members`, 'full_name')} as "fullName", version,
      dependencies_count as dependencies
    from (${named}) r`
  if (repository === undefined) return undefined
  const [counted] = await sql<{ commits: number }[]>`
    select count(*) as commits from commits where repository_id = ${repository.id}`
  return { ...repository, commits: counted?.commits ?? 0 }
}

/** Finds a repository. Throws `OperatorError` if there is none. */
export async function getRepository(sql: Sql, reference: RepositoryReference): Promise<RemovableRepository> {
  const repository = await findRepository(sql, reference)
  if (repository !== undefined) return repository
  throw new OperatorError(
    'owner' in reference
      ? `No repository is named ${reference.owner}/${reference.name}`
      : `No repository has the forge_rest_id ${reference.forgeRestId}`,
  )
}

/**
 * Removes a repository with its commits, and what it alone gave to users' dependencies. Throws `OperatorError` if it is
 * no longer there. A load that has it adds it again.
 */
export function removeRepository(
  sql: Sql,
  { id, fullName }: Pick<RemovableRepository, 'id' | 'fullName'>,
  options: DatasetChangeOptions = {},
): Promise<DatasetChangeResult> {
  return changeDataset(sql, options, async (change) => {
    await removeRepositories(change, change.tx`select ${id}::integer as id`)
    if (change.rows.repositories.removed === 0) {
      throw new OperatorError(`${fullName} was removed in the meantime; nothing was changed`)
    }
  })
}
