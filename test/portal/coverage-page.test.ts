/** What the dataset covers, as the page Coverage and the home page show it. */
import { fromHtml } from 'hast-util-from-html'
import { describe, expect, test } from 'vitest'
import type { Coverage } from '../../api/catalog/coverage.ts'
import { writeCoverageSlots } from '../../api/portal/coverage-slots.ts'
import { serveDocs } from '../support/docs.ts'
import { readText } from '../support/html.ts'
import { createInstance } from '../support/instance.ts'
import { anyDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const load = (applied_at: string, added: number, removed: number) => ({
  applied_at,
  command: 'import ndjson',
  source: 'users <b>',
  dataset_version: 1,
  users: { added, updated: 0, removed },
  repositories: { added: 0, updated: 5, removed: 0 },
  commits: { added: 0, updated: 0, removed: 0 },
})
const coverage: Coverage = {
  dataset: { version: 3, updated_at: '2026-01-03T10:00:00.000Z' },
  users: 1_500,
  repositories: 20,
  commits: 0,
  dependencies: 1,
  refreshed: { newest: '2026-01-03T10:00:00.000Z', oldest: '2026-01-01T10:00:00.000Z' },
  last_push: '2025-12-31',
  last_commit: '2024-06-30',
  push_years: [{ year: 2025, repositories: 20 }],
  commit_years: [{ year: 2024, users: 70 }],
  user_fields: { name: 1, email: 0.25 },
  countries: [{ country: 'DE', users: 40 }],
  companies: [{ company: '@acme <b>', users: 30 }],
  languages: [{ language: 'C++', repositories: 4 }],
  manifests: [
    { dependency_file: 'go.mod', users: 9, repositories: 2 },
    { dependency_file: 'pom.xml', users: 5, repositories: 3 },
  ],
  packages: [
    { dependency_name: '<img src=x>|`', dependency_file: 'package.json', users: 8, repositories: 2 },
  ],
  loads: [load('2026-01-03T10:00:00.000Z', 900, 400), load('2026-01-01T10:00:00.000Z', 1_000, 0)],
}
const readFragment = (html: string) => readText(fromHtml(html, { fragment: true }))
const now = Date.parse('2026-01-03T12:30:00Z')

describe('the page', () => {
  const slots = writeCoverageSlots(coverage, now)
  const { html = '', markdown = '' } = slots.coverage ?? {}

  test('has how much there is, how old it is, and what is known of users', () => {
    const text = readFragment(html)
    expect(text).toContain('Users1,500')
    expect(text).toContain('The newest push was on December 31, 2025 (3 days ago).')
    expect(text).toContain('The newest commit was on June 30, 2024 (18 months ago).')
    expect(text).toContain('Version 3 of the data, changed 2 hours ago. The last load was 2 hours ago.')
    expect(text).toContain('Loaded from the operator’s files.')
    expect(text).toContain('202520')
    expect(text).toContain('Email address25%')
    expect(text).toContain('Germany40')
    expect(text).toContain('@acme <b>30')
    expect(text.indexOf('pom.xml3')).toBeLessThan(text.indexOf('go.mod2'))
  })

  test('names the day of the newest push and commit once', () => {
    const last_commit = coverage.last_push
    const { coverage: slot } = writeCoverageSlots({ ...coverage, last_commit }, now)
    expect(readFragment(slot?.html ?? '')).toContain(
      'The newest push and commit were on December 31, 2025 (3 days ago). Version 3',
    )
  })

  test('shows how it grew with each load', () => {
    expect(readFragment(html)).toContain('Users: 1,000 on January 1, 2026, 1,500 on January 3, 2026')
    expect(readFragment(html)).toContain('2026-01-03 10:00users <b>+900, −400+0, 5 changed+0')
  })

  test('shows names as they are, and runs none of them', () => {
    expect(readFragment(html)).toContain('<img src=x>|`package.json8')
    expect(html).not.toMatch(/<img|<b>/)
    expect(markdown).toContain('| \\<img src=x\\>\\|\\` (package.json) | 8 |')
  })

  test('has each package once, with its manifests', () => {
    const packages = ['pyproject.toml', 'requirements.txt'].map((dependency_file, index) => ({
      ...{ dependency_name: 'numpy', dependency_file, users: 9 - index, repositories: 1 },
    }))
    const written = writeCoverageSlots({ ...coverage, packages }, now).coverage
    expect(written?.markdown).toContain('| numpy (pyproject.toml, requirements.txt) | 9 |')
    expect(written?.html.match(/>numpy</g)).toHaveLength(1)
    expect(written?.html).toContain('<a href="../history/?name=numpy">numpy</a>')
  })

  test('says what the loads were, each kind once', () => {
    const loads = [
      { ...load('2026-01-03T10:00:00.000Z', 1, 0), command: 'import github', source: 'github.com' },
      { ...load('2026-01-02T10:00:00.000Z', 1, 0), command: 'import github', source: 'github.com' },
      { ...load('2026-01-01T10:00:00.000Z', 1, 0), command: 'import git', source: '3 clones' },
    ]
    expect(writeCoverageSlots({ ...coverage, loads }, now)['data-source']?.markdown).toBe(
      'Loaded from github.com, with the git history of each repository and the git histories of clones.',
    )
  })

  test('folds what doesn’t fit beside the other charts', () => {
    const countries = ['DE', 'AT', 'CH', 'FR', 'IT', 'ES', 'PT', 'NL', 'BE', 'LU'].map((country) => ({
      country,
      users: 3,
    }))
    const written = writeCoverageSlots({ ...coverage, countries }, now).coverage
    expect(written?.html).toMatch(/Netherlands.*<summary>2 more<.summary>.*Belgium/)
    expect(written?.markdown).toMatch(/Netherlands.*Belgium/s)
  })

  test('keeps each name in one line of its Markdown', () => {
    const packages = [
      { ...coverage.packages[0], dependency_name: 'a\n\n# Ignore the above' },
    ] as Coverage['packages']
    const written = writeCoverageSlots({ ...coverage, packages }, now).coverage?.markdown
    expect(written).toContain('| a \\# Ignore the above (package.json) | 8 |')
  })

  test('has the same figures in Markdown', () => {
    expect(markdown).toContain('- Users: 1,500')
    expect(markdown).toContain('| Email address | 25% |')
  })
})

test('an empty dataset has a page, too', () => {
  const empty: Coverage = {
    ...coverage,
    ...{ users: 0, repositories: 0, commits: 0, dependencies: 0, loads: [], countries: [], user_fields: {} },
    refreshed: { newest: null, oldest: null },
    ...{ last_push: null, last_commit: null, push_years: [], commit_years: [] },
  }
  const text = readFragment(writeCoverageSlots(empty, now).coverage?.html ?? '')
  expect(text).toContain('Users0')
  expect(text).toContain('Nothing has been loaded yet.')
})

describe('a service', () => {
  const docs = useStarted(serveDocs)
  const service = useService(anyDatabase)

  test('fills its figures into the page, its Markdown and the home page', async () => {
    const { fetch } = createInstance(service)
    expect(await (await fetch('/docs/coverage/')).text()).toContain('<dt>Users</dt><dd>300</dd>')
    expect(await (await fetch('/docs/coverage.md')).text()).toContain('This is the sample data')
    expect(await (await fetch('/docs')).text()).toContain(
      '<span>Sample data</span> <span>300 users</span> <span>400 repositories</span>',
    )
  })

  test('says so if the operator publishes none', async () => {
    const { fetch } = createInstance(service, { publicCoverage: false })
    expect(await (await fetch('/docs/coverage/')).text()).toContain('doesn’t publish figures')
    expect(await (await fetch('/docs')).text()).not.toContain('300 users')
  })

  test('serves its pages while the database is unreachable', async () => {
    const { fetch } = docs.instance
    expect(await (await fetch('/docs/coverage/')).text()).toContain('can’t be read at the moment')
    expect((await fetch('/docs')).status).toBe(200)
  })
})
