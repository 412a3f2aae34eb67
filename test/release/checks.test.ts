/** What stands in the way of a release. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readVersion } from '../../api/build-info.ts'
import { listProblems, type ReleaseState, readNewestChanges, readReleaseState } from '../../release/checks.ts'
import { addHeading, namesVersion, replaceVersion } from '../../release/set-version.ts'

const ready: ReleaseState = {
  version: '1.2.3',
  named: [['openapi.yml', '1.2.3']],
  heading: '1.2.3 (2030-01-31)',
  notes: 'A version.\n\n### API\n\n- New.\n',
  fixtures: ['1.2.2', '1.2.3'],
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
  [
    { notes: '### API\n\n- New.\n' },
    "CHANGELOG.md doesn't describe the version; write a sentence below its heading",
  ],
  [{ fixtures: ['1.2.2'] }, 'test/release/versions has no fixture of 1.2.3; run: npm run fixture'],
  [{ pending: ['changes/a.md'] }, "changes/a.md isn't in CHANGELOG.md; run: npm run changes"],
  [{ changed: ['api/app.ts'] }, "api/app.ts isn't committed"],
  [{ tags: ['v1.2.2'] }, 'the commit has no tag v1.2.3; run: git tag v1.2.3'],
])('%j does', (change, problem) => {
  expect(listProblems({ ...ready, ...change })).toEqual([problem])
})

test('all files of this folder name one version', async () => {
  const state = await readReleaseState()
  expect(state.version).toBe(readVersion())
  const files = new Set(state.named.map(([file]) => file))
  expect(files.size).toBeGreaterThan(20) // with pages
  // What is read and what is written is found by one pattern: if it misses one of these, both do.
  for (const file of [
    ...['package.json', 'package-lock.json', 'openapi.yml', 'client/package.json', 'client/deno.json'],
    ...['client/mcp/package.json', 'client/src/shell/version.ts', 'client/python/pyproject.toml'],
    ...[
      'client/python/src/devdata_client/__init__.py',
      'deploy/kubernetes/overlays/example/kustomization.yaml',
    ],
  ])
    expect(files).toContain(file)
  expect(listProblems(state).filter((problem) => problem.includes('has version'))).toEqual([])
})

test('the notes are the newest section of the changelog', async () => {
  const { heading, text } = await readNewestChanges()
  expect(heading).toContain(readVersion())
  expect(text).toMatch(/^[A-Z].*\.\n[\s\S]*- /)
  expect(text).not.toMatch(/^## /m)
})

test('set-version writes the new version wherever it is named, and leaves what pages tell of the earlier one', () => {
  const project = join(import.meta.dirname, '..', '..')
  const paths = execFileSync('git', ['ls-files'], { cwd: project, encoding: 'utf8' }).split('\n')
  const version = readVersion()
  const texts = paths
    .filter(namesVersion)
    .map((path) => [path, readFileSync(join(project, path), 'utf8')] as const)
  const changed = texts.map(
    ([path, text]) => [path, text, replaceVersion(path, text, version, '9.8.7')] as const,
  )
  expect(changed.filter(([, text, other]) => text !== other).length).toBeGreaterThan(20)
  for (const [path, text, other] of changed) {
    expect([path, other.replaceAll('9.8.7', version)]).toEqual([path, text])
    if (path === 'package-lock.json') {
      const { version: own, packages } = JSON.parse(other)
      expect([own, packages[''].version]).toEqual(['9.8.7', '9.8.7'])
      const others = ({ packages }: { packages: Record<string, unknown> }) => ({ ...packages, '': undefined })
      expect(others({ packages })).toEqual(others(JSON.parse(text)))
    } else {
      const left = other.split(version).slice(0, -1)
      for (const before of left)
        expect([path, before.slice(-30)]).toEqual([
          path,
          expect.stringMatching(/(from|From|since|before|such as|\|) $/),
        ])
    }
  }
})

test('set-version gives the changelog a heading with the sections of the changes', () => {
  const changelog =
    '# Changelog\n\n## 1.2.2 (2030-01-01)\n\n### API\n\n#### Data\n\n- One.\n\n#### Lists\n\n- Two.\n\n### Docs\n\n- Three.\n'
  expect(addHeading(changelog, '1.2.3 (2030-01-31)', ['Docs', 'API / Lists'])).toBe(
    changelog.replace('## 1.2.2', '## 1.2.3 (2030-01-31)\n\n### API\n\n#### Lists\n\n### Docs\n\n## 1.2.2'),
  )
})
