/** Arbitrary texts for property tests. */
import fc from 'fast-check'

/** Text without NUL, which is refused before any parameter is read. */
export const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
)

/** A header's value: any bytes but NUL, CR and LF. */
export const headerValue = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9)))
  .map((bytes) => String.fromCharCode(...bytes))
