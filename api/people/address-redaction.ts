/**
 * Takes the addresses of forgotten people out of a text, whatever stands around them.
 *
 * Most punctuation may be a part of an address (`o'brien@example.com`, RFC 5322) or stand before one
 * (`'ada@example.com'`). So each text before an `@` has several candidates, the longest first. None is a part of a
 * longer address that is as likely.
 */
import { forgottenAddress, listIdentities, maxAddressLength } from '../names/forge-names.ts'

/** Whether an identity is one of forgotten people. */
export type IsForgotten = (identity: string) => boolean

/** Replaces an address by one that names nobody, if it is that of a forgotten person. */
export function redactAddress(address: string, isForgotten: IsForgotten): string {
  return listIdentities(address).some(isForgotten) ? forgottenAddress : address
}

/**
 * What may be in the part before the `@`, with the host if there is one. Matches each character once, so it takes
 * linear time. A host has no two dots in a row, and ends with a letter or digit.
 */
const localAndHost =
  /([\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+)(?:@([\p{L}\p{M}\p{N}]+(?:(?:\.|[_-]+)[\p{L}\p{M}\p{N}]+)*))?/gu

/** Replaces the addresses of forgotten people in a text. Takes time in proportion to the text. */
export function redactAddresses(text: string, isForgotten: IsForgotten): string {
  if (!text.includes('@')) return text
  return text
    .replace(/<([^<>]*)>/g, (whole, address: string) =>
      redactAddress(address.trim(), isForgotten) === forgottenAddress ? `<${forgottenAddress}>` : whole,
    )
    .replace(localAndHost, (whole, local: string, longest?: string) => {
      if (longest === undefined) return whole
      const start = Math.max(0, local.length - maxAddressLength)
      for (const host of listHosts(longest)) {
        for (const name of listLocalParts(local.slice(start), start > 0)) {
          if (redactAddress(`${name}@${host}`, isForgotten) === forgottenAddress)
            return local.slice(0, local.length - name.length) + forgottenAddress + longest.slice(host.length)
        }
      }
      return whole
    })
}

/** Scripts without spaces between words, or whose words are joined to others: `ada@example.comへ`. */
const joinedScripts = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`
const joinedText = new RegExp(`(?<![${joinedScripts}])[${joinedScripts}]`, 'u')

/**
 * Lists what is before a text in another script, which any no-reply address may have in its host, and the whole host.
 */
function listHosts(host: string): string[] {
  const end = host.search(joinedText)
  return end > 0 ? [host.slice(0, end).replace(/[._-]+$/, ''), host] : [host]
}

/**
 * Where an address may begin: after punctuation, unless it joins the address to a word (`new-ada`, `o'brien`). A dot
 * joins alone: `see...ada`. The text of another script may stand before an address, too.
 */
const beginning = new RegExp(
  String.raw`(?<=[!#$*/=?^\x60{|}~]|\.\.|(?:^|[!#$*/=?^\x60{|}~])[.%&'+_-]+|[${joinedScripts}](?=[^${joinedScripts}]))`,
  'gu',
)

/** Lists what may be the part of an address before the `@`, the longest first. */
function listLocalParts(text: string, isCut: boolean): string[] {
  const starts = [...text.matchAll(beginning)].map(({ index }) => index)
  return [...(isCut ? [] : [0]), ...starts].map((start) => text.slice(start)).filter((part) => part !== '')
}
