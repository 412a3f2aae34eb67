/**
 * A picture of latencies by depth and by size, as SVG. Its classes are those of diagrams in the portal, which colors it
 * for both themes (docs-site/src/styles/diagrams.css).
 */
import type { Point } from '../figures.ts'
import type { RecordedPart } from '../record.ts'

interface Series {
  name: string
  points: readonly Point[]
}

// One panel below the other, as wide as a phone: the text can be read there, too.
const width = 360
const panel = { left: 38, width: 318, height: 200 }
const tops = { depth: 72, growth: 368 }
const lineHeight = 22
/** Lists that are shown by name, each in a color of the portal; the others are thin lines without one. */
const named = [
  '/users, no filter',
  '/users, one dependency',
  '/users, location, broad',
  '/repos, no filter',
  'commits of a repository',
]
const others = named.length
const findColor = (name: string) => (named.includes(name) ? named.indexOf(name) : others)

/** Draws the recorded parts `depth` and `growth`. */
export function drawPicture(deep: RecordedPart, grown: RecordedPart): string {
  const depth = listSeries(deep)
  const growth = listSeries(grown)
  const all = [...depth, ...growth]
  const most = niceCeiling(Math.max(...all.flatMap(({ points }) => points.map(([, value]) => value))))
  const sizes = [...new Set(growth.flatMap(({ points }) => points.map(([at]) => at)))].sort((a, b) => a - b)
  const bySize = (at: number) => (sizes.length < 2 ? 0 : sizes.indexOf(at) / (sizes.length - 1))
  const where = [
    `${deep.date}, ${deep.data.users?.toLocaleString('en')} users,`,
    deep.machine.split(', ')[0] ?? '',
  ]
  const legend = [...named.filter((name) => all.some((series) => series.name === name)), 'others']
  const legendTop = tops.growth + panel.height + 54
  const whereTop = legendTop + legend.length * lineHeight + 12
  const height = whereTop + where.length * lineHeight
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Median latency of a page by its depth and by the size of the data">
<text class="total" x="0" y="14">Median latency, one request at a time (ms)</text>
${drawPanel({ top: tops.depth, title: 'by depth: from the first page to the last', most, series: depth, place: (at) => at, labels: [0, 0.25, 0.5, 0.75, 1].map((at) => [at, `${at * 100} %`]) })}
${drawPanel({ top: tops.growth, title: 'by size: random pages, by number of users', most, series: growth, place: bySize, labels: sizes.map((at) => [bySize(at), at.toLocaleString('en')]) })}
${legend
  .map((name, index) => {
    const y = legendTop + index * lineHeight
    return `<path class="swatch" data-series="${findColor(name)}" d="M0 ${y}h24" stroke="currentColor"/><text x="34" y="${y + 5}">${escapeText(name)}</text>`
  })
  .join('\n')}
${where.map((line, index) => `<text class="soft" x="0" y="${whereTop + index * lineHeight}">${escapeText(line)}</text>`).join('\n')}
</svg>
`
}

function listSeries({ figures }: RecordedPart): Series[] {
  return figures.flatMap(({ name, points }) => {
    const [list = ''] = name.split(/ \/ |: last/)
    return points === undefined ? [] : [{ name: list, points }]
  })
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
  const lines = series.toSorted((a, b) => findColor(b.name) - findColor(a.name))
  return [
    `<text class="soft" x="0" y="${top - 26}">${escapeText(title)}</text>`,
    ...ticks.map(
      (value) =>
        `<path class="grid" d="M${left} ${y(value)}h${panel.width}" stroke="currentColor"/><text class="soft" x="${left - 8}" y="${Number(y(value)) + 5}" text-anchor="end">${Number(value.toPrecision(3))}</text>`,
    ),
    ...labels.map(
      ([share, text]) =>
        `<text class="soft" x="${x(share)}" y="${bottom + 22}" text-anchor="${share === 1 ? 'end' : 'middle'}">${text}</text>`,
    ),
    ...lines.map(({ name, points }) => {
      const path = points
        .map(([at, value], index) => `${index === 0 ? 'M' : 'L'}${x(place(at))} ${y(value)}`)
        .join('')
      return `<path data-series="${findColor(name)}" d="${path}" fill="none" stroke="currentColor"><title>${escapeText(name)}</title></path>`
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
