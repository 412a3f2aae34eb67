/** Files with personal data: readable for their owner only, and complete or missing. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPrivateFile } from '../../api/database/private-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'devdata-private-'))
  file = join(folder, 'report.csv')
})
afterEach(() => rmSync(folder, { recursive: true }))

const header = 'name,reason\r\n'

async function write(...texts: string[]): Promise<void> {
  await using created = await createPrivateFile(file, header)
  for (const text of texts) await created.write(text)
  await created.complete()
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('only the owner can read a file, before it is complete and after', async () => {
  const created = await createPrivateFile(file, header)
  expect(readdirSync(folder).map((name) => modeOf(join(folder, name)))).toEqual([0o600])
  await created.write(header)
  await created.complete()
  await created[Symbol.asyncDispose]()
  expect([readdirSync(folder), modeOf(file)]).toEqual([['report.csv'], 0o600])
})

test('an earlier file is replaced, even one that everybody could read, and what a killed command left', async () => {
  writeFileSync(file, `${header}ada,gone\r\n`)
  writeFileSync(`${file}.part`, header)
  chmodSync(`${file}.part`, 0o644)
  await write(header, 'bob,gone\r\n')
  expect(readFileSync(file, 'utf8')).toBe(`${header}bob,gone\r\n`)
  expect([readdirSync(folder), modeOf(file)]).toEqual([['report.csv'], 0o600])
})

test('the earlier file stays until the new one is complete, and nothing is left of one that never is', async () => {
  await write(header)
  {
    await using created = await createPrivateFile(file, header)
    await created.write('half of')
    expect(readFileSync(file, 'utf8')).toBe(header)
  }
  expect([readdirSync(folder), readFileSync(file, 'utf8')]).toEqual([['report.csv'], header])
})

test('a file that is kept stays beside the earlier one, even if it is never complete', async () => {
  await write(header)
  {
    await using created = await createPrivateFile(file, header)
    await created.write('ada,gone\r\n')
    await created.keep()
  }
  expect([readFileSync(file, 'utf8'), readFileSync(`${file}.part`, 'utf8')]).toEqual([header, 'ada,gone\r\n'])
})

test('a file of another kind, a folder and a link are not replaced', async () => {
  const expectRefusal = async (reason: string) =>
    await expect(write(header)).rejects.toThrow(`${file} can't be written: ${reason}`)
  for (const content of ['ada@example.com\n', header.slice(0, 4)]) {
    writeFileSync(file, content)
    await expectRefusal('another file has this name; choose another path')
    expect([readdirSync(folder), readFileSync(file, 'utf8')]).toEqual([['report.csv'], content])
  }
  rmSync(file)
  mkdirSync(file)
  await expectRefusal('it is a folder; use the path of a file')
  rmSync(file, { recursive: true })
  writeFileSync(join(folder, 'other.csv'), header)
  symlinkSync(join(folder, 'other.csv'), file)
  await expectRefusal('it is a symbolic link; use the path of a file')
  rmSync(file)
  file = join(folder, 'nowhere', 'report.csv')
  await expectRefusal('no such file or directory')
})

test('an empty file is replaced, as a command such as mktemp creates it', async () => {
  writeFileSync(file, '')
  await write(header)
  expect(readFileSync(file, 'utf8')).toBe(header)
})

test('a device gets the text, and stays a device', async () => {
  file = '/dev/null'
  await write(header)
  expect(statSync(file).isCharacterDevice()).toBe(true)
})
