/** Reads recorded figures by their names, and writes numbers as pages have them. */
import type { Recorded, RecordedPart } from './record.ts'

/** Each function throws an `Error` if the part or the figure isn't recorded. */
export interface RecordReader {
  part(name: string): RecordedPart
  /** How much data a part was measured on. */
  size(part: string, what?: string): number
  /** Our median of a figure, in its unit. */
  ours(part: string, figure: string): number
  /** Ours to the other's. */
  ratio(part: string, figure: string): number
  ratios(part: string): number[]
}

export function createReader(recorded: Recorded): RecordReader {
  function part(name: string): RecordedPart {
    const found = recorded[name]
    if (found === undefined) throw new Error(`bench/figures.json has no part ${name}`)
    return found
  }
  function read(name: string, figure: string, key: 'ours' | 'ratio'): number {
    const value = part(name).figures.find((each) => each.name === figure)?.[key]
    if (value === undefined)
      throw new Error(`the part ${name} of bench/figures.json has no figure "${figure}" with ${key}`)
    return value
  }
  return {
    part,
    size(name, what = 'users') {
      const size = part(name).data[what]
      if (size === undefined)
        throw new Error(`the part ${name} of bench/figures.json has no number of ${what}`)
      return size
    },
    ours: (name, figure) => read(name, figure, 'ours'),
    ratio: (name, figure) => read(name, figure, 'ratio'),
    ratios: (name) => part(name).figures.flatMap(({ ratio }) => ratio ?? []),
  }
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en')

export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${whole(seconds)} s`
  if (seconds < 7_200) return `${whole(seconds / 60)} minutes`
  return seconds < 172_800 ? `${whole(seconds / 3_600)} hours` : `${whole(seconds / 86_400)} days`
}

/** A table of Markdown as the formatter writes it, with an empty line before and after. */
export function tabulate(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const rule = widths.map((width) => '-'.repeat(width))
  const lines = [head, rule, ...rows].map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  return `\n\n${lines.join('\n')}\n\n`
}
