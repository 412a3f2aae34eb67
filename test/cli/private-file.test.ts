/**
 * Files with personal data: readable for their owner only, and complete or missing.
 *
 * @module
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withPrivateFile } from '../../api/cli/private-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'devdata-private-'))
  file = join(folder, 'person.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a complete file is kept, and only its owner can read it', async () => {
  const result = await withPrivateFile(file, async (write) => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await write('text')
    return 1
  })
  expect(result).toBe(1)
  expect(readFileSync(file, 'utf8')).toBe('text')
  await expect(withPrivateFile(file, (write) => write('other'))).rejects.toThrow(
    `${file} can't be written: file already exists`,
  )
  expect(readFileSync(file, 'utf8')).toBe('text')
})

test('nothing is left of a file that was not written', async () => {
  const failing = withPrivateFile(file, () => Promise.reject(new Error('the database is gone')))
  await expect(failing).rejects.toThrow('the database is gone')
  expect(readdirSync(folder)).toEqual([])
})
