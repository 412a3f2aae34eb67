/**
 * The order of rooms in CONTRIBUTING.md, and the imports of `api/`.
 *
 * @module
 */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const project = resolve(import.meta.dirname, '..', '..')
const guide = await readFile(join(project, 'CONTRIBUTING.md'), 'utf8')
const [, list = ''] = /^Imports point downward.*?```text\n(.*?)```/ms.exec(guide) ?? []
const order = list.split('→').map((rooms) => rooms.split(',').map((room) => room.trim()))
const rooms = order.flat()

const imports = new Map<string, string[]>()
for (const file of globSync('api/**/*.ts', { cwd: project })) {
  const code = await readFile(join(project, file), 'utf8')
  const found = [...code.matchAll(/(?:from |import\(|URL\()'(\.[^']+\.ts)'/g)].map(([, path = '']) => path)
  imports.set(
    file,
    found.map((path) => join(dirname(file), path)),
  )
}

const findRoom = (file: string) =>
  rooms.find((room) => file === `api/${room}.ts` || file.startsWith(`api/${room}/`))
const heightOf = (file: string) => order.findIndex((floor) => floor.includes(findRoom(file) ?? ''))

test('each file of api/ is in a room, and imports what is in its own room or below', () => {
  expect([...imports.keys()].filter((file) => findRoom(file) === undefined)).toEqual([])
  const upward = [...imports].flatMap(([file, paths]) =>
    paths
      .filter((path) => !(findRoom(file) === 'mcp' && path.startsWith('client/mcp/src/')))
      .filter((path) => findRoom(path) !== findRoom(file) && heightOf(path) <= heightOf(file))
      .map((path) => `${file} → ${path}`),
  )
  expect(upward).toEqual([])
})

test('no files import each other in a cycle', () => {
  // Removes files that import none of the others, again and again. Files of a cycle stay.
  let left = [...imports.keys()]
  for (let before = -1; before !== left.length; ) {
    before = left.length
    left = left.filter((file) => imports.get(file)?.some((path) => left.includes(path)))
  }
  expect(left).toEqual([])
})
