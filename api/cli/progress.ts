/**
 * Shows how far a long command has come: on a terminal one line that is drawn again and again, elsewhere a plain line
 * every few seconds.
 *
 * @module
 */
import type { Writable } from 'node:stream'
import { formatCount } from './output.ts'

/** How far the work has come. */
export interface ProgressState {
  /** What is being done. */
  step: string
  /** Things done in this step. */
  count: number
  /** What they are: `lines`. */
  unit: string
  /** From 0 to 1; undefined when it can't be known. */
  fraction: number | undefined
}

/** A progress display. */
export interface Progress {
  /** Takes the state in; when it is drawn is the display's business. */
  update(state: ProgressState): void
  /** Prints a line of its own, which stays. */
  note(text: string): void
  /** Takes the display away. */
  end(): void
}

/** In milliseconds. */
const redrawInterval = 100
const plainInterval = 5_000

const barWidth = 16
const clearLine = '\r\u001b[2K'

/** Begins to show progress on a stream. Call `end` before anything else is written there. */
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

  const timer = setInterval(draw, terminal ? redrawInterval : plainInterval)
  timer.unref()
  return {
    update(next) {
      // Counts go on from one file to the next; where they begin anew, so do rate and time left.
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

/** What matters most comes first: a narrow terminal shows only the beginning. */
function describe(
  { step, count, unit, fraction }: ProgressState,
  begin: { at: number; count: number; fraction: number },
  terminal: boolean,
): string {
  const seconds = (Date.now() - begin.at) / 1000
  const parts = [terminal && fraction !== undefined ? `${drawBar(fraction)} ${step}` : step]
  if (fraction !== undefined) parts.push(`${Math.floor(fraction * 100)} %`)
  const come = (fraction ?? 0) - begin.fraction
  if (fraction !== undefined && come > 0) {
    parts.push(`${formatDuration((seconds * (1 - fraction)) / come)} left`)
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
