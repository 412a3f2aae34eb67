import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addChange, listChangeFiles } from '../../changes/assemble.ts'
import { addHeading } from '../../release/set-version.ts'

const changelog = `# Changelog

## 0.2.0 (unreleased)

### API

- One.

#### Lists

- Two.

### Docs

- Three.

## 0.1.0

### API

- Old.
`

describe('a change', () => {
  test('becomes the last line of its section in the newest version', () => {
    expect(addChange(changelog, 'API\n\n- New.\n')).toContain('- One.\n- New.\n\n#### Lists')
    expect(addChange(changelog, 'API / Lists\n\n- New,\n  in two lines.\n')).toContain(
      '- Two.\n- New,\n  in two lines.\n\n### Docs',
    )
    expect(addChange(changelog, 'Docs\n\n- New.\n')).toContain('- Three.\n- New.\n\n## 0.1.0')
  })

  test('is the first line of a section that has none yet', () => {
    const empty = changelog.replace('- Three.\n\n', '')
    expect(addChange(empty, 'Docs\n\n- New.\n')).toContain('### Docs\n\n- New.\n\n## 0.1.0')
  })

  test('of a section that the newest version lacks, or without a list, is refused', () => {
    expect(() => addChange(changelog, 'Apis\n\n- New.')).toThrow('has no "### Apis"')
    expect(() => addChange(changelog, 'Docs / Lists\n\n- New.')).toThrow(
      '"### Docs" in CHANGELOG.md has no "#### Lists"',
    )
    expect(() => addChange(changelog, 'API\n\nNew.')).toThrow('must be followed by a list')
    expect(() => addChange(changelog, 'API')).toThrow('must be followed by a list')
  })
})

test('all files in changes/ can be added to CHANGELOG.md', () => {
  const changes = listChangeFiles().map((file) => [file, readFileSync(file, 'utf8')] as const)
  const released = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8')
  const sections = changes.map(([, change]) => change.split('\n', 1).join(''))
  const whole = addHeading(released, '9.9.9', sections)
  for (const [file, change] of changes) expect(addChange(whole, change), file).not.toBe(whole)
})
