/** @module-tag longest */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { Figure } from '../../bench/figures.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'

const run = promisify(execFile)
const hasPostgres = findPostgresBinaries() !== undefined
if (!hasPostgres) console.warn(`skipped: ${postgresMissing}`)

test.skipIf(!hasPostgres)(
  'every part of every benchmark runs, its contenders return the same bytes, and no figure is wrong or missing',
  { timeout: 900_000 },
  async ({ signal }) => {
    const folder = await mkdtemp(join(tmpdir(), 'devdata-bench-test-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'figures.json')
    // Fails with the output, which names what differs.
    await run(process.execPath, [resolve('bench/main.ts'), '--tiny', '--json', file], {
      maxBuffer: 2 ** 26,
      signal,
    })

    const figures: Figure[] = JSON.parse(await readFile(file, 'utf8'))
    const subjects = ['ledger', 'overload', 'runtimes', 'embedded', 'forge', 'catalog']
    expect([...new Set(figures.map(({ subject }) => subject))]).toEqual(subjects)
    // JSON has null for what isn't a number.
    const missing = figures.filter(
      ({ ours, ratio, theirs }) => ours === null || (theirs !== null && ratio === null),
    )
    expect(missing.map(({ bar, against }) => `${bar} / ${against}`)).toEqual([])
    const correctness = figures.filter(({ goal }) => goal === 0)
    expect(correctness.length).toBeGreaterThan(8)
    expect(correctness.filter(({ met }) => !met)).toEqual([])
  },
)
