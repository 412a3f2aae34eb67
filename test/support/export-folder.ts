/** Folders of exports. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'

/** The files of a full export, without the manifest. */
export const dataFiles = ['users.ndjson', 'identities.ndjson', 'repos.ndjson', 'commits.ndjson']

/** Creates an empty folder, which is removed at the end of the scope. */
export async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'devdata-export-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Reads users, their further addresses, repositories and commits, as bytes. */
export function readFiles(folder: string): Promise<Buffer[]> {
  return Promise.all(dataFiles.map((name) => readFile(join(folder, name))))
}

/** Reads a file's lines. */
export async function readObjects(folder: string, name: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(join(folder, name), 'utf8')).split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line))
}
