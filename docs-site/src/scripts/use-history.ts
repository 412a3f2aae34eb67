/** The page "History of a package": who used it at the end of each month, as lines and as a table. */
import type { DependencyHistory, HistoryMonth } from '../../../client/src/types.ts'
import { readError, sendRequest } from './api-request.ts'
import { draw, drawChart, height } from './chart.ts'
import { createElement as create, find } from './elements.ts'
import { onKeyChange, readKey } from './key.ts'
import { openKeyDialog } from './key-dialog.ts'
import { createTable, formatNumber } from './key-table.ts'
import { writeUrl } from './url.ts'

/** The lists that are shown, in the order of their colors. */
const lists = ['users', 'repositories'] as const
const names = { users: 'Users', repositories: 'Repositories' }

/** Starts the page. `?name=` is the package that is shown at first. */
export function startUseHistory(): void {
  const form = find('.history-field', HTMLFormElement)
  const input = find('.history-field input', HTMLInputElement)
  const status = find('.use-history [role=status]', HTMLElement)
  const figures = find('.history-figures', HTMLElement)
  let shown = ''

  async function show(name: string): Promise<void> {
    shown = name
    figures.replaceChildren()
    const key = readKey()
    if (!key) {
      status.textContent = `Enter a key to see the history of ${name}. It’s free.`
      return
    }
    status.textContent = 'Loading …'
    const path = writeUrl('/dependencies/history', [['dependency_name', name]])
    const response = await sendRequest({ method: 'GET', path, key }).catch(() => undefined)
    if (shown !== name || key !== readKey()) return // The reader has asked for another one.
    if (response?.status !== 200) {
      status.textContent = response === undefined ? 'The API is unreachable.' : readError(response)
      return
    }
    const history: DependencyHistory = JSON.parse(response.text)
    status.textContent = describe(name, history)
    if (history.data.length > 0) showFigures(figures, history.data)
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const name = input.value.trim()
    if (name === '') return
    window.history.replaceState(null, '', writeUrl(location.pathname, [['name', name]]))
    if (!readKey()) openKeyDialog()
    void show(name)
  })
  onKeyChange(() => {
    if (shown !== '') void show(shown)
  })
  const asked = new URLSearchParams(location.search).get('name')?.trim() ?? ''
  input.value = asked
  if (asked !== '') void show(asked)
}

function describe(name: string, { data, unknown }: DependencyHistory): string {
  const last = data.at(-1)
  if (last === undefined) return `Nothing uses ${name}.`
  const now = lists.map((list) => `${formatNumber(last[list].active)} ${list}`).join(' and ')
  const others = lists.map((list) => `${formatNumber(unknown[list])} ${list}`).join(' and ')
  const known = `${now} are known to use ${name} at the end of the last month shown.`
  if (lists.every((list) => unknown[list] === 0)) return known
  return `${known} For ${others}, a date is unknown, so the curve may leave them out or count them too long.`
}

function showFigures(place: HTMLElement, months: readonly HistoryMonth[]): void {
  const chart = create('div', { className: 'chart' })
  const legend = create(
    'ul',
    { className: 'legend' },
    ...lists.map((list, series) => {
      const item = create('li', {}, names[list])
      item.dataset.series = String(series)
      return item
    }),
  )
  const columns = lists.flatMap((list) => [names[list], `${names[list]} started`, `${names[list]} stopped`])
  const rows = months
    .map((month) => [
      month.month,
      ...lists.flatMap((list) =>
        [month[list].active, month[list].started, month[list].stopped].map(formatNumber),
      ),
    ])
    .reverse()
  const table = create(
    'details',
    {},
    create('summary', {}, 'The same figures as a table'),
    createTable(['Month', ...columns], rows),
  )
  place.replaceChildren(chart, legend, table)
  new ResizeObserver(() => {
    if (chart.clientWidth > 0) chart.replaceChildren(drawHistory(chart.clientWidth, months))
  }).observe(chart)
}

/** Draws a line for each list: how many used it at the end of each month. */
function drawHistory(width: number, months: readonly HistoryMonth[]): SVGElement {
  const most = Math.max(1, ...months.flatMap((month) => lists.map((list) => month[list].active)))
  const [first, last] = [months[0]?.month, months.at(-1)?.month]
  const label = `Users and repositories at the end of each month, from ${first} to ${last}. The table below has the figures.`
  return drawChart(width, most, label, ({ left, place }) => {
    const across = (index: number) => left + (index / Math.max(1, months.length - 1)) * (width - left)
    const labels = [...new Set([0, Math.floor((months.length - 1) / 2), months.length - 1])]
    const curves = lists.map((list, series) =>
      draw('path', {
        class: 'curve',
        d: months
          .map((month, index) => `${index === 0 ? 'M' : 'L'}${across(index)} ${place(month[list].active)}`)
          .join(''),
        'data-series': series,
      }),
    )
    const dates = labels.map((index) => {
      const anchor = index === 0 ? 'start' : index === months.length - 1 ? 'end' : 'middle'
      return draw(
        'text',
        { x: across(index), y: height - 6, 'text-anchor': anchor },
        months[index]?.month ?? '',
      )
    })
    return [...curves, ...dates]
  })
}
