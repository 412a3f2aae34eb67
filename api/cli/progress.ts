/**
 * Progress of a long command: one line that is redrawn on a terminal, or else a plain line every few seconds.
 *
 * @module
 */
import type { Writable } from 'node:stream'
import { formatCount } from './output.ts'

export interface ProgressState {
  step: string
  /** Units done in this step. */
  count: number
  /** For example, `lines`. */
  unit: string
  /** From 0 to 1; undefined: unknown. */
  fraction: number | undefined
}

export interface Progress {
  /** Sets the state, which is drawn at the next interval. */
  update(state: ProgressState): void
  /** Prints a line that stays. */
  note(text: string): void
  /** Removes the display. */
  end(): void
}

const redrawIntervalMs = 100
const plainIntervalMs = 5_000

const barWidth = 16
const clearLine = '\r\u001b[2K'

/** Shows progress on a stream. Call `end` before anything else writes to it. */
export function startProgress(stream: Writable & { isTTY?: boolean; columns?: number }): Progress {
  const terminal = stream.isTTY === true
  let state: ProgressState | undefined
  let begin = { at: Date.now(), count: 0, fraction: 0 }

  function draw(): void {
    if (state === undefined) return
    const line = describe(state, begin, terminal)
    if (terminal) stream.write(`${clearLine}${line.slice(0, Math.max((stream.columns || 80) - 1, 0))}`)
    else stream.write(`${line}\n`)
  }

  const timer = setInterval(draw, terminal ? redrawIntervalMs : plainIntervalMs)
  timer.unref()
  return {
    update(next) {
      // Counts continue from file to file. When they restart, so do the rate and the remaining time.
      const isNew =
        state === undefined ||
        next.count < state.count ||
        (next.fraction === undefined) !== (state.fraction === undefined) ||
        (next.fraction ?? 0) < (state.fraction ?? 0)
      if (isNew) begin = { at: Date.now(), count: next.count, fraction: next.fraction ?? 0 }
      state = next
    },
    note(text) {
      stream.write(`${terminal ? clearLine : ''}${text}\n`)
      if (terminal) draw()
    },
    end() {
      clearInterval(timer)
      if (terminal && state !== undefined) stream.write(clearLine)
      state = undefined
    },
  }
}

/** The most important part is first, because a narrow terminal cuts off the rest. */
function describe(
  { step, count, unit, fraction }: ProgressState,
  begin: { at: number; count: number; fraction: number },
  terminal: boolean,
): string {
  const seconds = (Date.now() - begin.at) / 1000
  const parts = [terminal && fraction !== undefined ? `${drawBar(fraction)} ${step}` : step]
  if (fraction !== undefined) parts.push(`${Math.floor(fraction * 100)} %`)
  const progressed = (fraction ?? 0) - begin.fraction
  if (fraction !== undefined && progressed > 0) {
    parts.push(`${formatDuration((seconds * (1 - fraction)) / progressed)} left`)
  } else {
    parts.push(formatDuration(seconds))
  }
  if (count > begin.count && seconds > 0) {
    parts.push(`${formatCount((count - begin.count) / seconds)} ${unit}/s`)
  }
  if (count > 0) parts.push(`${formatCount(count)} ${unit}`)
  return parts.join(', ')
}

function drawBar(fraction: number): string {
  const full = Math.round(fraction * barWidth)
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`
}

/** `1:02:03`, `2:03`, `3 s` */
function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const pad = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  return minutes < 60
    ? `${minutes}:${pad(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(whole % 60)}`
}
