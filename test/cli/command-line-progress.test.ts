/** @module-tag later */
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startProgress } from '../../api/cli/progress.ts'

describe('the progress of a command', () => {
  afterEach(() => vi.useRealTimers())

  function start(terminal: { isTTY: true; columns: number } | undefined) {
    vi.useFakeTimers()
    const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), terminal)
    const read = (): string => stream.read() ?? ''
    return { progress: startProgress(stream), read }
  }

  test('is one line that is redrawn on a terminal', () => {
    const { progress, read } = start({ isTTY: true, columns: 100 })
    progress.update({ step: 'reading users', count: 0, unit: 'lines', fraction: 0 })
    vi.advanceTimersByTime(5000)
    read()
    progress.update({ step: 'reading users', count: 5000, unit: 'lines', fraction: 0.25 })
    vi.advanceTimersByTime(5000)
    const drawn = read()
    expect(drawn).not.toContain('\n')
    expect(drawn.split('\r\u001b[2K').at(-1)).toBe('reading users, 25 %, 10 s, about 30 s left, 5,000 lines')
    progress.end()
    expect(read()).toBe('\r\u001b[2K')
    vi.advanceTimersByTime(5000)
    expect(read()).toBe('')
  })

  test('estimates the time left by the pace of the step, not of those before it', () => {
    const { progress, read } = start({ isTTY: true, columns: 100 })
    const draw = (step: string, fraction: number | undefined, ms: number) => {
      vi.advanceTimersByTime(ms)
      read()
      progress.update({ step, count: 0, unit: '', fraction })
      vi.advanceTimersByTime(100)
      return read().split('\r\u001b[2K').at(-1)
    }
    expect(draw('listing repositories', undefined, 60_000)).toBe('listing repositories, 1:00')
    expect(draw('fetching histories', 0.5, 1_000)).toBe('fetching histories, 50 %, 1:01')
    expect(draw('fetching histories', 0.51, 4_000)).toBe('fetching histories, 51 %, 1:05')
    expect(draw('fetching histories', 0.6, 5_700)).toBe('fetching histories, 60 %, 1:11, about 40 s left')
    progress.end()
  })

  test('never wraps a terminal’s line, and keeps notes', () => {
    const { progress, read } = start({ isTTY: true, columns: 13 })
    progress.update({ step: 'reading manifests', count: 10, unit: 'done', fraction: 0.5 })
    vi.advanceTimersByTime(100)
    expect(read()).toBe('\r\u001b[2Kreading mani')
    progress.note('package.json: not JSON; skipped')
    expect(read()).toBe('\r\u001b[2Kpackage.json: not JSON; skipped\n\r\u001b[2Kreading mani')
    progress.end()
  })

  test('is a plain line every few seconds elsewhere, and nothing before', () => {
    const { progress, read } = start(undefined)
    progress.update({ step: 'reading users', count: 0, unit: 'lines', fraction: undefined })
    vi.advanceTimersByTime(4900)
    expect(read()).toBe('')
    progress.update({ step: 'reading users', count: 1000, unit: 'lines', fraction: undefined })
    vi.advanceTimersByTime(100)
    expect(read()).toBe('reading users, 5 s, 1,000 lines\n')
    progress.note('a warning')
    expect(read()).toBe('a warning\n')
    progress.end()
    expect(read()).toBe('')
  })
})
