/**
 * A picture of latencies by depth and by size, as SVG.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises'
import { formatNumber, type Machine, median } from '../figures.ts'

/** What was measured at a place: a share of a list's length, or a number of users. */
export interface Point {
  at: number
  /** In milliseconds, of each round. */
  values: readonly number[]
}

/** Collects what it shows. */
export interface Picture {
  addDepth(name: string, points: readonly Point[]): void
  addGrowth(name: string, points: readonly Point[]): void
  /** Writes the file, if there is something to show. */
  save(file: string, machine: Machine | undefined): Promise<void>
}

interface Series {
  name: string
  points: { at: number; value: number }[]
}

// One panel below the other: the text can be read on a phone, too.
const width = 500
const panel = { left: 50, width: 415, height: 200 }
const tops = { depth: 76, growth: 346 }
const gray = '#8a8f98'
/** Lists that are shown by name; the others are lines without one. */
const named = new Map([
  ['/users, no filter', '#2563eb'],
  ['/users, one dependency', '#dc2626'],
  ['/users, location, broad', '#059669'],
  ['/repos, no filter', '#9333ea'],
  ['commits of a repository', '#d97706'],
])

export function createPicture(): Picture {
  const depth: Series[] = []
  const growth: Series[] = []
  /** A run that was too short for a single response has no median. */
  const read = (points: readonly Point[]) =>
    points
      .map(({ at, values }) => ({ at, value: median(values) }))
      .filter(({ value }) => Number.isFinite(value))
  return {
    addDepth: (name, points) => depth.push({ name, points: read(points) }),
    addGrowth: (name, points) => growth.push({ name, points: read(points) }),
    async save(file, machine) {
      if (depth.length + growth.length === 0) return
      await writeFile(file, draw(depth, growth, machine))
    },
  }
}

function draw(depth: readonly Series[], growth: readonly Series[], machine: Machine | undefined): string {
  const all = [...depth, ...growth]
  const most = niceCeiling(Math.max(...all.flatMap(({ points }) => points.map(({ value }) => value))))
  const sizes = [...new Set(growth.flatMap(({ points }) => points.map(({ at }) => at)))].sort((a, b) => a - b)
  const bySize = (at: number) => (sizes.length < 2 ? 0 : sizes.indexOf(at) / (sizes.length - 1))
  const where = machine
    ? [
        `${machine.date}, PostgreSQL ${machine.postgresql},`,
        `Node ${machine.node}, ${machine.cores} cores (${machine.processor})`,
      ]
    : []
  const legend = [...named].filter(([name]) => all.some((series) => series.name === name))
  const legendTop = tops.growth + panel.height + 56
  const height = legendTop + 22 * Math.ceil((legend.length + 1) / 2) + 42
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>Median latency of a page by its depth and by the size of the data</title>
<text x="${panel.left}" y="28" font-size="17" font-weight="600" fill="#111827">Median latency, one request at a time (ms)</text>
${drawPanel({ top: tops.depth, title: 'by depth: from the first page to the last', most, series: depth, place: (at) => at, labels: [0, 0.25, 0.5, 0.75, 1].map((at) => [at, `${at * 100} %`]) })}
${drawPanel({ top: tops.growth, title: 'by size: random pages, by number of users', most, series: growth, place: bySize, labels: sizes.map((at) => [bySize(at), at.toLocaleString('en')]) })}
${[...legend, ['others', gray] as const]
  .map(([name, color], index) => {
    const x = panel.left + (index % 2) * 225
    const y = legendTop + Math.floor(index / 2) * 22
    return `<path d="M${x} ${y}h24" stroke="${color}" stroke-width="3"/><text x="${x + 32}" y="${y + 4}" fill="#374151">${escapeText(name)}</text>`
  })
  .join('\n')}
${where.map((line, index) => `<text x="${panel.left}" y="${height - 28 + index * 16}" font-size="11" fill="#6b7280">${escapeText(line)}</text>`).join('\n')}
</svg>
`
}

interface Panel {
  top: number
  title: string
  /** At the top, in milliseconds. */
  most: number
  series: readonly Series[]
  /** Where a point stands, from 0 (left) to 1. */
  place(at: number): number
  labels: readonly (readonly [place: number, text: string])[]
}

function drawPanel({ top, title, most, series, place, labels }: Panel): string {
  const { left } = panel
  const bottom = top + panel.height
  const x = (share: number) => (left + share * panel.width).toFixed(1)
  const y = (value: number) => (bottom - (value / most) * panel.height).toFixed(1)
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * most)
  const lines = series.toSorted((a, b) => Number(named.has(a.name)) - Number(named.has(b.name)))
  return [
    `<text x="${left}" y="${top - 16}" font-weight="600" fill="#374151">${escapeText(title)}</text>`,
    ...ticks.map(
      (value) =>
        `<path d="M${left} ${y(value)}h${panel.width}" stroke="#e5e7eb"/><text x="${left - 8}" y="${Number(y(value)) + 4}" text-anchor="end" fill="#6b7280">${formatNumber(value)}</text>`,
    ),
    ...labels.map(
      ([share, text]) =>
        `<text x="${x(share)}" y="${bottom + 20}" text-anchor="middle" fill="#6b7280">${text}</text>`,
    ),
    ...lines.map(({ name, points }) => {
      const color = named.get(name)
      const path = points
        .map(({ at, value }, index) => `${index === 0 ? 'M' : 'L'}${x(place(at))} ${y(value)}`)
        .join('')
      return `<path d="${path}" fill="none" stroke="${color ?? gray}" stroke-width="${color === undefined ? 1 : 2.5}" stroke-opacity="${color === undefined ? 0.5 : 1}" stroke-linejoin="round"><title>${escapeText(name)}</title></path>`
    }),
  ].join('\n')
}

/** The next number that is 1, 2, 4 or 8 times a power of ten. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 8, 10].map((factor) => factor * power).find((candidate) => candidate >= value) ?? value
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
