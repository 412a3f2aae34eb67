/**
 * The file of figures: what was measured last, part by part, each with where, when and on how much data. Pages claim
 * what is in `bench/figures.json` (claims.ts).
 */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeGoal, type Figure, nameFigure, type Point } from './figures.ts'
import { parts } from './parts.ts'

export const recordFile = join(import.meta.dirname, 'figures.json')

/** A figure as bench/README.md explains it: our median and the other's in `unit`, their ratio, and the goal. */
export interface RecordedFigure {
  name: string
  ours: number
  unit: string
  theirs?: number
  ratio?: number
  /** Least and largest ratio of a round. */
  spread?: readonly [number, number]
  rounds?: number
  goal?: string
  met?: boolean
  points?: readonly Point[]
}

/** A part, and what is needed to judge its figures. */
export interface RecordedPart {
  date: string
  version: string
  commit: string | null
  machine: string
  data: Record<string, number>
  /** Load averages, and the largest share of the processors that others used while the benchmark was idle. */
  load: { before: number; after: number; others: number }
  figures: RecordedFigure[]
}

/** The parts by their names. */
export type Recorded = Record<string, RecordedPart>

/** Reads a file of figures; without one, nothing is recorded. */
export async function readRecord(file = recordFile): Promise<Recorded> {
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')).parts : {}
}

/** Writes a part into a file of figures, and keeps its other parts. */
export async function recordPart(file: string, name: string, part: RecordedPart): Promise<void> {
  const recorded: Recorded = { ...(await readRecord(file)), [name]: part }
  const lines = parts
    .flatMap(({ name }) => (recorded[name] === undefined ? [] : [[name, recorded[name]] as const]))
    .map(([name, { figures, ...head }]) => {
      const rest = Object.entries(head).map(([key, value]) => `      "${key}": ${JSON.stringify(value)},`)
      const each = figures.map((figure) => `        ${JSON.stringify(figure)}`)
      return `    "${name}": {\n${rest.join('\n')}\n      "figures": [\n${each.join(',\n')}\n      ]\n    }`
    })
  const about = 'Written by `npm run bench -- --record`. bench/README.md explains each figure.'
  await writeFile(
    file,
    `{\n  "about": ${JSON.stringify(about)},\n  "parts": {\n${lines.join(',\n')}\n  }\n}\n`,
  )
}

/** Makes figures what the file has, sorted by name. */
export function toRecorded(figures: readonly Figure[]): RecordedFigure[] {
  const compare = (one: RecordedFigure, other: RecordedFigure) => (one.name < other.name ? -1 : 1)
  return figures.map(toRecordedFigure).sort(compare)
}

function toRecordedFigure(figure: Figure): RecordedFigure {
  const { ours, theirs, ratio, spread, unit, rounds, goal, met, points } = figure
  return {
    name: nameFigure(figure),
    ...(ratio !== null && { ratio: round(ratio) }),
    ...(spread !== null && rounds > 1 && { spread: [round(spread[0]), round(spread[1])] as const }),
    ...(goal !== null && met !== null && { goal: describeGoal(figure), met }),
    ours: round(ours),
    ...(theirs !== null && { theirs: round(theirs) }),
    unit,
    ...(rounds > 1 && { rounds }),
    ...(points !== undefined && { points: points.map(([at, value]): Point => [at, round(value)]) }),
  }
}

/** Three digits, or as many as a whole number has. */
function round(value: number): number {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? Math.round(value) : Number(value.toPrecision(3))
}
