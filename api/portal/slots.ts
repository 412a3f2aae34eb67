/** Slots: places in built pages that the service fills when it sends them, from its settings and its dataset. */

/** What a slot gets, in pages and in their Markdown. */
export interface SlotText {
  html: string
  markdown: string
}

/** Texts by the slot's name. */
export type Slots = Readonly<Record<string, SlotText>>

/**
 * Where pages tell readers to ask the operator, they link this. The service replaces it with `CONTACT_URL`, if that is
 * set.
 */
export const contactPlaceholder = 'http://operator.invalid/contact'

/** The element that pages have in a slot's place. The Markdown of a page has the same text. */
export const writeSlot = (name: string): string => `<devdata-slot name="${name}"></devdata-slot>`

/** Lists the names of the slots in a text, each once. */
export function listSlots(text: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(/<devdata-slot name="([\w-]+)"><\/devdata-slot>/g)].map(([, name = '']) => name),
    ),
  ]
}

/** Escapes text for elements and attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Escapes text for one line of Markdown, which may be that of a table. */
const escapeMarkdown = (text: string): string =>
  text.replace(/[\s\p{Cc}]+/gu, ' ').replace(/[\\`*_{}[\]<>#|~]/g, '\\$&')

/** A link with a text. */
export const writeLink = (url: string, text: string): SlotText => ({
  html: `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
  markdown: writeMarkdownLink(url, escapeMarkdown(text)),
})

/** A link whose text is Markdown. */
export const writeMarkdownLink = (url: string, markdown: string): string =>
  `[${markdown}](<${url.replace(/[<>\\]/g, encodeURIComponent)}>)`

/** Joins strings, which it escapes, and texts that are already written. */
export function joinText(...parts: readonly (string | SlotText)[]): SlotText {
  const read = (format: keyof SlotText, escapeText: (text: string) => string) =>
    parts.map((part) => (typeof part === 'string' ? escapeText(part) : part[format])).join('')
  return { html: read('html', escapeHtml), markdown: read('markdown', escapeMarkdown) }
}

/** A table with a head. Numbers and amounts are texts. */
export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): SlotText {
  const cells = (tag: string, texts: readonly string[]) =>
    texts
      // On phones, a row is a card, and each cell shows its column's name.
      .map((text, column) => {
        const label = tag === 'td' && column > 0 ? ` data-column="${escapeHtml(head[column] ?? '')}"` : ''
        return `<${tag}${label}>${escapeHtml(text)}</${tag}>`
      })
      .join('')
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`
  return {
    html: `<table><thead><tr>${cells('th', head)}</tr></thead><tbody>${rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('')}</tbody></table>`,
    markdown: [head, head.map(() => '---'), ...rows.map((row) => row.map(escapeMarkdown))]
      .map(line)
      .join('\n'),
  }
}
