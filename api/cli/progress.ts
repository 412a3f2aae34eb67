/** Progress of a long command: one line that is redrawn on a terminal, or else a plain line every few seconds. */
import type { Writable } from 'node:stream'
import { printIfPossible } from '../telemetry/print-if-possible.ts'
import { formatCount } from './output.ts'

export interface ProgressState {
  step: string
  /** Units done. */
  count: number
  /** For example, `lines`. */
  unit: string
  /** Of the step, from 0 to 1; undefined: unknown. */
  fraction: number | undefined
}

export interface Progress {
  /** Sets the state, which is drawn at the next interval. */
  update(state: ProgressState): void
  /** Prints a line that stays. */
  note(text: string): void
  /** Removes the display until the next update, while something else writes to the stream. */
  hide(): void
  /** Removes the display. */
  end(): void
}

const redrawIntervalMs = 100
const plainIntervalMs = 5_000
/** An estimate before that would jump. */
const minElapsedMs = 3_000
const minFraction = 0.02
const clearLine = '\r\u001b[2K'

/** Shows progress on a stream. Call `end` before anything else writes to it. */
export function startProgress(stream: Writable & { isTTY?: boolean; columns?: number }): Progress {
  const terminal = stream.isTTY === true
  const write = (text: string) => printIfPossible(() => stream.write(text))
  const startedAt = Date.now()
  let state: ProgressState | undefined
  /** When the step began, and how much of it was done then. */
  let step = { name: '', startedAt, fraction: 0 }

  function draw(): void {
    if (state === undefined) return
    const now = Date.now()
    const line = describe(state, (now - startedAt) / 1000, estimateSecondsLeft(state, step, now))
    if (terminal) write(`${clearLine}${line.slice(0, Math.max((stream.columns || 80) - 1, 0))}`)
    else write(`${line}\n`)
  }

  function hide(): void {
    if (terminal && state !== undefined) write(clearLine)
    state = undefined
  }

  const timer = setInterval(draw, terminal ? redrawIntervalMs : plainIntervalMs)
  timer.unref()
  return {
    update(next) {
      state = next
      if (next.step !== step.name || (next.fraction ?? 0) < step.fraction) {
        step = { name: next.step, startedAt: Date.now(), fraction: next.fraction ?? 0 }
      }
    },
    note(text) {
      write(`${terminal ? clearLine : ''}${text}\n`)
      if (terminal) draw()
    },
    hide,
    end() {
      clearInterval(timer)
      hide()
    },
  }
}

/** Estimates how long the step will take, by its pace so far. Undefined: too early, or unknown. */
function estimateSecondsLeft(
  { fraction }: ProgressState,
  step: { startedAt: number; fraction: number },
  now: number,
): number | undefined {
  const elapsedMs = now - step.startedAt
  if (fraction === undefined || elapsedMs < minElapsedMs) return undefined
  const done = fraction - step.fraction
  return done < minFraction ? undefined : (elapsedMs / 1000) * ((1 - fraction) / done)
}

/** The most important part is first, because a narrow terminal cuts off the rest. */
function describe(
  { step, count, unit, fraction }: ProgressState,
  seconds: number,
  secondsLeft: number | undefined,
): string {
  const parts = [step]
  if (fraction !== undefined) parts.push(`${Math.floor(fraction * 100)} %`)
  parts.push(formatDuration(seconds))
  if (secondsLeft !== undefined) parts.push(`about ${formatDuration(Math.round(secondsLeft))} left`)
  if (count > 0) parts.push(`${formatCount(count)} ${unit}`)
  return parts.join(', ')
}

/** `75:03` (minutes), `3 s` */
function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
