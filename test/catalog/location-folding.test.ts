/** Which letters are equal in locations, over all characters of Unicode (decisions/0003-lists.md). */
import { describe, expect, test } from 'vitest'
import { foldLocation, foldText } from '../../api/names/case-folding.ts'
import { describeOnEachDatabase, startTestService } from '../support/service.ts'

/** Those that Unicode assigns: the others have no case and no marks. */
const characters = Array.from({ length: 0x10_ffff }, (_, index) => String.fromCodePoint(index + 1)).filter(
  (character) => /[^\p{Cn}\p{Co}\p{Cs}]/u.test(character),
)

/** The plain letter of a Latin, Greek or Cyrillic one with marks; undefined for all other characters. */
function findPlain(character: string): string | undefined {
  const [letter = '', ...marks] = character.normalize('NFD')
  const hasMarks = marks.length > 0 && marks.every((mark) => /\p{M}/u.test(mark))
  return hasMarks && /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]/u.test(letter) ? letter : undefined
}

const plainLetters = new Map(
  characters.flatMap((character) => {
    const plain = findPlain(character)
    return plain === undefined ? [] : [[character, plain]]
  }),
)

describe('in a location', () => {
  test('a Latin, Greek or Cyrillic letter with marks is the plain letter, composed or not', () => {
    expect(plainLetters.size).toBeGreaterThan(700)
    for (const [character, plain] of plainLetters) {
      for (const form of [character, character.normalize('NFD'), character.normalize('NFC')]) {
        expect(foldLocation(`東${form}`), character).toBe(foldText(`東${plain}`))
      }
    }
  })

  test('all other characters are what they are in names', () => {
    const different = characters.filter(
      (character) => !plainLetters.has(character) && foldLocation(character) !== foldText(character),
    )
    expect(different).toEqual([])
    for (const text of ['ø', 'ł', 'đ', 'ß', 'ı', 'ς', 'が', 'हिन्दी', '한국', 'مُحَمَّد', 'שָׁלוֹם']) {
      expect(foldLocation(text)).toBe(foldText(text))
    }
  })

  test('case doesn’t matter, but for Greek letters with a mark that is a letter in upper case', () => {
    const others = characters.filter((character) =>
      [character.toLowerCase(), character.toUpperCase()].some(
        (form) => form !== character && foldLocation(form) !== foldLocation(character),
      ),
    )
    expect(others.filter((character) => !character.normalize('NFD').includes('\u0345'))).toEqual([])
  })
})

describeOnEachDatabase('the database', (kind) => {
  test('finds a letter in a location where the service finds it', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const stored = [...plainLetters.keys()].map((character) => foldLocation(`x${character}y`))
    for (const find of [
      (character: string, _plain: string) => character,
      (_character: string, plain: string) => plain,
      (character: string, _plain: string) => String.fromCodePoint((character.codePointAt(0) ?? 0) + 1),
    ]) {
      const wanted = [...plainLetters].map((letters) => foldLocation(find(...letters)))
      const { sql } = service
      const [found] = await sql<{ matches: boolean[] }[]>`
        select json_agg(strpos(stored, wanted) > 0 order by place) as matches
        from unnest(${sql.typed.texts(stored)}, ${sql.typed.texts(wanted)})
          with ordinality as letters(stored, wanted, place)`
      expect(found?.matches).toEqual(stored.map((text, index) => text.includes(wanted[index] ?? '?')))
    }
    await service.close()
  })
})
