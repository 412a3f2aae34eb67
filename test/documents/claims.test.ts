/** What pages claim of speed and space is what the benchmark has recorded. */
import { expect, test } from 'vitest'
import { readClaims } from '../../bench/claims.ts'

test('each figure that a page claims is that of bench/figures.json: run `npm run bench -- --claims`', async () => {
  const files = await readClaims()
  expect(files.length).toBeGreaterThan(5)
  for (const { path, found, expected } of files) expect(found, path).toBe(expected)
})

test('no figure begins a line of Markdown, where its comment would end the paragraph', async () => {
  const files = (await readClaims()).filter(({ path }) => path.endsWith('.md'))
  const first = files.filter(({ found }) => /^[\s>-]*<!-- figure \S+ -->(?!\n)/m.test(found))
  expect(first.map(({ path }) => path)).toEqual([])
})
