/** Draws what a key spent as bars, one for each day, in a part for each endpoint. */
import type { UsageSum } from '../../../client/src/types.ts'
import { bottom, draw, drawChart, height } from './chart.ts'

const oneDayMs = 86_400_000

/** The last days (UTC), oldest first: `2030-12-31`. */
export function listDays(count: number, now = Date.now()): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * oneDayMs).toISOString().slice(0, 10),
  )
}

const formatDay = (day: string) =>
  new Date(day).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Draws the sums of these days. `endpoints` are in the order of their colors. */
export function drawSpending(
  width: number,
  days: readonly string[],
  sums: readonly UsageSum[],
  endpoints: readonly string[],
): SVGElement {
  const byDay = Map.groupBy(sums, ({ day }) => day)
  const addUp = (list: readonly UsageSum[] = []) => list.reduce((sum, { cost }) => sum + cost, 0)
  const most = Math.max(...days.map((day) => addUp(byDay.get(day))))
  const summary = `Credits by day, ${addUp(sums).toLocaleString('en')} in ${days.length} days. The table below has the figures.`
  return drawChart(width, most, summary, ({ left, place }) => {
    const slot = (width - left) / days.length
    // A date needs about 60 pixels. The last day has one.
    const every = Math.ceil(60 / slot)
    return days.flatMap((day, index) => {
      const x = left + index * slot
      const spent = (byDay.get(day) ?? []).filter(({ cost }) => cost > 0)
      let below = 0
      const parts = endpoints.flatMap((endpoint, series) =>
        spent
          .filter((sum) => sum.endpoint === endpoint)
          .map(({ cost }) => {
            const y = place(below + cost)
            const size = place(below) - y
            below += cost
            return draw('rect', {
              x: x + slot * 0.14,
              y,
              width: slot * 0.72,
              height: size,
              'data-series': series,
            })
          }),
      )
      const title = [
        `${formatDay(day)}: ${below.toLocaleString('en')} credits`,
        ...spent.map(({ endpoint, cost }) => `${endpoint}: ${cost.toLocaleString('en')}`),
      ].join('\n')
      const isLabeled = (days.length - 1 - index) % every === 0 && x > left
      const isLast = index === days.length - 1
      const label = {
        x: isLast ? width : x + slot / 2,
        y: height - 6,
        'text-anchor': isLast ? 'end' : 'middle',
      }
      return [
        draw(
          'g',
          {},
          draw('title', {}, title),
          draw('rect', { class: 'day', x, y: 0, width: slot, height: height - bottom }),
          ...parts,
        ),
        ...(isLabeled ? [draw('text', label, formatDay(day))] : []),
      ]
    })
  })
}
