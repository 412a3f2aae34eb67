/** What stands in the way of a release. */
import { expect, test } from 'vitest'
import { readVersion } from '../../api/build-info.ts'
import { listProblems, type ReleaseState, readNewestChanges, readReleaseState } from '../../release/checks.ts'

const ready: ReleaseState = {
  version: '1.2.3',
  named: [['openapi.yml', '1.2.3']],
  heading: '1.2.3 (2030-01-31)',
  pending: [],
  changed: [],
  tags: ['latest', 'v1.2.3'],
}

test('nothing does, if all files agree', () => {
  expect(listProblems(ready)).toEqual([])
})

test.each<[Partial<ReleaseState>, string]>([
  [{ named: [['openapi.yml', '1.2.2']] }, 'openapi.yml has version 1.2.2; package.json has 1.2.3'],
  [
    { heading: '1.2.3 (unreleased)' },
    'CHANGELOG.md begins with "1.2.3 (unreleased)"; write "1.2.3 (YYYY-MM-DD)", the day of the release',
  ],
  [
    { heading: '1x2.3 (2030-01-31)' },
    'CHANGELOG.md begins with "1x2.3 (2030-01-31)"; write "1.2.3 (YYYY-MM-DD)", the day of the release',
  ],
  [{ pending: ['changes/a.md'] }, "changes/a.md isn't in CHANGELOG.md; run: npm run changes"],
  [{ changed: ['api/app.ts'] }, "api/app.ts isn't committed"],
  [{ tags: ['v1.2.2'] }, 'the commit has no tag v1.2.3; run: git tag v1.2.3'],
])('%j does', (change, problem) => {
  expect(listProblems({ ...ready, ...change })).toEqual([problem])
})

test('all files of this folder name one version', async () => {
  const state = await readReleaseState()
  expect(state.version).toBe(readVersion())
  expect(state.named.length).toBeGreaterThan(6)
  expect(listProblems(state).filter((problem) => problem.includes('has version'))).toEqual([])
})

test('the notes are the newest section of the changelog', async () => {
  const { heading, text } = await readNewestChanges()
  expect(heading).toContain(readVersion())
  expect(text).toMatch(/^The first version of devdata, .*\n[\s\S]*- /)
  expect(text).not.toMatch(/^## /m)
})
