/** Writes the data of the catalog's bench as files for `devdata import`, in constant memory. */
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import type { SampleRepository } from '../sample/records.ts'
import { createCommits, createRepository, createUser, type Forge } from './records.ts'

/** Lines are written in pieces of about this many characters. */
const pieceLength = 2 ** 20

const files = ['users', 'repos', 'commits'] as const

/** Files in a folder, and what is in them. */
export interface Dataset {
  folder: string
  /** In bytes, all together. */
  bytes: number
}

/** Writes all of it, unless it is there from another run. */
export async function writeDataset(folder: string, forge: Forge): Promise<Dataset> {
  const all = numbersUpTo(forge.users)
  await writeFolder(folder, {
    users: everyRecord(all, (number) => [createUser(forge, number)]),
    repos: everyRecord(all, (number) => [createRepository(forge, number)]),
    commits: everyRecord(all, (number) => createCommits(forge, number)),
  })
  return measure(folder)
}

/** Which users and repositories of the same number have changed, and how often before. */
export interface Change {
  numbers: Iterable<number>
  revision: number
}

/**
 * Writes users with one changed field, and repositories that have gained a dependency since the revision before: what a
 * refresh usually brings.
 */
export async function writeRefresh(
  folder: string,
  forge: Forge,
  { numbers, revision }: Change,
): Promise<Dataset> {
  await rm(folder, { recursive: true, force: true })
  await writeFolder(folder, {
    users: everyRecord(numbers, (number) => [
      { ...createUser(forge, number), following: refreshedFollowing(revision) },
    ]),
    repos: everyRecord(numbers, (number) => [gainDependencies(createRepository(forge, number), revision)]),
    commits: [],
  })
  return measure(folder)
}

/** What a refresh writes into users: no other revision has it. */
export function refreshedFollowing(revision: number): number {
  return 1_000_000 + revision
}

function gainDependencies(repository: SampleRepository, count: number): SampleRepository {
  const gained = Array.from({ length: count }, (_, index) => ({
    url: repository.url,
    first_use_date: repository.pushed_at ?? 0,
    last_use_date: null,
    updated_at: repository.pushed_at ?? 0,
    status: 'active' as const,
    dependency: { dependency_name: `gained-${index + 1}`, dependency_file: 'package.json' },
  }))
  return { ...repository, dependencies: [...repository.dependencies, ...gained] }
}

async function writeFolder(
  folder: string,
  contents: Record<(typeof files)[number], Iterable<object>>,
): Promise<void> {
  if (existsSync(folder)) return
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  for (const name of files) await writeLines(join(unfinished, `${name}.ndjson`), contents[name])
  await mkdir(dirname(folder), { recursive: true })
  await rename(unfinished, folder)
}

async function measure(folder: string): Promise<Dataset> {
  let bytes = 0
  for (const name of files) bytes += (await stat(join(folder, `${name}.ndjson`))).size
  return { folder, bytes }
}

/** Whole numbers from 1 on, every `step`th of them; it can be gone through more than once. */
export function numbersUpTo(most: number, step = 1): Iterable<number> {
  return {
    *[Symbol.iterator]() {
      for (let number = 1; number <= most; number += step) yield number
    },
  }
}

function* everyRecord(
  numbers: Iterable<number>,
  create: (number: number) => Iterable<object>,
): Generator<object> {
  for (const number of numbers) yield* create(number)
}

async function writeLines(path: string, records: Iterable<object>): Promise<void> {
  const file = createWriteStream(path)
  let piece = ''
  for (const record of records) {
    piece += `${JSON.stringify(record)}\n`
    if (piece.length < pieceLength) continue
    if (!file.write(piece)) await once(file, 'drain')
    piece = ''
  }
  file.end(piece)
  await finished(file)
}
