/** @module-tag longest */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { parts } from '../../bench/parts.ts'
import { readRecord } from '../../bench/record.ts'
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
    // Fails with the output, which names what differs or isn't measured.
    await run(process.execPath, [resolve('bench/main.ts'), '--tiny', '--json', file], {
      maxBuffer: 2 ** 26,
      signal,
    })

    const recorded = await readRecord(file)
    expect(Object.keys(recorded)).toEqual(parts.map(({ name }) => name))
    expect(Object.entries(recorded).filter(([, part]) => part.figures.length === 0)).toEqual([])
    const figures = Object.values(recorded).flatMap((part) => part.figures)
    const correctness = figures.filter(({ goal }) => goal === '≤ 0')
    expect(correctness.length).toBeGreaterThan(8)
    expect(correctness.filter(({ met }) => !met)).toEqual([])
  },
)
