import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Lists the paths of the files in a folder and in all folders in it, sorted. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.sort()
}
