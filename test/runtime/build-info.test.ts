import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCommit } from '../../api/build-info.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'devdata-checkout-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('the build info has the commit that git names: on a branch, with packed branches, detached, in a worktree', async () => {
  const checkout = join(directory, 'checkout')
  const git = (...parameters: string[]) => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
    return execFileSync('git', [...identity, ...parameters], { cwd: checkout, encoding: 'utf8' }).trim()
  }
  execFileSync('git', ['init', '--quiet', '--initial-branch=feature/one', checkout])
  expect(readCommit(checkout)).toBeNull() // there is none yet

  await writeFile(join(checkout, 'file'), '')
  git('add', 'file')
  git('commit', '--quiet', '--message', 'One')
  const first = git('rev-parse', 'HEAD')
  expect(readCommit(checkout)).toBe(first)

  git('pack-refs', '--all')
  expect(readCommit(checkout)).toBe(first)
  git('commit', '--quiet', '--message', 'Two', '--allow-empty')
  const second = git('rev-parse', 'HEAD')
  expect(second).not.toBe(first)
  expect(readCommit(checkout)).toBe(second)

  const worktree = join(directory, 'worktree')
  git('worktree', 'add', '--quiet', '-b', 'feature/two', worktree, first)
  expect(readCommit(worktree)).toBe(first)
  git('checkout', '--quiet', '--detach', first)
  expect(readCommit(checkout)).toBe(first)
})

test('the build info has no commit where there is no checkout', () => {
  expect(readCommit(directory)).toBeNull()
})
