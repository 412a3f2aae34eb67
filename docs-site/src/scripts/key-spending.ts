/** The spending of the reader's key on the page "Your key": a chart and a table. */
import type { UsageSum } from '../../../client/src/types.ts'
import { writePrice } from './credits.ts'
import { createElement as create } from './elements.ts'
import { createTable, formatNumber } from './key-table.ts'
import { drawSpending, listDays } from './spending-chart.ts'

/** Shows the sums of the last 30 days, or of as many as the reader chooses. */
export function showSpending(place: HTMLElement, allSums: readonly UsageSum[]): void {
  const chart = create('div', { className: 'chart' })
  const legend = create('ul', { className: 'legend' })
  const total = create('p', { className: 'total' })
  const table = create('div')
  const endpoints = [...new Set(allSums.map(({ endpoint }) => endpoint))].sort()
  const range = create(
    'select',
    {},
    ...[7, 30, 90].map((count) => new Option(`${count} days`, String(count), count === 30, count === 30)),
  )
  const showRange = () => {
    const days = listDays(Number(range.value))
    const sums = allSums.filter(({ day }) => day >= (days[0] ?? ''))
    const addUp = (field: 'cost' | 'requests', noun: string) => {
      const sum = sums.reduce((sum, each) => sum + each[field], 0)
      return `${formatNumber(sum)} ${noun}${sum === 1 ? '' : 's'}`
    }
    const price = writePrice(sums.reduce((sum, { cost }) => sum + cost, 0))
    total.textContent = `${addUp('cost', 'credit')}${price && ` ${price}`}, ${addUp('requests', 'request')}`
    if (chart.clientWidth > 0) chart.replaceChildren(drawSpending(chart.clientWidth, days, sums, endpoints))
    const rows = sums.map(({ day, endpoint, requests, items, cost }) => [
      day,
      endpoint,
      formatNumber(requests),
      formatNumber(items),
      formatNumber(cost),
    ])
    table.replaceChildren(createTable(['Day', 'Endpoint', 'Requests', 'Items', 'Credits'], rows))
  }
  legend.append(
    ...endpoints.map((endpoint, series) => {
      const item = create('li', {}, endpoint)
      item.dataset.series = String(series)
      return item
    }),
  )
  place.replaceChildren(
    create('div', { className: 'row' }, total, create('label', {}, 'Last ', range)),
    chart,
    legend,
    create('details', {}, create('summary', {}, 'The same figures as a table'), table),
  )
  range.addEventListener('change', showRange)
  new ResizeObserver(showRange).observe(chart)
}
