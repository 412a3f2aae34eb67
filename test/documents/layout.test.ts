/** The order of rooms in CONTRIBUTING.md, the imports of `api/`, and the length of its functions. */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
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

test('a function of api/ has at most 80 lines, or its comment says why it is longer', async () => {
  const long: string[] = []
  for (const file of imports.keys()) {
    const source = ts.createSourceFile(
      file,
      await readFile(join(project, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    )
    const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1
    const visit = (node: ts.Node): void => {
      const start = node.getStart(source)
      const isLong = ts.isFunctionLike(node) && lineOf(node.end) - lineOf(start) >= 80
      const comment = source.text.slice(node.getFullStart(), start)
      if (isLong && !/\blong\s+(?:\* )?because\b/.test(comment)) long.push(`${file}:${lineOf(start)}`)
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  expect(long).toEqual([])
})
