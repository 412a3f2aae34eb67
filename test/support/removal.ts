/** Removes rows of the catalog, as the commands for removal do. */
import type { Sql } from '../../api/database/connect.ts'
import { changeDataset, type DatasetChangeOptions } from '../../api/dataset/dataset-change.ts'
import { removeRepositories, removeUsers } from '../../api/dataset/removal.ts'

/** What to remove, by `forge_rest_id`. */
export interface Removed {
  users?: readonly number[]
  repositories?: readonly number[]
}

/** Removes users and repositories in one change, and returns the dataset's version. */
export async function removeRows(
  sql: Sql,
  { users = [], repositories = [] }: Removed,
  options: DatasetChangeOptions = {},
): Promise<number> {
  const { version } = await changeDataset(sql, options, async (change) => {
    const { tx } = change
    await removeUsers(change, tx`select id from users where forge_rest_id = any(${sql.typed.bigints(users)})`)
    await removeRepositories(
      change,
      tx`select id from repositories where forge_rest_id = any(${sql.typed.bigints(repositories)})`,
    )
  })
  return version
}
