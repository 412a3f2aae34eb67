/**
 * Charts of pages, which need no script: tables whose cells have a bar, and lines in the colors of the theme
 * (docs-site/src/styles/coverage.css).
 */
import { escapeHtml, type SlotText, writeTable } from './slots.ts'

/** `1,234`. */
export const writeCount = (count: number): string => count.toLocaleString('en')

/** `November 27, 2026`, in UTC. */
export const writeDay = (time: string | number): string =>
  new Date(time).toLocaleDateString('en', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** A row of a chart. */
export interface Bar {
  name: string
  size: number
  /** The size, as readers see it. */
  text: string
  /** Below the name. */
  note?: string
  /** What the name links to, from the page. */
  link?: string
}

/** Rows that are in view. The others are folded, so that charts beside each other end together. */
const maxRows = 8

/** A table with a bar in each row. */
export function writeBars(
  what: string,
  figure: string,
  bars: readonly Bar[],
  /** The size that has the whole width. */
  largest = Math.max(...bars.map(({ size }) => size)),
): SlotText {
  if (bars.length === 0) return { html: '<p>None.</p>', markdown: 'None.' }
  const rows = bars.map(({ name, size, text, note, link }) => {
    const share = largest === 0 ? 0 : size / largest
    const below = note === undefined ? '' : `<small>${escapeHtml(note)}</small>`
    const linked =
      link === undefined ? escapeHtml(name) : `<a href="${escapeHtml(link)}">${escapeHtml(name)}</a>`
    return `<tr><th scope="row">${linked}${below}</th><td><span class="share" style="--share:${share.toFixed(4)}"></span>${escapeHtml(text)}</td></tr>`
  })
  const writeRows = (some: readonly string[]) =>
    `<table class="bars"><thead class="sr-only"><tr><th>${what}</th><th>${figure}</th></tr></thead><tbody>${some.join('')}</tbody></table>`
  const others = rows.slice(maxRows)
  return {
    html: `${writeRows(rows.slice(0, maxRows))}${others.length === 0 ? '' : `<details><summary>${others.length} more</summary>${writeRows(others)}</details>`}`,
    markdown: writeTable(
      [what, figure],
      bars.map(({ name, text, note }) => [note === undefined ? name : `${name} (${note})`, text]),
    ).markdown,
  }
}

const chart = { width: 240, height: 64 }

/** A line that rises and falls in steps: one for each size. */
export function drawGrowth(title: string, sizes: readonly { time: number; size: number }[]): string {
  const [first] = sizes
  const last = sizes.at(-1)
  if (first === undefined || last === undefined) return ''
  const most = Math.max(...sizes.map(({ size }) => size), 1)
  const duration = Math.max(last.time - first.time, 1)
  const points = sizes.map(({ time, size }) => ({
    x: ((time - first.time) / duration) * chart.width,
    y: chart.height - (size / most) * chart.height,
  }))
  const path = points.map(({ x, y }, index) =>
    index === 0 ? `M${x.toFixed(1)} ${y.toFixed(1)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`,
  )
  const label = `${title}: ${writeCount(first.size)} on ${writeDay(first.time)}, ${writeCount(last.size)} on ${writeDay(last.time)}`
  return `<figure><svg viewBox="-4 -4 ${chart.width + 8} ${chart.height + 8}" aria-hidden="true"><path d="${path.join('')}"/></svg><figcaption>${escapeHtml(label)}</figcaption></figure>`
}
