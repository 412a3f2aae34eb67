/** Drawings of figures: a frame with the lines and numbers of the vertical axis. */

export const height = 220
/** The height of the labels below the horizontal axis. */
export const bottom = 24

/** The distance of the lines behind the bars: 1, 2 or 5, with zeros. There are two to five lines. */
function chooseStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 2)))
  return [5, 2].map((factor) => factor * power).find((step) => step * 2 <= most) ?? power
}

/** Creates an element of a drawing. */
export function draw(
  name: string,
  attributes: Record<string, string | number>,
  ...children: (Node | string)[]
) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value))
  element.append(...children)
  return element
}

/** Where a drawing has its figures, in pixels. */
interface Axis {
  /** Where the horizontal axis begins. */
  left: number
  /** The height of a figure. */
  place(figure: number): number
}

/** Draws a chart of figures up to `most`. `label` says to screen readers what it shows. */
export function drawChart(
  width: number,
  most: number,
  label: string,
  drawFigures: (axis: Axis) => readonly Node[],
): SVGElement {
  const step = chooseStep(most)
  const lines = Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, index) => index * step)
  const top = lines.at(-1) ?? step
  const left = 16 + top.toLocaleString('en').length * 7
  const place = (figure: number) => height - bottom - (figure / top) * (height - bottom - 12)
  return draw(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label },
    ...lines.flatMap((figure) => [
      draw('path', { class: 'line', d: `M${left} ${place(figure)}H${width}` }),
      draw('text', { x: left - 8, y: place(figure) + 4, 'text-anchor': 'end' }, figure.toLocaleString('en')),
    ]),
    ...drawFigures({ left, place }),
  )
}
