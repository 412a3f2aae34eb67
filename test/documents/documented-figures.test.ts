/**
 * What the page "Scaling" says about its chart is what the chart shows.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../../docs-site/src')

/** The lines of the chart: milliseconds at 5 depths, or at 3 sizes. */
async function readChart() {
  const picture = await readFile(join(source, 'assets/latency.svg'), 'utf8')
  const lines = [
    ...picture.matchAll(/<path data-series="\d" d="M([^"]+)"[^>]*><title>([^<]*)<\/title>/g),
  ].map(([, path = '', name]) => ({
    name,
    heights: path.split('L').map((point) => Number(point.split(' ')[1])),
  }))
  const baselines = [...picture.matchAll(/ y="(\d+)" text-anchor="end">0</g)].map(([, y]) => Number(y) - 5)
  const convert = (points: number, zero = 0) =>
    lines
      .filter(({ heights }) => heights.length === points)
      .map(({ name, heights }) => ({ name, ms: heights.map((height) => (zero - height) / 50) }))
  return { byDepth: convert(5, baselines[0]), bySize: convert(3, baselines[1]) }
}

test('what the page "Scaling" says about its chart is what the chart shows', async () => {
  const text = await readFile(join(source, 'content/docs/scaling.mdx'), 'utf8')
  const [, page = ''] = /## One instance(.*?)- \*\*First request/s.exec(text.replace(/\s+/g, ' ')) ?? []
  const { byDepth, bySize } = await readChart()
  const round = (value: number, digits: number) => value.toFixed(digits)
  const ratio = (ms: readonly number[], at: number) => (ms.at(at) ?? 0) / (ms[0] ?? 0)

  const depths = byDepth.map(({ ms }) => ratio(ms, -1))
  const all = byDepth.flatMap(({ ms }) => ms)
  expect(page).toContain(`from the first page of ${byDepth.length} lists to their last`)
  expect(page).toContain(
    `between ${Math.floor(Math.min(...all) * 10) / 10} and ${Math.ceil(Math.max(...all) * 10) / 10} ms`,
  )
  expect(page).toContain(
    `the last page of a list took ${round(Math.min(...depths), 2)} to ${round(Math.max(...depths), 2)} times as long as the first`,
  )

  const sizes = bySize.map(({ name, ms }) => ({ name, growth: ratio(ms, -1) }))
  const slow = sizes.filter(({ growth }) => growth > 1.25)
  const others = sizes.filter(({ growth }) => growth <= 1.25).map(({ growth }) => growth)
  const growths = slow.map(({ growth }) => growth)
  const range = `${round(Math.min(...growths), 1)} to ${round(Math.max(...growths), 1)} times as long`
  const most = `${others.length} of ${sizes.length} kinds of requests`
  expect(page).toContain(
    `${most} take up to ${round(Math.max(...others), 2)} times as long; four take ${range}`,
  )
  expect(page).toContain(`${most} took up to ${round(Math.max(...others), 2)} times as long`)
  expect(page).toContain(`The others took ${range}: all users, and three lists of repositories.`)
  expect(slow.map(({ name }) => name?.split(/[, ]/)[0]).sort()).toEqual([
    '/repos',
    '/repos',
    '/repos',
    '/users',
  ])
  const between = Math.max(...bySize.map(({ ms }) => ratio(ms, 1)))
  expect(page).toContain(`With 100,000 users, all users took ${round(between, 1)} times as long.`)
  // "Up to a quarter longer", and "up to twice as long".
  expect([Math.max(...others) < 1.25, Math.max(...growths) < 2]).toEqual([true, true])
})
