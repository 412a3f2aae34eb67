/**
 * Writes the sample: synthetic users, repositories with their dependencies, and commits, in the import format
 * (a line is exactly the object that the API returns). The same code gives the same bytes, everywhere.
 *
 * `node sample/generate.ts` writes it anew beside this file.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCommits } from './commits.ts'
import { blamedName, dateByCommits } from './dependencies.ts'
import { createRepositories } from './repositories.ts'
import { createUsers } from './users.ts'

/** Writes `users.ndjson`, `repos.ndjson` and `commits.ndjson` into the folder, which is made when it is not there. */
export async function generateSample(directory: string): Promise<void> {
  const users = createUsers()
  const sample = createRepositories(users)
  const commits = createCommits(sample, users)
  const repositories = sample.repositories.map((repository) =>
    repository.full_name === blamedName ? dateByCommits(repository, commits) : repository,
  )
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'users.ndjson'), toLines(users))
  await writeFile(join(directory, 'repos.ndjson'), toLines(repositories))
  await writeFile(join(directory, 'commits.ndjson'), toLines(commits))
}

function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

if (import.meta.main) await generateSample(import.meta.dirname)
