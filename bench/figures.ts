/** What is measured, and how it is told. */
import { readTaken } from './machine.ts'

/** What was measured at a place: a share of a list's length, or a number of users, and milliseconds. */
export type Point = readonly [place: number, milliseconds: number]

/** Ours against something else, or against a bound. */
export interface Figure {
  /** Of the benchmark that it belongs to. */
  part: string
  bar: string
  against: string
  /** Median of the rounds' ratios, ours to the other's. Null where there is nothing to divide by. */
  ratio: number | null
  /** Least and largest ratio of a round. */
  spread: readonly [number, number] | null
  goal: number | null
  /** Whether a ratio has to be at least the goal, or at most. */
  better: 'higher' | 'lower'
  met: boolean | null
  /** Medians, in `unit`. */
  ours: number
  theirs: number | null
  unit: string
  /** Runs of each contender. */
  rounds: number
  /** Share of the machine's CPU time that was taken just before the rounds, at most: by others, that is. */
  taken: number
  /** Further medians, by depth or by size. */
  points?: readonly Point[]
}

/** Where figures go: a line each as they come, and all of them in the end. */
export interface Report {
  /** Ours against another's, a number each from every round. */
  compare(
    bar: Pick<Figure, 'bar' | 'against' | 'goal' | 'better' | 'unit' | 'points'>,
    ours: readonly number[],
    theirs: readonly number[],
  ): void
  /** A number that has to be at most `goal`. */
  note(bar: Pick<Figure, 'bar' | 'against' | 'goal' | 'unit'>, value: number): void
  /** Says what goes on. */
  say(text: string): void
  /** Where it is measured, in a line. */
  machine: string
  /** What the next figures belong to. */
  part: string
  /** Looks whether somebody else uses the machine, and waits a while for them. Figures after it say what was found. */
  lookAround(): Promise<void>
}

export interface FinishedReport extends Report {
  figures: readonly Figure[]
  /** Prints the table. */
  print(): void
}

/** Other programs that take less don't matter. A share of the machine's CPU time. */
const littleTaken = 0.08

/**
 * Each round waits `idleTimeoutSeconds` for others who use the machine. Without `looksAround`, it doesn't look for
 * them.
 */
export function createReport({
  idleTimeoutSeconds,
  looksAround = true,
}: {
  idleTimeoutSeconds: number
  looksAround?: boolean
}): FinishedReport {
  const figures: Figure[] = []
  let taken: number[] = []
  /** Whether `taken` is of rounds that a figure was made of already. */
  let isTold = true

  function add(found: Omit<Figure, 'part' | 'taken'>): void {
    const figure = { part: report.part, ...found, taken: Math.max(0, ...taken) }
    if (figures.some((other) => other.part === figure.part && nameFigure(other) === nameFigure(figure)))
      throw new Error(`${figure.part} has two figures with the name ${nameFigure(figure)}`)
    isTold = true
    figures.push(figure)
    report.say(describe(figure).join('  '))
  }
  const report: FinishedReport = {
    figures,
    machine: '',
    part: '',
    async lookAround() {
      if (!looksAround) return
      if (isTold) taken = []
      isTold = false
      const deadline = performance.now() + idleTimeoutSeconds * 1000
      let share = await readTaken()
      while (share > littleTaken && performance.now() < deadline) share = await readTaken()
      taken.push(share)
    },
    compare(bar, ours, theirs) {
      const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN))
      const ratio = median(ratios)
      const goal = Number.isFinite(ratio) ? bar.goal : null
      const met = goal === null ? null : bar.better === 'higher' ? ratio >= goal : ratio <= goal
      const spread = [Math.min(...ratios), Math.max(...ratios)] as const
      add({ ...bar, ratio, spread, met, ours: median(ours), theirs: median(theirs), rounds: ours.length })
    },
    note(bar, value) {
      const met = bar.goal === null ? null : value <= bar.goal
      add({ ...bar, ratio: null, spread: null, better: 'lower', met, ours: value, theirs: null, rounds: 1 })
    },
    say(text) {
      console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)
    },
    print() {
      console.log(`\n${report.machine}`)
      const head = ['bar', 'against', 'ratio', 'spread', 'goal', 'met', 'ours', 'theirs', 'unit', 'taken']
      printTable([head, ...figures.map(describe)])
    },
  }
  return report
}

/** The name of a figure, which no other of its part has. */
export function nameFigure({ bar, against }: Pick<Figure, 'bar' | 'against'>): string {
  return `${bar} / ${against}`
}

/** Whether a figure has a number for everything: a run without a single response has none. */
export function isMeasured({ ours, theirs, ratio }: Figure): boolean {
  return [ours, theirs ?? 0, ratio ?? 0].every(Number.isFinite)
}

/** Figures about correctness, whose goal is 0, that miss it. */
export function findWrong(figures: readonly Figure[]): Figure[] {
  return figures.filter(({ goal, met }) => goal === 0 && !met)
}

/** The goal as people read it: `≤ 1.5`. */
export function describeGoal({ goal, better }: Pick<Figure, 'goal' | 'better'>): string {
  return goal === null ? '' : `${better === 'higher' ? '≥' : '≤'} ${goal}`
}

function describe(figure: Figure): string[] {
  const { bar, against, ratio, spread, met, ours, theirs, unit, taken } = figure
  return [
    bar,
    against,
    ratio === null ? '' : ratio.toFixed(2),
    spread === null ? '' : spread.map((value) => value.toFixed(2)).join('–'),
    describeGoal(figure),
    met === null ? '' : met ? 'yes' : 'NO',
    formatNumber(ours),
    theirs === null ? '' : formatNumber(theirs),
    unit,
    `${Math.round(taken * 100)} %`,
  ]
}

/** Prints rows with their columns in line. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

/** Three digits, or as many as a whole number has. */
export function formatNumber(value: number): string {
  return value >= 100 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en')
    : value.toPrecision(3)
}

/** Of an even number of values: the mean of the two in the middle, so that two rounds don't count as the better one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** The value below which a share of the others lie. `sorted` ascending; NaN when it is empty. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * Runs contenders in turns, for as many rounds; who begins changes, so that nobody always comes after the same one.
 * Promises a function that tells what a contender measured, by round.
 */
export async function alternate<Name extends string, Result>(
  report: Report,
  rounds: number,
  contenders: readonly (readonly [name: Name, run: () => Promise<Result>])[],
): Promise<(name: Name) => Result[]> {
  const results = new Map<Name, Result[]>(contenders.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const first = round % contenders.length
    await report.lookAround()
    for (const [name, run] of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      results.get(name)?.push(await run())
    }
  }
  return (name) => results.get(name) ?? []
}
